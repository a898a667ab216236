// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables sites and caches of summaries: the sums of each group. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/summaries/bounds.h"
#include "report/summaries/tables.h"

enum group_column {
	GROUP_NAME,
	GROUP_ALLOCATIONS,
	GROUP_FREES,
	GROUP_MISSED,
	GROUP_FAILED,
	GROUP_ALLOCATED,
	GROUP_FREED,
	GROUP_LIVE_OBJECTS,
	GROUP_LIVE_BYTES,
	GROUP_CROSS_CPU,
	GROUP_COVERAGE,
	GROUP_BOUND,
	GROUP_COLUMNS
};

static const struct column columns[GROUP_COLUMNS + SUMMARIES_ESTIMATES] = {
	[GROUP_NAME] = { "function", "function", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[GROUP_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				"allocations that succeeded" },
	[GROUP_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			  "frees of these objects, on any CPU" },
	[GROUP_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0, COLUMN_BELOW,
			   "frees that were not recorded: the address was allocated again while the object was live" },
	[GROUP_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_BELOW,
			   "allocations that failed" },
	[GROUP_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_ALWAYS,
			      "bytes occupied: the kmalloc() size class, or in a slab cache the bytes from the start of one object to the start of the next" },
	[GROUP_FREED] = { "bytes_freed", "freed", "bytes", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			  "bytes of the objects that ended: by a free or a missed free" },
	[GROUP_LIVE_OBJECTS] = { "live_objects", "live", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				 "objects with no recorded free at the end of the last interval" },
	[GROUP_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			       "bytes allocated to the live objects" },
	[GROUP_CROSS_CPU] = { "cross_cpu_frees", "x-cpu", "frees", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			      "cross-CPU frees: on another CPU than the allocation" },
	[GROUP_COVERAGE] = { "coverage_percent", "coverage", "%", COLUMN_DECIMAL, 1,
			     COLUMN_BELOW_IF_PART,
			     "frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed" },
	[GROUP_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
	SUMMARIES_ESTIMATE_ROWS(GROUP_COLUMNS, "number of allocated bytes"),
};

static const struct {
	const char *key, *legend;
} names[] = {
	[SUMMARIES_BY_FUNCTION] = { "function",
				    "the kernel function that allocated: symbol [module]" },
	[SUMMARIES_BY_MODULE] = { "module",
				  "the code that allocated: a [module], or the kernel itself" },
	[SUMMARIES_BY_CACHE] = { "cache",
				 "the slab cache of the objects, or the kmalloc() size class" },
};

struct column *summaries_make_columns(struct summaries_view *view, const struct column *from,
				      size_t count, const struct summaries_groups *groups)
{
	struct column *made = calloc(count, sizeof(*made));

	if (!made)
		return NULL;
	view->columns[view->column_sets++] = made;
	memcpy(made, from, count * sizeof(*made));
	made->key = made->header = names[groups->by].key;
	made->legend = names[groups->by].legend;
	return made;
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
	for (size_t i = 0; i < view->column_sets; i++)
		free(view->columns[i]);
	summaries_groups_deinit(&view->groups);
	summaries_groups_deinit(&view->by_cache);
	summaries_deinit(&view->summaries);
}

struct estimate_margin summaries_margin(const struct summaries_view *view, bool is_live)
{
	const struct summaries *summaries = &view->summaries;
	const struct summary_bound *bound = is_live ? &summaries->known.bound
						    : &summaries->sum.bound;
	double one = (double)bound->sampling + view->size_most;
	double missing = ((double)bound->lost + (double)bound->uncounted) * one;

	if (!bound->sampling)
		return (struct estimate_margin){ 0 };
	return (struct estimate_margin){ .above = missing,
					 .above_variance = missing * one,
					 .below = is_live ? missing : 0 };
}

struct estimate_range summaries_range(const struct summaries_view *view, uint64_t bytes,
				      double variance, bool is_live)
{
	const struct estimate_margin margin = summaries_margin(view, is_live);

	return estimate_range(bytes, variance, &margin);
}

void summaries_set_estimates(const struct summaries_view *view, struct cell *first,
			     const struct summary_counts *counts, bool live)
{
	struct estimate_range allocated, range;
	uint64_t bytes = live ? counts->live_bytes : counts->allocated;

	if (!view->summaries.sum.bound.sampling)
		return;
	allocated = summaries_range(view, counts->allocated, counts->allocated_variance, false);
	range = summaries_range(view, counts->live_bytes, counts->live_variance, true);
	first[1].number = allocated.low;
	first[2].number = allocated.high;
	first[3].number = range.low;
	first[4].number = range.high;
	if (!live)
		range = allocated;
	first[0].decimal = bytes ? 50 * (double)(range.high - range.low) / (double)bytes : NAN;
}

static bool is_empty(const struct summary_counts *counts)
{
	return !counts->allocations && !counts->frees && !counts->failed && !counts->live_objects;
}

static int add_row(const struct summaries_view *view, const struct summaries_groups *groups,
		   size_t group, struct table *table)
{
	const struct summary_counts *counts = &groups->list.rows[group].counts;
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[GROUP_NAME].text = summaries_group_name(groups, group);
	row[GROUP_ALLOCATIONS].number = counts->allocations;
	row[GROUP_FREES].number = summaries_frees(counts);
	row[GROUP_MISSED].number = counts->missed;
	row[GROUP_FAILED].number = counts->failed;
	row[GROUP_ALLOCATED].number = counts->allocated;
	row[GROUP_FREED].number = counts->freed;
	row[GROUP_LIVE_OBJECTS].number = counts->live_objects;
	row[GROUP_LIVE_BYTES].number = counts->live_bytes;
	row[GROUP_CROSS_CPU].number = counts->cross_cpu;
	row[GROUP_COVERAGE].decimal = summaries_coverage(groups, group, &view->by_cache);
	row[GROUP_BOUND].truth = groups->facts[group].is_bound;
	summaries_set_estimates(view, &row[GROUP_COLUMNS], counts, false);
	return row[GROUP_NAME].text ? 0 : -ENOMEM;
}

static int add_table(struct report *report, struct summaries_view *view,
		     const struct summaries_groups *groups, const char *key, const char *title)
{
	size_t count = summaries_column_count(view, GROUP_COLUMNS);
	struct column *own = summaries_make_columns(view, columns, count, groups);
	struct table *table;
	int err = own ? 0 : -ENOMEM;

	if (err)
		return err;
	table = report_add_table(report, own, count);
	table->key = key;
	table->title = title;
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = GROUP_NAME;
	for (size_t i = 0; i < groups->list.row_count && !err; i++)
		if (!is_empty(&groups->list.rows[i].counts))
			err = add_row(view, groups, i, table);
	return err;
}

int summaries_add_sites(struct report *report, struct summaries_view *view)
{
	return add_table(report, view, &view->groups, "sites", "Code that allocates");
}

int summaries_add_caches(struct report *report, struct summaries_view *view)
{
	return add_table(report, view, &view->by_cache, "caches", "Slab caches");
}
