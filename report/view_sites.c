// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of call sites: who allocates how much, and what became of it. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "report/view.h"

#define SITE_TEXT 512 /* bytes: symbols are shorter */

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
	SITE_LIVE_OBJECTS,
	SITE_LIVE_BYTES,
	SITE_CROSS_CPU,
	SITE_COLUMNS
};

static const struct column columns[SITE_COLUMNS] = {
	[SITE_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[SITE_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SITE_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			       "allocations that succeeded" },
	[SITE_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "frees of the objects that the site allocated, wherever freed" },
	[SITE_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0,
			  COLUMN_IN_TEXT_IF_USED, "freed unseen: the address was allocated again" },
	[SITE_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			  "allocations that gave no memory" },
	[SITE_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_ALWAYS,
			     "asked for; of a slab cache's object, the cache's object size" },
	[SITE_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_ALWAYS,
			     "used up; of a slab cache's object, its distance to the next" },
	[SITE_FRAGMENTATION] = { "fragmentation_percent", "frag", "%", COLUMN_DECIMAL, 1,
				 COLUMN_ALWAYS,
				 "fragmentation: (allocated - requested) / allocated" },
	[SITE_LIVE_OBJECTS] = { "live_objects", "live", "objects", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				"allocated in the capture and not seen freed by its end" },
	[SITE_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			      "bytes allocated to them" },
	[SITE_CROSS_CPU] = { "cross_cpu_frees", "x-cpu", "frees", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			     "cross-CPU frees: on another CPU than the allocation" },
};

int view_sites(struct table *table, const struct capture *capture, const struct analysis *analysis)
{
	char name[SITE_TEXT];

	table_init(table, columns, SITE_COLUMNS);
	table->key = "sites";
	table->empty = "No call site allocated anything.";
	table->sort = "bytes_allocated,allocations";
	table->tie = SITE_ADDRESS;
	for (size_t i = 0; i < analysis->site_count; i++) {
		const struct analysis_site *site = &analysis->sites[i];
		struct cell *row = table_add(table);

		if (!row)
			return -ENOMEM;
		row[SITE_NAME].text = strdup(symbols_text(&capture->symbols, site->address,
							  site->first_time, name, sizeof(name)));
		row[SITE_ADDRESS].number = site->address;
		row[SITE_ALLOCATIONS].number = site->allocations;
		row[SITE_FREES].number = site->frees;
		row[SITE_MISSED].number = site->missed_frees;
		row[SITE_FAILED].number = site->failed;
		row[SITE_REQUESTED].number = site->bytes_requested;
		row[SITE_ALLOCATED].number = site->bytes_allocated;
		row[SITE_FRAGMENTATION].decimal =
			analysis_fragmentation(site->bytes_requested, site->bytes_allocated);
		row[SITE_LIVE_OBJECTS].number = site->live_objects;
		row[SITE_LIVE_BYTES].number = site->live_bytes;
		row[SITE_CROSS_CPU].number = site->cross_cpu_frees;
		if (!row[SITE_NAME].text)
			return -ENOMEM;
	}
	return 0;
}
