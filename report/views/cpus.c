// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view cpus: allocations and frees by CPU, and cross-CPU frees. */
#include "config.h"

#include "report/views/cross_free_tables.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_cpu },
	{ .name = COLUMN_node },
	{ .name = COLUMN_allocations, .legend = "allocations on the CPU that succeeded" },
	{ .name = COLUMN_failed, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_other_node_requests, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_other_node_memory, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_frees, .legend = "frees on the CPU, of objects allocated on any CPU" },
	{ .name = COLUMN_frees_unmatched },
	{ .name = COLUMN_frees_of_other_cpus },
	{ .name = COLUMN_freed_by_other_cpus },
	{ .name = COLUMN_frees_of_other_node_memory, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static int make_cpus(struct report *report)
{
	static const struct cross_free_text text = {
		.number = COLUMN_cpu,
		.other = COLUMN_node,
		.of_others = COLUMN_frees_of_other_cpus,
		.by_others = COLUMN_freed_by_other_cpus,
		.from = COLUMN_alloc_cpu,
		.to = COLUMN_free_cpu,
		.cross_frees = COLUMN_cross_cpu_frees,
		.cross_percent = COLUMN_cross_cpu_percent,
		.cross_bytes = COLUMN_cross_cpu_bytes,
		.title = "CPUs",
		.crossing_sites_title = "Call sites with the most cross-CPU frees",
		.pairs_title = "Frees by allocating CPU and freeing CPU",
		.pairs_sort = "frees,alloc_cpu,free_cpu",
		.crossing_sites_sort = "cross_cpu_frees,cross_cpu_bytes",
		.no_crossing_sites = "No cross-CPU free was recorded.",
	};

	return cross_free_make(report, &text);
}

const struct view view_cpus = {
	.name = "cpus",
	.needs_all = "follows each free",
	.summary = "allocations and frees by CPU, and cross-CPU frees",
	.columns = columns,
	.by = GROUP_BY_SITE,
	.begin = cross_free_begin_cpus,
	.make = make_cpus,
	.end = cross_free_end,
};
