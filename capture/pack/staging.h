/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory beside the target, in which a capture or set is made before it becomes the target:
 * one file, or the directory itself. It disappears if the program is killed.
 */
#ifndef CAPTURE_PACK_STAGING_H
#define CAPTURE_PACK_STAGING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/scratch_directory.h"

struct staging {
	struct scratch_directory scratch;
	const char *target;
	char *directory; /* the capture or set is made here; it does not exist yet */
	uint64_t bytes;	 /* of the file */
	struct error error;
};

/* Checks the target, too. 0 or -errno with error set. */
int staging_begin(struct staging *staging, const char *target);

/*
 * Makes the target of the directory: a file, which replaces an older one that is renamed to
 * TARGET.old; or a directory, of which there must be none. 0 or -errno with error set.
 */
int staging_finish_file(struct staging *staging);
int staging_finish_directory(struct staging *staging);

void staging_end(struct staging *staging);

#endif
