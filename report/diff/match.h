/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which row of capture B is compared with a row of capture A. Rows with the same text are. Two
 * kernels have different offsets of the call sites within a function, so the call sites of one
 * function are matched in two steps:
 *
 *	1. equal offsets, if the function has the same size in both kernels
 *	2. if these are different kernels, the others: in order of their offsets, as many as
 *	   possible with objects of the same slab cache, and of all such ways the one with the least
 *	   sum of distances between the offsets, each as a share of its function
 */
#ifndef REPORT_DIFF_MATCH_H
#define REPORT_DIFF_MATCH_H

#include "report/diff/side.h"

enum diff_how {
	DIFF_BY_NAME,	  /* the same text, and the same offset */
	DIFF_BY_OFFSET,	  /* the nearest offset: step 2 */
	DIFF_NOT_MATCHED, /* only one of the captures has the row */
};

struct diff_pair {
	const struct diff_row *a, *b; /* NULL: none */
	enum diff_how how;
};

struct diff_pairs {
	struct diff_pair *list;
	size_t count;
};

/* Merges rows with the same text in each side first. 0 or -ENOMEM. */
int diff_match(struct diff_pairs *pairs, struct diff_side *a, struct diff_side *b);
void diff_pairs_deinit(struct diff_pairs *pairs);

#endif
