/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of summaries, with the keys that the same figures of a capture have. What summaries do not
 * have (requested bytes, waste, peaks, lifetimes, ages, addresses) has no column.
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
	double size_most;	   /* bytes: the largest average of a row's objects */
	struct column *columns[3]; /* of the tables: see summaries_view_deinit() */
	size_t column_sets;
};

/* Groups the rows of the summaries, which are read, and sets their bounds. 0 or -ENOMEM. */
int summaries_view_group(struct summaries_view *view, enum summaries_by by);

/* After report_deinit(): the tables refer to its columns. All zero is allowed. */
void summaries_view_deinit(struct summaries_view *view);

/* Each adds a table. 0 or -ENOMEM. */
int summaries_add_sites(struct report *report, struct summaries_view *view);
int summaries_add_caches(struct report *report, struct summaries_view *view);
int summaries_add_leaks(struct report *report, struct summaries_view *view);
int summaries_add_timeline(struct report *report, struct summaries_view *view);

/*
 * For the tables: a copy of columns, the first one named by the groups, without those of estimates
 * unless the allocations are sampled. NULL: no memory.
 */
struct column *summaries_make_columns(struct summaries_view *view, const struct column *columns,
				      size_t count, const struct summaries_groups *groups);

/* The last columns of a table: of estimates. */
#define SUMMARIES_ESTIMATES 5

/*
 * None, if the allocations are not sampled. If they are: each event that is missing may be a
 * sample, which stands for one sampling interval and its own size; that is taken to be no more than
 * the largest average of a row. is_live: or the free of a sampled object, also before the window.
 */
struct estimate_margin summaries_margin(const struct summaries_view *view, bool is_live);

/* The interval of a sum of bytes. */
struct estimate_range summaries_range(const struct summaries_view *view, uint64_t bytes,
				      double variance, bool is_live);

/* Sets them, if the allocations are sampled. live: the error is that of live, not of allocated. */
void summaries_set_estimates(const struct summaries_view *view, struct cell *first,
			     const struct summary_counts *counts, bool live);

/* The columns of a table that has count columns without those of estimates. */
static inline size_t summaries_column_count(const struct summaries_view *view, size_t count)
{
	return view->summaries.sum.bound.sampling ? count + SUMMARIES_ESTIMATES : count;
}

/* clang-format off */
#define SUMMARIES_ESTIMATE_ROWS(first, figure)                                                     \
	[(first)] = { "error_percent", "+-", "%", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,                \
		      "the true " figure " is this near to the estimate, in 95 of 100 cases" },    \
	[(first) + 1] = { "bytes_allocated_low", "allocated", "low", COLUMN_NUMBER, 0,             \
			  COLUMN_NOT_IN_TEXT, NULL },                                              \
	[(first) + 2] = { "bytes_allocated_high", "allocated", "high", COLUMN_NUMBER, 0,           \
			  COLUMN_NOT_IN_TEXT, NULL },                                              \
	[(first) + 3] = { "live_bytes_low", "live", "low", COLUMN_NUMBER, 0,                       \
			  COLUMN_NOT_IN_TEXT, NULL },                                              \
	[(first) + 4] = { "live_bytes_high", "live", "high", COLUMN_NUMBER, 0,                     \
			  COLUMN_NOT_IN_TEXT, NULL }
/* clang-format on */

#endif
