// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view sizes: the bytes that each size class of kmalloc() wastes, and a histogram of the
 * requested sizes in each class, of up to eight ranges of equal width.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/row_names.h"
#include "report/views/size_classes.h"

#define RANGES 8 /* of a class, at most */

static const struct column_choice columns[] = {
	{ .name = COLUMN_cache,
	  .header = "class",
	  .legend = "the size class of kmalloc(): a slab cache, or whole pages (kmalloc-large)" },
	{ .name = COLUMN_size,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "bytes that an object of the class can hold" },
	{ .name = COLUMN_from_bytes },
	{ .name = COLUMN_to_bytes },
	{ .name = COLUMN_objects },
	{ .name = COLUMN_bytes_requested },
	{ .name = COLUMN_bytes_allocated, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_wasted },
	{ .name = COLUMN_waste_percent },
	{ .name = COLUMN_peak_objects, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_peak_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_live_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_share },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const struct column_choice class_columns[] = {
	{ .name = COLUMN_cache,
	  .header = "class",
	  .legend = "the size class of kmalloc(): a slab cache, or whole pages (kmalloc-large)" },
	{ .name = COLUMN_size, .legend = "bytes that an object of the class can hold" },
	{ .name = COLUMN_peak_objects },
	{ .name = COLUMN_peak_bytes,
	  .where = COLUMN_IF_ROOM,
	  .header = "peak",
	  .type = COLUMN_LIVE,
	  .legend = "bytes allocated to the objects that were live at the peak" },
	{ .name = COLUMN_peak_waste },
	{ .name = COLUMN_peak_waste_percent },
	{ .name = COLUMN_live_waste },
	{ .name = COLUMN_objects },
	{ .name = COLUMN_bytes_requested, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_bytes_allocated, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_bytes_wasted },
	{ .name = COLUMN_waste_percent },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The classes are powers of two, and 96 and 192. */
static uint64_t class_below(uint64_t size)
{
	uint64_t power = 8;

	if (size <= 8)
		return 0;
	if (size > 64 && size <= 96)
		return 64;
	if (size > 128 && size <= 192)
		return 128;
	if (size == 128 || size == 256)
		return size / 4 * 3;
	while (power * 2 < size)
		power *= 2;
	return power;
}

static int begin_range(struct report *report, struct table *table, const struct size_class *class,
		       uint64_t from, uint64_t to)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup(cache_name(report, class->cache));
	table_cell(table, COLUMN_size)->number = class->size;
	table_cell(table, COLUMN_from_bytes)->number = from;
	table_cell(table, COLUMN_to_bytes)->number = to;
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.caches[class->cache];
	return table_cell(table, COLUMN_cache)->text ? 0 : -ENOMEM;
}

static void add_to_range(const struct report *report, struct table *table,
			 const struct size_request *request, uint64_t objects)
{
	bool knows_peak = report->analysis.peak_heap->is_known;

	table_cell(table, COLUMN_objects)->number += request->flow.objects;
	table_cell(table, COLUMN_bytes_requested)->number += request->flow.requested;
	table_cell(table, COLUMN_bytes_allocated)->number += request->flow.allocated;
	table_cell(table, COLUMN_bytes_wasted)->number += heap_bytes_wasted(request->flow);
	table_cell(table, COLUMN_waste_percent)->decimal =
		table_percent(table_cell(table, COLUMN_bytes_wasted)->number,
			      table_cell(table, COLUMN_bytes_allocated)->number);
	table_cell(table, COLUMN_peak_objects)->number =
		knows_peak ? table_cell(table, COLUMN_peak_objects)->number + request->peak.objects
			   : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste)->number =
		knows_peak ? table_cell(table, COLUMN_peak_waste)->number +
				     heap_bytes_wasted(request->peak)
			   : CELL_UNKNOWN;
	table_cell(table, COLUMN_live_waste)->number += heap_bytes_wasted(request->live);
	table_cell(table, COLUMN_share)->decimal =
		(double)table_cell(table, COLUMN_objects)->number / (double)objects;
}

/* A row for each range of the class that has allocations; objects: of the class. */
static int add_ranges(struct report *report, struct table *table, const struct size_class *class,
		      uint64_t objects)
{
	uint64_t first = class->requests[0].requested, below = class_below(class->size);
	uint64_t width, from, to = 0;
	bool begun = false;

	/* The smallest class of the kernel holds all smaller requests, too. */
	while (below && first <= below)
		below = class_below(below);
	width = class->size ? (class->size - below + RANGES - 1) / RANGES : 1;
	for (size_t i = 0; i < class->count; i++) {
		const struct size_request *request = &class->requests[i];
		uint64_t range;
		int err;

		if (!request->flow.objects)
			continue;
		if (!begun || request->requested > to) {
			range = request->requested > below
					? (request->requested - below - 1) / width
					: 0;
			from = below + range * width + 1;
			to = below + (range + 1) * width;
			err = begin_range(report, table, class, request->requested ? from : 0,
					  to < class->size || request->requested > class->size
						  ? to
						  : class->size);
			if (err)
				return err;
			begun = true;
		}
		add_to_range(report, table, request, objects);
	}
	return 0;
}

static int add_class(struct report *report, struct table *table, const struct size_class *class,
		     struct heap_bytes flow)
{
	bool knows_peak = report->analysis.peak_heap->is_known;
	struct heap_bytes peak = { 0 };
	struct heap_waste waste = { 0 };

	if (!table_add(table))
		return -ENOMEM;
	for (size_t i = 0; i < class->count; i++) {
		heap_bytes_add(&peak, class->requests[i].peak);
		waste.flow += heap_bytes_wasted(class->requests[i].flow);
		waste.live += heap_bytes_wasted(class->requests[i].live);
		waste.peak += heap_bytes_wasted(class->requests[i].peak);
	}
	table_cell(table, COLUMN_cache)->text = strdup(cache_name(report, class->cache));
	table_cell(table, COLUMN_size)->number = class->size;
	table_cell(table, COLUMN_objects)->number = flow.objects;
	table_cell(table, COLUMN_bytes_requested)->number = flow.requested;
	table_cell(table, COLUMN_bytes_allocated)->number = flow.allocated;
	table_cell(table, COLUMN_bytes_wasted)->number = waste.flow;
	table_cell(table, COLUMN_waste_percent)->decimal =
		table_percent(waste.flow, flow.allocated);
	table_cell(table, COLUMN_peak_objects)->number = knows_peak ? peak.objects : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_bytes)->number = knows_peak ? peak.allocated : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste)->number = knows_peak ? waste.peak : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste_percent)->decimal =
		knows_peak ? table_percent(waste.peak, peak.allocated) : NAN;
	table_cell(table, COLUMN_live_waste)->number = waste.live;
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.caches[class->cache];
	return table_cell(table, COLUMN_cache)->text ? 0 : -ENOMEM;
}

static int add_class_rows(struct report *report, const struct size_classes *classes,
			  struct table *ranges, struct table *table)
{
	int err = 0;

	for (size_t i = 0; i < classes->count && !err; i++) {
		const struct size_class *class = &classes->list[i];
		struct heap_bytes flow = { 0 };

		for (size_t k = 0; k < class->count; k++)
			heap_bytes_add(&flow, class->requests[k].flow);
		err = add_ranges(report, ranges, class, flow.objects);
		if (!err)
			err = add_class(report, table, class, flow);
	}
	return err;
}

static int begin_sizes(struct report *report)
{
	struct heap_sizes *sizes = calloc(1, sizeof(*sizes));

	if (!sizes)
		return -ENOMEM;
	report->data = sizes;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ heap_sizes_on_transition, sizes };
	return heap_sizes_init(sizes);
}

static void end_sizes(struct report *report)
{
	if (!report->data)
		return;
	heap_sizes_deinit(report->data);
	free(report->data);
}

static int make_sizes(struct report *report)
{
	struct table *ranges = report_add_table(report, columns);
	struct table *table = report_add_table(report, class_columns);
	struct size_classes classes;
	int err;

	ranges->key = "sizes";
	ranges->title = "Requested sizes in each size class";
	ranges->empty = "No kmalloc() was recorded.";
	ranges->sort = "size,cache,from_bytes";
	ranges->tiebreak = table_column(ranges, COLUMN_from_bytes);
	table->key = "classes";
	table->title = "Waste in each size class";
	table->empty = ranges->empty;
	table->sort = "peak_waste,bytes_wasted,objects";
	table->tiebreak = table_column(table, COLUMN_cache);
	table->leads = true;
	err = heap_sizes_add_heap(report->data, &report->analysis);
	if (!err)
		err = size_classes_init(&classes, &report->analysis, report->data);
	if (err)
		return err;
	err = add_class_rows(report, &classes, ranges, table);
	if (!err)
		err = class_sites_table(report, &classes);
	size_classes_deinit(&classes);
	return err;
}

const struct view view_sizes = {
	.name = "sizes",
	.needs_all = "looks at each allocation",
	.summary = "waste in each kmalloc() size class: by whom, and how to waste less",
	.columns = columns,
	.rows = VIEW_ALL_ROWS,
	.peak_heap = true,
	.begin = begin_sizes,
	.make = make_sizes,
	.end = end_sizes,
};
