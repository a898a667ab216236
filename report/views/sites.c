// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view sites: allocations, frees and lifetimes by call site, or by the group of --by. */
#include "config.h"

#include <errno.h>

#include "report/views/estimate_columns.h"
#include "report/views/row_names.h"
#include "report/views/view.h"

const struct column_choice sites_columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_allocations },
	{ .name = COLUMN_frees },
	{ .name = COLUMN_missed_frees, .where = COLUMN_BELOW },
	{ .name = COLUMN_failed, .where = COLUMN_BELOW },
	{ .name = COLUMN_bytes_requested, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_fragmentation_percent },
	{ .name = COLUMN_bytes_wasted, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_initial_objects, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_initial_bytes, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_live_objects },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_cross_cpu_frees },
	{ .name = COLUMN_peak_bytes },
	{ .name = COLUMN_peak_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_live_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_temporary },
	{ .name = COLUMN_lifetime_p50_ns },
	{ .name = COLUMN_lifetime_p99_ns },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_BELOW_IF_PART },
	{ .name = COLUMN_reclaimable_bytes, .where = COLUMN_BELOW },
	{ .name = COLUMN_bookkeeping, .where = COLUMN_BELOW },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The coverage of the cache of its objects; of several caches, that of its own frees. */
static double find_group_coverage(const struct analysis *analysis, const struct group *group)
{
	const struct analysis_cache *cache;

	if (group->cache >= analysis->cache_count)
		return analysis_coverage(group->frees, group->missed_frees);
	cache = &analysis->caches[group->cache];
	return analysis_coverage(cache->frees, cache->missed_frees);
}

static uint64_t find_lifetime(const struct analysis *analysis, const struct group *group,
			      double percent)
{
	return group->lifetimes
		       ? lifetimes_percentile(group->lifetimes, percent,
					      analysis->window_end - analysis->window_begin)
		       : CELL_UNKNOWN;
}

static int add_site_row(struct report *report, struct table *table, const struct group *group)
{
	const struct select *select = report->settings.select;
	/* with --older the analysis reports an object when it ends: the peak is not known */
	bool knows_peak = !select || !select->older;
	size_t index = (size_t)(group - report->analysis.groups);
	const struct heap_waste *waste = &report->wastes.groups[index];
	const struct reclaim_sum *reclaim = &report->wastes.reclaims[index];

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_allocations)->number = group->allocations;
	table_cell(table, COLUMN_frees)->number = group->frees;
	table_cell(table, COLUMN_missed_frees)->number = group->missed_frees;
	table_cell(table, COLUMN_failed)->number = group->failed;
	table_cell(table, COLUMN_bytes_requested)->number = group->bytes_requested;
	table_cell(table, COLUMN_bytes_allocated)->number = group->bytes_allocated;
	table_cell(table, COLUMN_fragmentation_percent)->decimal =
		analysis_fragmentation(waste->flow, group->bytes_allocated);
	table_cell(table, COLUMN_bytes_wasted)->number = waste->flow;
	table_cell(table, COLUMN_initial_objects)->number = group->initial_objects;
	table_cell(table, COLUMN_initial_bytes)->number = group->initial_bytes;
	table_cell(table, COLUMN_live_objects)->number = group->live_objects;
	table_cell(table, COLUMN_live_bytes)->number = group->live_bytes;
	table_cell(table, COLUMN_live_waste)->number = waste->live;
	table_cell(table, COLUMN_reclaimable_bytes)->number =
		reclaim->unknown ? CELL_UNKNOWN : reclaim->reclaimable;
	table_cell(table, COLUMN_cross_cpu_frees)->number = group->cross_cpu_frees;
	table_cell(table, COLUMN_peak_bytes)->number = knows_peak ? group->peak_bytes
								  : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste)->number = knows_peak ? waste->peak : CELL_UNKNOWN;
	/* a profile does not know the allocations between */
	table_cell(table, COLUMN_temporary)->number =
		report->capture->status.sampling.is_profile ? CELL_UNKNOWN : group->temporary;
	table_cell(table, COLUMN_lifetime_p50_ns)->number =
		find_lifetime(&report->analysis, group, 50);
	table_cell(table, COLUMN_lifetime_p99_ns)->number =
		find_lifetime(&report->analysis, group, 99);
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.groups[index];
	table_cell(table, COLUMN_coverage_percent)->decimal =
		find_group_coverage(&report->analysis, group);
	table_cell(table, COLUMN_bookkeeping)->truth = group->is_bookkeeping;
	estimate_set_group(report, table, group, false);
	return table_cell(table, COLUMN_site)->text ? 0 : -ENOMEM;
}

int sites_table(struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;
	int err = 0;

	estimate_add_columns(report, table);
	table->key = "sites";
	table->title = "Call sites";
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = table_column(table, COLUMN_address);
	for (size_t i = 0; i < analysis->group_count && !err; i++)
		if (!group_is_empty(&analysis->groups[i]))
			err = add_site_row(report, table, &analysis->groups[i]);
	return err;
}

static int make_sites(struct report *report)
{
	return sites_table(report, report_add_table(report, sites_columns));
}

const struct view view_sites = {
	.name = "sites",
	.summary = "allocations by call site, or by the group of --by",
	.columns = sites_columns,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.peak_heap = true,
	.has_intervals = true,
	.make = make_sites,
};
