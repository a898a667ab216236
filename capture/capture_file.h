/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture by its path: a directory, or a file that archive_write() has made, which is unpacked
 * into a temporary directory.
 */
#ifndef CAPTURE_CAPTURE_FILE_H
#define CAPTURE_CAPTURE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/scratch_directory.h"

struct capture_file {
	struct scratch_directory scratch;
	const char *path; /* of the directory to read; or the given path, if it is another file */
	bool is_archive;
	struct error error;
};

/*
 * Unpacks the file at path, if it is an archive. guarded: see scratch_directory_make(). 0;
 * -EBADMSG: it is cut off or damaged: path has the files before the damage; or another -errno.
 * After a failure, error is set. Close it in each case.
 */
int capture_file_open(struct capture_file *file, const char *path, bool guarded);

/* The same for an open file or pipe, which must be an archive. name: for messages. */
int capture_file_read(struct capture_file *file, FILE *input, const char *name, bool guarded);

void capture_file_close(struct capture_file *file);

/* Replaces the temporary directory in a text by another name. */
void capture_file_show(const struct capture_file *file, const char *name, char *text, size_t size);

#endif
