// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* On CPUs of which NUMA node is allocated, on which freed, and what goes from one to another. */
#include "config.h"

#include "report/views/cross_free_tables.h"

static const struct column columns[DOMAIN_COLUMNS] = {
	[DOMAIN_NUMBER] = { "node", "node", "", COLUMN_ID, 0, COLUMN_ALWAYS,
			    "the NUMA node of CPUs; -: that of CPUs whose node is not known, as if "
			    "it "
			    "were another. Where an object's memory lies is not recorded" },
	[DOMAIN_OTHER] = { "cpus", "cpus", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "CPUs of the node in the capture" },
	[DOMAIN_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "allocations on them that succeeded" },
	[DOMAIN_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			    "allocations on them that gave no memory" },
	[DOMAIN_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "used up by those that succeeded" },
	[DOMAIN_REMOTE_NODE] = { "other_node_requests", "asked for", "elsewhere", COLUMN_ID, 0,
				 COLUMN_ALWAYS,
				 "allocations that asked for another node than the CPU's own" },
	[DOMAIN_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "frees on these CPUs, wherever the object was allocated" },
	[DOMAIN_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS,
			       "of them those of objects allocated before the capture or unseen" },
	[DOMAIN_OF_OTHERS] = { "frees_of_other_nodes", "frees of", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "of the frees those of other nodes' objects" },
	[DOMAIN_BY_OTHERS] = { "freed_by_other_nodes", "freed by", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "objects allocated here that another node freed" },
};

static const struct column pair_columns[PAIR_COLUMNS] = {
	[PAIR_FROM] = { "alloc_node", "alloc", "node", COLUMN_ID, 0, COLUMN_ALWAYS,
			"of the CPU that allocated the objects" },
	[PAIR_TO] = { "free_node", "free", "node", COLUMN_ID, 0, COLUMN_ALWAYS,
		      "of the CPU that freed them" },
	[PAIR_FREES] = { "frees", "objects", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "that were allocated in the window and freed" },
	[PAIR_BYTES] = { "bytes", "bytes", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "allocated to them" },
	[PAIR_PERCENT] = { "percent", "share", "%", COLUMN_DECIMAL, 2, COLUMN_ALWAYS,
			   "of all objects that were freed" },
};

static const struct column migrating_columns[MIGRATING_COLUMNS] = {
	[MIGRATING_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			     "the kernel code that allocated: symbol+offset/size [module]" },
	[MIGRATING_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[MIGRATING_FREES] = { "frees", "freed", "objects", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			      "objects of the site that were freed" },
	[MIGRATING_CROSS_FREES] = { "cross_node_frees", "x-node", "frees", COLUMN_NUMBER, 0,
				    COLUMN_ALWAYS,
				    "cross-node frees: on another node's CPU than the allocation" },
	[MIGRATING_PERCENT] = { "cross_node_percent", "x-node", "%", COLUMN_DECIMAL, 1,
				COLUMN_ALWAYS, "of the site's freed objects" },
	[MIGRATING_BYTES] = { "cross_node_bytes", "x-node", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_ALWAYS, "allocated to the objects that crossed" },
};

static int make(struct report *report)
{
	static const struct cross_free_text text = {
		.pairs = pair_columns,
		.migrating = migrating_columns,
		.title = "Nodes",
		.pairs_title = "From the node that allocates to the node that frees",
		.pairs_sort = "frees,alloc_node,free_node",
		.migrating_sort = "cross_node_frees,cross_node_bytes",
		.no_migrating = "No object was freed on a CPU of another node.",
	};

	return cross_free_make(report, &text);
}

const struct view view_nodes = {
	.name = "nodes",
	.summary = "the same by NUMA node, and what was asked of other nodes",
	.columns = columns,
	.column_count = DOMAIN_COLUMNS,
	.by = GROUP_BY_SITE,
	.begin = cross_free_begin_nodes,
	.make = make,
	.end = cross_free_end,
};
