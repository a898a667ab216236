/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of summaries, with the keys that the same figures of a capture have. Figures that
 * summaries lack (requested bytes, waste, peaks, lifetimes, ages, addresses) have no column.
 */
#ifndef REPORT_SUMMARIES_TABLES_H
#define REPORT_SUMMARIES_TABLES_H

#include "analysis/estimate.h"
#include "report/summaries/groups.h"
#include "report/summaries/summaries.h"
#include "report/views/view.h"

struct summaries_view {
	struct summaries summaries;
	struct summaries_groups groups, by_cache; /* groups: of --by */
	double size_most; /* bytes: the largest average of a row's objects */
};

/* Groups the rows of the summaries, which are read, and sets their bounds. 0 or -ENOMEM. */
int summaries_view_group(struct summaries_view *view, enum summaries_by by);

/* All zero is allowed. */
void summaries_view_deinit(struct summaries_view *view);

/* Each adds a table. 0 or -ENOMEM. */
int summaries_add_sites(struct report *report, const struct summaries_view *view);
int summaries_add_caches(struct report *report, const struct summaries_view *view);
int summaries_add_leaks(struct report *report, const struct summaries_view *view);
int summaries_add_timeline(struct report *report, const struct summaries_view *view);

/*
 * Adds a table with these columns, the first one named by the groups, and those of estimates if the
 * allocations are sampled.
 */
struct table *summaries_add_table(struct report *report, const struct summaries_view *view,
				  const struct summaries_groups *groups,
				  const struct column_choice *columns);

/*
 * None, if the allocations are not sampled. If they are: each event that is missing may be a
 * sample, which stands for one sampling interval and its own size; that is taken to be no more than
 * the largest average of a row. is_live: or the free of a sampled object, also before the window.
 */
struct estimate_margin summaries_margin(const struct summaries_view *view, bool is_live);

/* The interval of a sum of bytes. */
struct estimate_range summaries_range(const struct summaries_view *view, uint64_t bytes,
				      double variance, bool is_live);

/*
 * Sets the columns of estimates in the last row, if the allocations are sampled. live: the error is
 * that of live, not of allocated.
 */
void summaries_set_estimates(const struct summaries_view *view, struct table *table,
			     const struct summary_counts *counts, bool live);

#endif
