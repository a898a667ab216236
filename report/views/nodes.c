// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view nodes: allocations and frees by NUMA node of the CPU, and cross-node frees. */
#include "config.h"

#include "report/views/cross_free_tables.h"

static const struct column columns[DOMAIN_COLUMNS] = {
	[DOMAIN_NUMBER] = { "node", "node", "", COLUMN_ID, 0, COLUMN_ALWAYS,
			    "NUMA node of the CPUs; - for all CPUs whose node is not known" },
	[DOMAIN_OTHER] = { "cpus", "cpus", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "CPUs of the node in the capture" },
	[DOMAIN_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "allocations on these CPUs that succeeded" },
	[DOMAIN_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			    "allocations on these CPUs that failed" },
	[DOMAIN_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "bytes that these allocations occupy" },
	[DOMAIN_REMOTE_NODE] = { "other_node_requests", "remote", "node", COLUMN_NULLABLE, 0,
				 COLUMN_ALWAYS,
				 "allocations that requested another node than the CPU's own" },
	[DOMAIN_OTHER_MEMORY] = { "other_node_memory", "x", "mem", COLUMN_NULLABLE, 0,
				  COLUMN_IN_TEXT_IF_USED,
				  "these allocations whose memory is of another node than the CPU's" },
	[DOMAIN_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "frees on these CPUs, of objects allocated on any CPU" },
	[DOMAIN_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS,
			       "frees of objects whose allocation was not recorded" },
	[DOMAIN_OF_OTHERS] = { "frees_of_other_nodes", "frees of", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS,
			       "frees on these CPUs of objects that another node allocated" },
	[DOMAIN_BY_OTHERS] = { "freed_by_other_nodes", "freed by", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS,
			       "objects allocated on these CPUs that another node freed" },
	[DOMAIN_FREES_OTHER_MEMORY] = { "frees_of_other_node_memory", "frees of", "remote",
					COLUMN_NULLABLE, 0, COLUMN_NOT_IN_TEXT, NULL },
};

static const struct column pair_columns[PAIR_COLUMNS] = {
	[PAIR_FROM] = { "alloc_node", "alloc", "node", COLUMN_ID, 0, COLUMN_ALWAYS,
			"the node of the CPU that allocated" },
	[PAIR_TO] = { "free_node", "free", "node", COLUMN_ID, 0, COLUMN_ALWAYS,
		      "the node of the CPU that freed" },
	[PAIR_FREES] = { "frees", "objects", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "objects allocated in the window and freed" },
	[PAIR_BYTES] = { "bytes", "bytes", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "bytes allocated to these objects" },
	[PAIR_PERCENT] = { "percent", "share", "%", COLUMN_DECIMAL, 2, COLUMN_ALWAYS,
			   "of all freed objects" },
};

static const struct column crossing_sites_columns[CROSSING_SITES_COLUMNS] = {
	[CROSSING_SITES_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
				  "the kernel code that allocated: symbol+offset/size [module]" },
	[CROSSING_SITES_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT,
				     NULL },
	[CROSSING_SITES_FREES] = { "frees", "freed", "objects", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				   "freed objects of the site" },
	[CROSSING_SITES_CROSS_FREES] = { "cross_node_frees", "x-node", "frees", COLUMN_NUMBER, 0,
					 COLUMN_ALWAYS,
					 "cross-node frees: on a CPU of another node than the allocation" },
	[CROSSING_SITES_PERCENT] = { "cross_node_percent", "x-node", "%", COLUMN_DECIMAL, 1,
				     COLUMN_ALWAYS, "of the freed objects of the site" },
	[CROSSING_SITES_BYTES] = { "cross_node_bytes", "x-node", "bytes", COLUMN_NUMBER, 0,
				   COLUMN_ALWAYS, "bytes allocated to the objects of these frees" },
};

static int make(struct report *report)
{
	static const struct cross_free_text text = {
		.pairs = pair_columns,
		.crossing_sites = crossing_sites_columns,
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
	.column_count = DOMAIN_COLUMNS,
	.by = GROUP_BY_SITE,
	.begin = cross_free_begin_nodes,
	.make = make,
	.end = cross_free_end,
};
