// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view nodes: allocations and frees by NUMA node of the CPU, and cross-node frees. */
#include "config.h"

#include "report/views/cross_free_tables.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_node,
	  .legend = "NUMA node of the CPUs; - for all CPUs whose node is not known" },
	{ .name = COLUMN_cpus },
	{ .name = COLUMN_allocations, .legend = "allocations on these CPUs that succeeded" },
	{ .name = COLUMN_failed, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_other_node_requests },
	{ .name = COLUMN_other_node_memory, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_frees, .legend = "frees on these CPUs, of objects allocated on any CPU" },
	{ .name = COLUMN_frees_unmatched },
	{ .name = COLUMN_frees_of_other_nodes },
	{ .name = COLUMN_freed_by_other_nodes },
	{ .name = COLUMN_frees_of_other_node_memory, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static int make_nodes(struct report *report)
{
	static const struct cross_free_text text = {
		.number = COLUMN_node,
		.other = COLUMN_cpus,
		.of_others = COLUMN_frees_of_other_nodes,
		.by_others = COLUMN_freed_by_other_nodes,
		.from = COLUMN_alloc_node,
		.to = COLUMN_free_node,
		.cross_frees = COLUMN_cross_node_frees,
		.cross_percent = COLUMN_cross_node_percent,
		.cross_bytes = COLUMN_cross_node_bytes,
		.title = "Nodes",
		.crossing_sites_title = "Call sites with the most cross-node frees",
		.pairs_title = "Frees by allocating node and freeing node",
		.pairs_sort = "frees,alloc_node,free_node",
		.crossing_sites_sort = "cross_node_frees,cross_node_bytes",
		.no_crossing_sites = "No cross-node free was recorded.",
	};

	return cross_free_make(report, &text);
}

const struct view view_nodes = {
	.name = "nodes",
	.needs_all = "follows each free",
	.summary = "the same by NUMA node, and requests for remote nodes",
	.columns = columns,
	.by = GROUP_BY_SITE,
	.begin = cross_free_begin_nodes,
	.make = make_nodes,
	.end = cross_free_end,
};
