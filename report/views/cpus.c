// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which CPU allocates, which frees, and what goes from one to another. */
#include "config.h"

#include "report/views/cross_free_tables.h"

static const struct column columns[DOMAIN_COLUMNS] = {
	[DOMAIN_NUMBER] = { "cpu", "cpu", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[DOMAIN_OTHER] = { "node", "node", "", COLUMN_ID, 0, COLUMN_ALWAYS, "its NUMA node" },
	[DOMAIN_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "allocations on it that succeeded" },
	[DOMAIN_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			    "allocations on it that gave no memory" },
	[DOMAIN_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "used up by those that succeeded" },
	[DOMAIN_REMOTE_NODE] = { "other_node_requests", "asked for", "elsewhere", COLUMN_ID, 0,
				 COLUMN_IN_TEXT_IF_USED,
				 "allocations that asked for another node than the CPU's own" },
	[DOMAIN_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "frees on it, wherever the object was allocated" },
	[DOMAIN_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS,
			       "of them those of objects allocated before the capture or unseen" },
	[DOMAIN_OF_OTHERS] = { "frees_of_other_cpus", "frees of", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "of its frees those of other CPUs' objects" },
	[DOMAIN_BY_OTHERS] = { "freed_by_other_cpus", "freed by", "others", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "objects allocated on it that another CPU freed" },
};

static const struct column pair_columns[PAIR_COLUMNS] = {
	[PAIR_FROM] = { "alloc_cpu", "alloc", "cpu", COLUMN_ID, 0, COLUMN_ALWAYS,
			"that allocated the objects" },
	[PAIR_TO] = { "free_cpu", "free", "cpu", COLUMN_ID, 0, COLUMN_ALWAYS, "that freed them" },
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
	[MIGRATING_CROSS_FREES] = { "cross_cpu_frees", "x-cpu", "frees", COLUMN_NUMBER, 0,
				    COLUMN_ALWAYS,
				    "cross-CPU frees: on another CPU than the allocation" },
	[MIGRATING_PERCENT] = { "cross_cpu_percent", "x-cpu", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
				"of the site's freed objects" },
	[MIGRATING_BYTES] = { "cross_cpu_bytes", "x-cpu", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			      "allocated to the objects that crossed" },
};

static int make(struct report *report)
{
	static const struct cross_free_text text = {
		.pairs = pair_columns,
		.migrating = migrating_columns,
		.title = "CPUs",
		.pairs_title = "From the CPU that allocates to the CPU that frees",
		.pairs_sort = "frees,alloc_cpu,free_cpu",
		.migrating_sort = "cross_cpu_frees,cross_cpu_bytes",
		.no_migrating = "No object was freed on another CPU.",
	};

	return cross_free_make(report, &text);
}

const struct view view_cpus = {
	.name = "cpus",
	.summary = "which CPU allocates, which frees, and what crosses",
	.columns = columns,
	.column_count = DOMAIN_COLUMNS,
	.by = GROUP_BY_SITE,
	.begin = cross_free_begin_cpus,
	.make = make,
	.end = cross_free_end,
};
