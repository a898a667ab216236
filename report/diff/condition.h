/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A condition on the change between two captures:
 *
 *	live > +10%			live bytes of B are more than 110 % of those of A
 *	live(dentry) > +10%		of a slab cache, a function or a call site
 *	allocated > +1M			bytes allocated, of all: 1 MiB more a second
 *	allocations(function:alloc_inode) > +5%
 *
 * The figures are live, objects, peak, growth, allocated, allocations and waste. A condition holds
 * only if it holds certainly. Of a function and a slab cache with one name, the cache is meant.
 */
#ifndef REPORT_DIFF_CONDITION_H
#define REPORT_DIFF_CONDITION_H

#include "report/diff/side.h"

#define DIFF_CONDITIONS_MAX 16
#define DIFF_CONDITION_LENGTH 200

struct diff_condition {
	char text[DIFF_CONDITION_LENGTH]; /* as the user wrote it */
	enum diff_figure figure;
	struct diff_name name;
	double factor; /* of the figure of A */
	double more;   /* bytes, or a number */
};

struct diff_condition_error {
	size_t column; /* from 1 */
	char text[200];
};

/* 0, or -EINVAL with error set. */
int diff_condition_parse(struct diff_condition *condition, const char *text,
			 struct diff_condition_error *error);

#endif
