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

static const struct column_choice columns[] = {
	{ .name = COLUMN_cache,
	  .legend =
		  "the slab cache; caches that the kernel merged share one line of /proc/slabinfo, and one name" },
	{ .name = COLUMN_size, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_growth_objects },
	{ .name = COLUMN_allocations,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "allocations that succeeded, between the two readings" },
	{ .name = COLUMN_frees,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "frees between the two readings, also of objects from before" },
	{ .name = COLUMN_observed_objects },
	{ .name = COLUMN_missed_frees,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend =
		  "frees in this time that were not recorded: the address was allocated again while the object was live, or the slab allocator had the object free at the end. They are not in observed" },
	{ .name = COLUMN_difference_objects },
	{ .name = COLUMN_error_low },
	{ .name = COLUMN_error_high },
	{ .name = COLUMN_unobserved_objects },
	{ .name = COLUMN_unobserved_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* SLAB_GROWTH_UNKNOWN is CHANGE_UNKNOWN. */
_Static_assert(SLAB_GROWTH_UNKNOWN == CHANGE_UNKNOWN, "unknown numbers are unknown cells");

static int begin_slabinfo(struct report *report)
{
	if (!report->settings.select)
		return 0;
	return error_format(
		&report->error, -EINVAL,
		"%s: /proc/slabinfo was read at the begin and at the end, and counts all objects: use the view slabinfo without filters and --time",
		report->capture->path);
}

static int64_t find_unobserved_bytes(const struct slab_growth_cache *cache)
{
	int64_t bytes;

	if (cache->unobserved == SLAB_GROWTH_UNKNOWN || (!cache->size && cache->unobserved) ||
	    __builtin_mul_overflow(cache->unobserved, (int64_t)cache->size, &bytes))
		return CHANGE_UNKNOWN;
	return bytes;
}

static int add_slabinfo_row(struct table *table, const struct slab_growth_cache *cache)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup(cache->name);
	table_cell(table, COLUMN_size)->number = cache->size ? cache->size : CELL_UNKNOWN;
	table_cell(table, COLUMN_growth_objects)->change = cache->growth;
	table_cell(table, COLUMN_allocations)->number = cache->allocations;
	table_cell(table, COLUMN_frees)->number = cache->frees;
	table_cell(table, COLUMN_observed_objects)->change = cache->observed;
	table_cell(table, COLUMN_missed_frees)->number = cache->missed_frees;
	table_cell(table, COLUMN_difference_objects)->change = cache->difference;
	table_cell(table, COLUMN_error_low)->change = cache->low;
	table_cell(table, COLUMN_error_high)->change = cache->high;
	table_cell(table, COLUMN_unobserved_objects)->change = cache->unobserved;
	table_cell(table, COLUMN_unobserved_bytes)->change = find_unobserved_bytes(cache);
	return table_cell(table, COLUMN_cache)->text ? 0 : -ENOMEM;
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

static int make_slabinfo(struct report *report)
{
	struct table *table = report_add_table(report, columns);
	const struct slab_growth *growth = &report->growth;
	int err = 0;

	table->key = "slabinfo";
	table->empty = why_empty(growth->state);
	table->sort = "unobserved_objects,difference_objects,growth_objects";
	table->tiebreak = table_column(table, COLUMN_cache);
	for (size_t i = 0; i < growth->count && !err; i++) {
		const struct slab_growth_cache *cache = &growth->list[i];

		if (cache->growth || cache->allocations || cache->frees)
			err = add_slabinfo_row(table, cache);
	}
	return err;
}

const struct view view_slabinfo = {
	.name = "slabinfo",
	.needs_all = "compares all events with /proc/slabinfo",
	.summary = "growth of each cache: /proc/slabinfo and the events compared",
	.columns = columns,
	.begin = begin_slabinfo,
	.make = make_slabinfo,
};
