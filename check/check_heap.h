/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the heap of a capture shows to be wrong with the kernel, not with the capture. */
#ifndef CHECK_CHECK_HEAP_H
#define CHECK_CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_line;

/* Findings by how sure they are, in cases. */
struct check_heap {
	uint64_t certain, possible, legal;
};

/*
 * Runs the heap model over a capture; prints a line on stdout for each certain finding, and if
 * verbose for the others; meanwhile the line says how far it is, unless it is NULL. 0, or -errno
 * with a text in errmsg.
 */
int check_heap_run(const char *path, bool verbose, struct progress_line *line,
		   struct check_heap *result, char *errmsg, size_t errmsg_size);

#endif
