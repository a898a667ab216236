/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time cut into slices of one width, so few that they fit on a screen. Where the end is not known
 * beforehand the width doubles whenever there would be too many.
 */
#ifndef REPORT_VIEWS_SLICES_H
#define REPORT_VIEWS_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"

#define SLICES_MAX 64

struct slices {
	uint64_t begin, width; /* ns */
	size_t count;	       /* up to the latest time that was asked for */
	size_t most; /* where the end is known: later times count to the last of so many */
	unsigned int doublings;
};

/* end: ns, or 0 if it is not known. The width for a known end is 1, 2 or 5 and zeros. */
void slices_init(struct slices *slices, uint64_t begin, uint64_t end);

/* The same for the window of an analysis, whose pass may still be under way. */
void slices_init_window(struct slices *slices, const struct analysis *analysis);

/*
 * The slice that the time is in; of a time before the begin, the first. It may raise doublings:
 * then the owner of figures merges each two neighbours, once for each time.
 */
size_t slices_index(struct slices *slices, uint64_t time);

/* When the slice ends, ns, if the last of them ends at end. */
uint64_t slices_end(const struct slices *slices, size_t index, uint64_t end);

/* Adds up each two neighbours of SLICES_MAX values. */
void slices_merge(int64_t *values);

#endif
