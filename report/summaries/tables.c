// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables sites and caches of summaries: the sums of each group. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/summaries/bounds.h"
#include "report/summaries/tables.h"

static const struct column_choice group_columns[] = {
	{ .name = COLUMN_function },
	{ .name = COLUMN_allocations },
	{ .name = COLUMN_frees },
	{ .name = COLUMN_missed_frees, .where = COLUMN_BELOW },
	{ .name = COLUMN_failed, .where = COLUMN_BELOW },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_bytes_freed, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects,
	  .legend = "objects with no recorded free at the end of the last interval" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_cross_cpu_frees },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_BELOW_IF_PART },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const enum group_by group_kinds[] = {
	[SUMMARIES_BY_FUNCTION] = GROUP_BY_FUNCTION,
	[SUMMARIES_BY_MODULE] = GROUP_BY_MODULE,
	[SUMMARIES_BY_CACHE] = GROUP_BY_CACHE,
};

static const struct column_choice estimate_columns[] = {
	{ .name = COLUMN_error_percent },
	{ .name = COLUMN_bytes_allocated_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated_high, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_bytes_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_bytes_high, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

struct table *summaries_add_table(struct report *report, const struct summaries_view *view,
				  const struct summaries_groups *groups,
				  const struct column_choice *columns)
{
	struct table *table = report_add_table(report, columns);

	if (view->summaries.sum.missing.sampling)
		table_choose(table, estimate_columns);
	report_name_group(table->chosen, group_kinds[groups->by]);
	return table;
}

/* The largest average size of the objects of a row. */
static double find_size_most(const struct summary *summary)
{
	double most = 0;

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_counts *counts = &summary->rows[i].counts;

		if (counts->allocations)
			most = fmax(most, (double)counts->allocated / (double)counts->allocations);
		if (counts->live_objects)
			most = fmax(most,
				    (double)counts->live_bytes / (double)counts->live_objects);
	}
	return most;
}

int summaries_view_group(struct summaries_view *view, enum summaries_by by)
{
	int err =
		summaries_groups_init(&view->by_cache, &view->summaries, SUMMARIES_BY_CACHE, NULL);

	view->size_most = find_size_most(&view->summaries.sum);
	summaries_set_bounds(&view->summaries);
	return err ? err
		   : summaries_groups_init(&view->groups, &view->summaries, by, &view->by_cache);
}

void summaries_view_deinit(struct summaries_view *view)
{
	summaries_groups_deinit(&view->groups);
	summaries_groups_deinit(&view->by_cache);
	summaries_deinit(&view->summaries);
}

struct estimate_margin summaries_margin(const struct summaries_view *view, bool is_live)
{
	const struct summaries *summaries = &view->summaries;
	const struct missing *missing = is_live ? &summaries->known.missing
						: &summaries->sum.missing;
	double one = (double)missing->sampling + view->size_most;
	double margin = ((double)missing->lost + (double)missing->uncounted) * one;

	if (!missing->sampling)
		return (struct estimate_margin){ 0 };
	return (struct estimate_margin){ .above = margin,
					 .above_variance = margin * one,
					 .below = is_live ? margin : 0 };
}

struct estimate_range summaries_range(const struct summaries_view *view, uint64_t bytes,
				      double variance, bool is_live)
{
	const struct estimate_margin margin = summaries_margin(view, is_live);

	return estimate_range(bytes, variance, &margin);
}

void summaries_set_estimates(const struct summaries_view *view, struct table *table,
			     const struct summary_counts *counts, bool live)
{
	struct estimate_range allocated, range;
	uint64_t bytes = live ? counts->live_bytes : counts->allocated;

	if (!view->summaries.sum.missing.sampling)
		return;
	allocated = summaries_range(view, counts->allocated, counts->allocated_variance, false);
	range = summaries_range(view, counts->live_bytes, counts->live_variance, true);
	table_cell(table, COLUMN_bytes_allocated_low)->number = allocated.low;
	table_cell(table, COLUMN_bytes_allocated_high)->number = allocated.high;
	table_cell(table, COLUMN_live_bytes_low)->number = range.low;
	table_cell(table, COLUMN_live_bytes_high)->number = range.high;
	if (!live)
		range = allocated;
	table_cell(table, COLUMN_error_percent)->decimal = estimate_error(range, bytes);
}

static bool is_empty(const struct summary_counts *counts)
{
	return !counts->allocations && !counts->frees && !counts->failed && !counts->live_objects;
}

static int add_counts_row(const struct summaries_view *view, const struct summaries_groups *groups,
			  size_t group, struct table *table)
{
	const struct summary_counts *counts = &groups->list.rows[group].counts;

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_function)->text = summaries_group_name(groups, group);
	table_cell(table, COLUMN_allocations)->number = counts->allocations;
	table_cell(table, COLUMN_frees)->number = summaries_frees(counts);
	table_cell(table, COLUMN_missed_frees)->number = counts->missed;
	table_cell(table, COLUMN_failed)->number = counts->failed;
	table_cell(table, COLUMN_bytes_allocated)->number = counts->allocated;
	table_cell(table, COLUMN_bytes_freed)->number = counts->freed;
	table_cell(table, COLUMN_live_objects)->number = counts->live_objects;
	table_cell(table, COLUMN_live_bytes)->number = counts->live_bytes;
	table_cell(table, COLUMN_cross_cpu_frees)->number = counts->cross_cpu;
	table_cell(table, COLUMN_coverage_percent)->decimal =
		summaries_coverage(groups, group, &view->by_cache);
	table_cell(table, COLUMN_live_upper_bound)->truth = groups->facts[group].is_bound;
	summaries_set_estimates(view, table, counts, false);
	return table_cell(table, COLUMN_function)->text ? 0 : -ENOMEM;
}

static int add_counts_table(struct report *report, const struct summaries_view *view,
			    const struct summaries_groups *groups, const char *key,
			    const char *title)
{
	struct table *table = summaries_add_table(report, view, groups, group_columns);
	int err = 0;

	table->key = key;
	table->title = title;
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = table_column(table, COLUMN_function);
	for (size_t i = 0; i < groups->list.row_count && !err; i++)
		if (!is_empty(&groups->list.rows[i].counts))
			err = add_counts_row(view, groups, i, table);
	return err;
}

int summaries_add_sites(struct report *report, const struct summaries_view *view)
{
	return add_counts_table(report, view, &view->groups, "sites", "Code that allocates");
}

int summaries_add_caches(struct report *report, const struct summaries_view *view)
{
	return add_counts_table(report, view, &view->by_cache, "caches", "Slab caches");
}
