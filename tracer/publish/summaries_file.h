/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that kmemtraced --summaries writes: one for each host and day of UTC, or several with a
 * limit of their size, to which whole blocks of text are appended. Each function that fails returns
 * -errno.
 */
#ifndef TRACER_PUBLISH_SUMMARIES_FILE_H
#define TRACER_PUBLISH_SUMMARIES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct summaries_file;

/*
 * Opens the file of this day (time: ns since 1970) in the directory, which is made if it is
 * missing; only root and the caller may be able to write it. Cuts off a block at the end of the
 * file that is not whole, and locks the file. error gets the message of a failure.
 */
int summaries_file_open(struct summaries_file **file, const char *directory, const char *host,
			uint64_t time, struct error *error);
void summaries_file_close(struct summaries_file *file); /* NULL is allowed */

/*
 * Appends the text of whole blocks to the file of the day that this time belongs to, or nothing of
 * it if that fails.
 */
int summaries_file_append(struct summaries_file *file, uint64_t time, const char *text,
			  size_t size);

/*
 * From now on all files of this host together have at most so many bytes, or one block more. A day
 * has several files: a new one begins when a file has an eighth of the limit. 0: no limit.
 */
void summaries_file_set_max(struct summaries_file *file, uint64_t bytes);

/* Removes the oldest files of this host until the rest keeps the limit; never the open one. */
int summaries_file_bound(const struct summaries_file *file);

/* Removes the files of this host whose day ended at least keep (ns) before time. */
int summaries_file_prune(const struct summaries_file *file, uint64_t time, uint64_t keep);

/* The open directory. */
int summaries_file_directory(const struct summaries_file *file);

#endif
