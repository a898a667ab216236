// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view slabinfo: how much each slab cache grew by /proc/slabinfo, how much by its events, and
 * the objects that only unobserved paths explain.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/views/view.h"

enum slab_column {
	SLAB_NAME,
	SLAB_SIZE,
	SLAB_GROWTH,
	SLAB_ALLOCATIONS,
	SLAB_FREES,
	SLAB_OBSERVED,
	SLAB_MISSED,
	SLAB_DIFFERENCE,
	SLAB_LOW,
	SLAB_HIGH,
	SLAB_UNOBSERVED,
	SLAB_UNOBSERVED_BYTES,
	SLAB_COLUMNS
};

static const struct column columns[SLAB_COLUMNS] = {
	[SLAB_NAME] = { "cache", "cache", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the slab cache; caches that the kernel merged share one line of /proc/slabinfo, and one name" },
	[SLAB_SIZE] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SLAB_GROWTH] = { "growth_objects", "growth", "objs", COLUMN_CHANGE, 0, COLUMN_ALWAYS,
			  "active objects in /proc/slabinfo: those at the end - those at the begin of the capture" },
	[SLAB_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			       NULL },
	[SLAB_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SLAB_OBSERVED] = { "observed_objects", "observed", "objs", COLUMN_CHANGE, 0, COLUMN_ALWAYS,
			    "recorded allocations - recorded frees between these two readings, of all tasks, kmemtraced too, and of objects from before" },
	[SLAB_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0,
			  COLUMN_IN_TEXT_IF_USED,
			  "frees in this time that were not recorded: the address was allocated again while the object was live. They are not in observed" },
	[SLAB_DIFFERENCE] = { "difference_objects", "differ", "objs", COLUMN_CHANGE, 0,
			      COLUMN_ALWAYS, "difference: growth - observed" },
	[SLAB_LOW] = { "error_low", "error", "from", COLUMN_CHANGE, 0, COLUMN_ALWAYS, NULL },
	[SLAB_HIGH] = { "error_high", "error", "to", COLUMN_CHANGE, 0, COLUMN_ALWAYS,
			"a difference between these two needs no unobserved event: /proc/slabinfo counts free objects that a CPU or node holds (slabs, partial slabs, sheaves) as active; events while it was read, lost and skipped events, and a kfree() of an older object, which names no cache, count too" },
	[SLAB_UNOBSERVED] = { "unobserved_objects", "unobserved", "objs", COLUMN_CHANGE, 0,
			      COLUMN_ALWAYS,
			      "the difference if the error does not explain it, else 0: + allocations, - frees on unobserved paths. If both were not observed, there were more of each" },
	[SLAB_UNOBSERVED_BYTES] = { "unobserved_bytes", "unobserved", "bytes", COLUMN_CHANGE, 0,
				    COLUMN_NOT_IN_TEXT, NULL },
};

/* SLAB_GROWTH_UNKNOWN is CHANGE_UNKNOWN. */
_Static_assert(SLAB_GROWTH_UNKNOWN == CHANGE_UNKNOWN, "unknown numbers are unknown cells");

static int begin(struct report *report)
{
	if (!report->settings.select)
		return 0;
	snprintf(
		report->errmsg, sizeof(report->errmsg),
		"%s: /proc/slabinfo was read at the begin and at the end, and counts all objects: use the view slabinfo without filters and --time",
		report->capture->path);
	return -EINVAL;
}

static int64_t bytes(const struct slab_growth_cache *cache)
{
	int64_t bytes;

	if (cache->unobserved == SLAB_GROWTH_UNKNOWN || (!cache->size && cache->unobserved) ||
	    __builtin_mul_overflow(cache->unobserved, (int64_t)cache->size, &bytes))
		return CHANGE_UNKNOWN;
	return bytes;
}

static int add_row(struct table *table, const struct slab_growth_cache *cache)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[SLAB_NAME].text = strdup(cache->name);
	row[SLAB_SIZE].number = cache->size ? cache->size : CELL_UNKNOWN;
	row[SLAB_GROWTH].change = cache->growth;
	row[SLAB_ALLOCATIONS].number = cache->allocations;
	row[SLAB_FREES].number = cache->frees;
	row[SLAB_OBSERVED].change = cache->observed;
	row[SLAB_MISSED].number = cache->missed_frees;
	row[SLAB_DIFFERENCE].change = cache->difference;
	row[SLAB_LOW].change = cache->low;
	row[SLAB_HIGH].change = cache->high;
	row[SLAB_UNOBSERVED].change = cache->unobserved;
	row[SLAB_UNOBSERVED_BYTES].change = bytes(cache);
	return row[SLAB_NAME].text ? 0 : -ENOMEM;
}

static const char *why_empty(enum slab_growth_state state)
{
	switch (state) {
	case SLAB_GROWTH_FILTERED:
		return "Only some processes were traced; /proc/slabinfo counts the objects of all.";
	case SLAB_GROWTH_NO_NUMBERS:
		return "The capture does not have two readings of /proc/slabinfo.";
	case SLAB_GROWTH_COMPARED:
	case SLAB_GROWTH_SELECTED:
		break;
	}
	return "No slab cache grew, shrank or had an event.";
}

static int make(struct report *report)
{
	struct table *table = report_add_table(report, columns, SLAB_COLUMNS);
	const struct slab_growth *growth = &report->growth;
	int err = 0;

	table->key = "slabinfo";
	table->empty = why_empty(growth->state);
	table->sort = "unobserved_objects,difference_objects,growth_objects";
	table->tiebreak = SLAB_NAME;
	for (size_t i = 0; i < growth->count && !err; i++) {
		const struct slab_growth_cache *cache = &growth->list[i];

		if (cache->growth || cache->allocations || cache->frees)
			err = add_row(table, cache);
	}
	return err;
}

const struct view view_slabinfo = {
	.name = "slabinfo",
	.needs_all = "compares all events with /proc/slabinfo",
	.summary = "growth of each cache: /proc/slabinfo and the events compared",
	.columns = columns,
	.column_count = SLAB_COLUMNS,
	.begin = begin,
	.make = make,
};
