/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture or a set of pieces as one file: a tar archive (ustar, with pax records for sizes from 8
 * GiB on) of one directory. A reader believes nothing in it: it writes regular files and
 * directories below a directory that it was given, and refuses all else.
 */
#ifndef CAPTURE_ARCHIVE_H
#define CAPTURE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define ARCHIVE_BLOCK 512
#define ARCHIVE_SUFFIX ".kmt"
#define ARCHIVE_FILES_MAX 1000000 /* files and directories of one archive */

struct archive_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], rest[12];
};

enum archive_type {
	ARCHIVE_FILE = '0',
	ARCHIVE_OLD_FILE = '\0',
	ARCHIVE_CONTIGUOUS_FILE = '7',
	ARCHIVE_HARD_LINK = '1',
	ARCHIVE_LINK = '2',
	ARCHIVE_CHARACTER_DEVICE = '3',
	ARCHIVE_BLOCK_DEVICE = '4',
	ARCHIVE_DIRECTORY = '5',
	ARCHIVE_FIFO = '6',
	ARCHIVE_PAX = 'x',
	ARCHIVE_PAX_GLOBAL = 'g',
};

/* The checksum of the header, without the bytes in its own field. */
unsigned int archive_checksum(const struct archive_header *header);

/* Do the first bytes of a file have the magic number of a tar archive? */
bool archive_has_magic(const void *bytes, size_t size);

/* Does the name end with .kmt? */
bool archive_is_name(const char *path);

/*
 * Writes the files and directories of an open directory. The bytes depend on the names and contents
 * only. root: the name of the directory in the archive. time: of all files, seconds since 1970. 0,
 * or -errno with error set.
 */
int archive_write(FILE *file, int directory, const char *root, uint64_t time, struct error *error);

/*
 * Unpacks an archive into an open, empty directory, without the archive's own top directory. name:
 * for messages. 0; -EBADMSG: the archive is cut off or damaged: the files before the damage are
 * there; -EINVAL: it has something that no capture has; or another -errno. After a failure, error
 * is set.
 */
int archive_unpack(FILE *file, const char *name, int directory, struct error *error);

#endif
