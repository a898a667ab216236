/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds errors of the captured kernel, not of the capture, with the heap model. */
#ifndef CHECK_CHECK_HEAP_H
#define CHECK_CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct progress_line;

/* The number of cases by certainty. */
struct check_heap {
	uint64_t certain, possible, explained, legal;
};

/*
 * Runs the heap model over a capture; prints a line on stdout for each certain finding and, if
 * verbose, for the others. Draws the progress on `line`, unless it is NULL. 0, or -errno with a
 * text in error.
 */
int check_heap_run(const char *path, bool verbose, struct progress_line *line,
		   struct check_heap *result, struct error *error);

#endif
