/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that has the text of details, beside a statistics file: its name and ".details". It has
 * a header and two slots. The writer fills the slot that is not current, and then makes it current;
 * a reader copies the current slot, and tries again if the writer replaced it meanwhile. Neither
 * waits for the other. The writer opens it once, before it gives up its privileges, and only writes
 * to it afterwards.
 */
#ifndef LIVE_STATS_DETAILS_FILE_H
#define LIVE_STATS_DETAILS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DETAILS_FILE_SUFFIX ".details"
#define DETAILS_FILE_MAGIC UINT64_C(0x6b6d7464657461)
#define DETAILS_FILE_VERSION 2
#define DETAILS_FILE_TEXT_MAX ((uint64_t)16 << 20) /* bytes of a text */
#define DETAILS_FILE_SLOT_FIRST 4096		   /* offset of slot 0; the other is behind it */

/* At the start of the file, in the byte order of this machine. */
struct details_file_head {
	uint64_t magic;
	uint32_t version, zero;
	uint64_t generation; /* 0: nothing yet; the text is in slot generation & 1 */
	uint64_t bytes[2];   /* of the text in each slot */
};
_Static_assert(sizeof(struct details_file_head) == 40, "file ABI");

struct details_file; /* of the writer */

/*
 * Creates the file in the directory (a descriptor, which must stay open). Replaces an earlier file:
 * its readers see no more changes. group: may read it; (gid_t)-1: only the owner may. 0 or -errno.
 */
int details_file_create(struct details_file **file, int directory, const char *name, gid_t group);

/* Replaces the text. 0 or -errno: then the last text stays. */
int details_file_write(struct details_file *file, const char *text, size_t size);

/* Removes the file, if its name is still its own. NULL is allowed. 0 or -errno. */
int details_file_remove(struct details_file *file);

/* Removes the file of an earlier writer, if there is one. 0; -EEXIST: it is another file; or
 * -errno.
 */
int details_file_remove_earlier(int directory, const char *name);

/*
 * Copies the text of the file at path; *text, to be freed, ends with a NUL. 0, -ENOENT (no file),
 * -EPROTONOSUPPORT (another version), -EBADMSG (not such a file), -EAGAIN (no text yet, or replaced
 * during each of a hundred reads), or another -errno.
 */
int details_file_read(const char *path, char **text);

#endif
