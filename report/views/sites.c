// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view sites: allocations, frees and lifetimes by call site, or by the group of --by. */
#include "config.h"

#include <errno.h>

#include "report/views/estimate_columns.h"
#include "report/views/row_names.h"
#include "report/views/view.h"

enum site_column {
	SITE_NAME,
	SITE_ADDRESS,
	SITE_ALLOCATIONS,
	SITE_FREES,
	SITE_MISSED,
	SITE_FAILED,
	SITE_REQUESTED,
	SITE_ALLOCATED,
	SITE_FRAGMENTATION,
	SITE_WASTE,
	SITE_INITIAL_OBJECTS,
	SITE_INITIAL_BYTES,
	SITE_LIVE_OBJECTS,
	SITE_LIVE_BYTES,
	SITE_CROSS_CPU,
	SITE_PEAK,
	SITE_PEAK_WASTE,
	SITE_LIVE_WASTE,
	SITE_TEMPORARY,
	SITE_P50,
	SITE_P99,
	SITE_COVERAGE,
	SITE_BOUND,
	SITE_COLUMNS
};

_Static_assert(SITE_COLUMNS == SITES_COLUMNS, "the size that view.h declares");
_Static_assert(SITE_COLUMNS + ESTIMATE_COLUMNS == SITES_COLUMNS_ALL, "the same");

const struct column sites_columns[SITES_COLUMNS_ALL] = {
	[SITE_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[SITE_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SITE_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			       "allocations that succeeded" },
	[SITE_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "frees of these objects, on any CPU" },
	[SITE_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0, COLUMN_BELOW,
			  "frees that were not recorded: the address was allocated again while the object was live" },
	[SITE_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_BELOW,
			  "allocations that failed" },
	[SITE_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_NOT_IN_TEXT,
			     "bytes requested; for an object of a slab cache, the object size of the cache" },
	[SITE_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_ALWAYS,
			     "bytes occupied: the kmalloc() size class, or in a slab cache the bytes from the start of one object to the start of the next" },
	[SITE_FRAGMENTATION] = { "fragmentation_percent", "frag", "%", COLUMN_DECIMAL, 1,
				 COLUMN_ALWAYS, "fragmentation: waste / allocated" },
	[SITE_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			 "allocated - requested, of all allocations; 0 of one that got less than it requested" },
	[SITE_INITIAL_OBJECTS] = { "initial_objects", "initial", "objs", COLUMN_NUMBER, 0,
				   COLUMN_IN_TEXT_IF_USED,
				   "objects that were live at the begin, by the checkpoint" },
	[SITE_INITIAL_BYTES] = { "initial_bytes", "initial", "bytes", COLUMN_NUMBER, 0,
				 COLUMN_IN_TEXT_IF_USED, "bytes allocated to these objects" },
	[SITE_LIVE_OBJECTS] = { "live_objects", "live", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				"objects with no recorded free by the end" },
	[SITE_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			      "bytes allocated to the live objects" },
	[SITE_CROSS_CPU] = { "cross_cpu_frees", "x-cpu", "frees", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			     "cross-CPU frees: on another CPU than the allocation" },
	[SITE_PEAK] = { "peak_bytes", "max", "bytes", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			"maximum: the most bytes of this row that were live at one time; the peak, which is of all rows together, may be at another time" },
	[SITE_PEAK_WASTE] = { "peak_waste", "peak", "waste", COLUMN_NULLABLE, 0, COLUMN_IF_ROOM,
			      "bytes that were not requested, of the objects that were live at the peak of all live bytes" },
	[SITE_LIVE_WASTE] = { "live_waste", "live", "waste", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
			      "bytes of the live objects that were not requested" },
	[SITE_TEMPORARY] = { "temporary", "temp", "", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			     "temporary objects: freed by the task that allocated them, on the same CPU, with no other allocation on this CPU in between" },
	[SITE_P50] = { "lifetime_p50_ns", "life", "p50", COLUMN_DURATION, 0, COLUMN_ALWAYS,
		       "median lifetime of the freed objects, to within 12.5 %" },
	[SITE_P99] = { "lifetime_p99_ns", "life", "p99", COLUMN_DURATION, 0, COLUMN_ALWAYS,
		       "99 % of the freed objects lived no longer than this, to within 12.5 %" },
	[SITE_COVERAGE] = { "coverage_percent", "coverage", "%", COLUMN_DECIMAL, 1,
			    COLUMN_BELOW_IF_PART,
			    "frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed" },
	[SITE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
	ESTIMATE_COLUMN_ROWS(SITE_COLUMNS, "number of allocated bytes"),
};

/* The coverage of the cache of its objects; of several caches, that of its own frees. */
static double coverage(const struct analysis *analysis, const struct group *group)
{
	const struct analysis_cache *cache;

	if (group->cache >= analysis->cache_count)
		return analysis_coverage(group->frees, group->missed_frees);
	cache = &analysis->caches[group->cache];
	return analysis_coverage(cache->frees, cache->missed_frees);
}

static uint64_t lifetime(const struct analysis *analysis, const struct group *group, double percent)
{
	return group->lifetimes
		       ? lifetimes_percentile(group->lifetimes, percent,
					      analysis->window_end - analysis->window_begin)
		       : CELL_UNKNOWN;
}

static void set_intervals(const struct report *report, const struct group *group,
			  struct cell *cells)
{
	const struct estimate_figures figures = { group->allocations, group->bytes_allocated,
						  group->live_objects, group->live_bytes, false };
	struct variance variance;

	if (!report->analysis.estimates)
		return;
	variance = estimates_of_group(report->analysis.estimates,
				      (size_t)(group - report->analysis.groups));
	estimate_set_cells(report, cells, &figures, &variance);
}

static int add_row(struct report *report, struct table *table, const struct group *group)
{
	const struct select *select = report->settings.select;
	/* with --older the analysis reports an object when it ends: the peak is not known */
	bool knows_peak = !select || !select->older;
	const struct heap_waste *waste = &report->wastes.groups[group - report->analysis.groups];
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[SITE_NAME].text = group_name(report, group);
	row[SITE_ADDRESS].number = group_number(report, group);
	row[SITE_ALLOCATIONS].number = group->allocations;
	row[SITE_FREES].number = group->frees;
	row[SITE_MISSED].number = group->missed_frees;
	row[SITE_FAILED].number = group->failed;
	row[SITE_REQUESTED].number = group->bytes_requested;
	row[SITE_ALLOCATED].number = group->bytes_allocated;
	row[SITE_FRAGMENTATION].decimal =
		analysis_fragmentation(waste->flow, group->bytes_allocated);
	row[SITE_WASTE].number = waste->flow;
	row[SITE_INITIAL_OBJECTS].number = group->initial_objects;
	row[SITE_INITIAL_BYTES].number = group->initial_bytes;
	row[SITE_LIVE_OBJECTS].number = group->live_objects;
	row[SITE_LIVE_BYTES].number = group->live_bytes;
	row[SITE_LIVE_WASTE].number = waste->live;
	row[SITE_CROSS_CPU].number = group->cross_cpu_frees;
	row[SITE_PEAK].number = knows_peak ? group->peak_bytes : CELL_UNKNOWN;
	row[SITE_PEAK_WASTE].number = knows_peak ? waste->peak : CELL_UNKNOWN;
	/* a profile does not know the allocations between */
	row[SITE_TEMPORARY].number = report->capture->status.sampling.is_profile ? CELL_UNKNOWN
										 : group->temporary;
	row[SITE_P50].number = lifetime(&report->analysis, group, 50);
	row[SITE_P99].number = lifetime(&report->analysis, group, 99);
	row[SITE_BOUND].truth = report->bounds.groups[group - report->analysis.groups];
	row[SITE_COVERAGE].decimal = coverage(&report->analysis, group);
	set_intervals(report, group, &row[SITE_COLUMNS]);
	return row[SITE_NAME].text ? 0 : -ENOMEM;
}

int sites_table(struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;
	int err = 0;

	table->key = "sites";
	table->title = "Call sites";
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = SITE_ADDRESS;
	for (size_t i = 0; i < analysis->group_count && !err; i++)
		if (!group_is_empty(&analysis->groups[i]))
			err = add_row(report, table, &analysis->groups[i]);
	return err;
}

static int make(struct report *report)
{
	return sites_table(report, report_add_table(report, sites_columns,
						    estimate_column_count(report, SITES_COLUMNS)));
}

const struct view view_sites = {
	.name = "sites",
	.summary = "allocations by call site, or by the group of --by",
	.columns = sites_columns,
	.column_count = SITES_COLUMNS,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.peak_heap = true,
	.has_intervals = true,
	.make = make,
};
