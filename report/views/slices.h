/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time slices of equal width, at most SLICES_MAX or another limit. If the end is not known in
 * advance, the width doubles whenever there would be more.
 */
#ifndef REPORT_VIEWS_SLICES_H
#define REPORT_VIEWS_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"

#define SLICES_MAX 64

struct slices {
	uint64_t begin, width; /* ns */
	size_t count;	       /* up to the latest time that was included */
	size_t most; /* if the end is known: the number of slices; later times are in the last */
	unsigned int doublings;
	size_t limit; /* of count: SLICES_MAX, or that of slices_init_limit() */
};

/* end: ns, or 0 if it is not known. The width for a known end is 1, 2 or 5 times a power of ten. */
void slices_init(struct slices *slices, uint64_t begin, uint64_t end);

/* The same for the window of an analysis, which may still run. */
void slices_init_window(struct slices *slices, const struct analysis *analysis);

/* The same with another limit than SLICES_MAX. */
void slices_init_limit(struct slices *slices, const struct analysis *analysis, size_t limit);

/*
 * The slice of the time; of a time before the begin, the first. Makes slices wider, if there would
 * be too many, and counts that in doublings: the caller then merges each two neighbours of its
 * values, once for each doubling.
 */
size_t slices_include(struct slices *slices, uint64_t time);

/* End of the slice, ns; the last slice ends at end. */
uint64_t slices_end(const struct slices *slices, size_t index, uint64_t end);

/* Adds up each two neighbours of SLICES_MAX values. */
void slices_merge(int64_t *values);

#endif
