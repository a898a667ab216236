/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collects the figures of groups for a comparison of two captures: how much each time slice changed
 * them. It is an observer of the analysis.
 */
#ifndef REPORT_VIEWS_DIFF_COLLECT_H
#define REPORT_VIEWS_DIFF_COLLECT_H

#include "report/diff/side.h"
#include "report/views/slices.h"
#include "report/views/view.h"

/* Figures that change while the capture is read, and their live bytes now. */
struct diff_counted {
	struct diff_figures figures;
	double live;
	uint64_t named; /* of a call site: the names of side->named that it has, as bits */
};

struct diff_collect {
	struct diff_side *side;
	struct diff_counted total, **groups;	       /* by group; NULL: no object yet */
	struct diff_counted *cache_named, *code_named; /* by index in side->named */
	size_t group_space;
	struct slices slices;
	const struct report *report;
};

/* Before the analysis, which it will observe. 0 or -ENOMEM. */
int diff_collect_init(struct diff_collect *collect, struct report *report);
void diff_collect_deinit(struct diff_collect *collect);

/* After the analysis: sets the length of the slices, and returns their number. */
size_t diff_collect_slices(struct diff_collect *collect);

#endif
