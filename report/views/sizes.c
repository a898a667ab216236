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

enum size_column {
	SIZE_CACHE,
	SIZE_CLASS,
	SIZE_FROM,
	SIZE_TO,
	SIZE_OBJECTS,
	SIZE_REQUESTED,
	SIZE_ALLOCATED,
	SIZE_WASTE,
	SIZE_WASTE_PERCENT,
	SIZE_PEAK_OBJECTS,
	SIZE_PEAK_WASTE,
	SIZE_LIVE_WASTE,
	SIZE_BAR,
	SIZE_BOUND,
	SIZE_COLUMNS
};

static const struct column columns[SIZE_COLUMNS] = {
	[SIZE_CACHE] = { "cache", "class", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "the size class of kmalloc(): a slab cache, or whole pages (kmalloc-large)" },
	[SIZE_CLASS] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SIZE_FROM] = { "from_bytes", "from", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[SIZE_TO] = { "to_bytes", "to", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS,
		      "range of requested sizes, both ends included" },
	[SIZE_OBJECTS] = { "objects", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "allocations that succeeded" },
	[SIZE_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_ALWAYS, "bytes that these allocations requested" },
	[SIZE_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			     COLUMN_NOT_IN_TEXT, NULL },
	[SIZE_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "allocated - requested" },
	[SIZE_WASTE_PERCENT] = { "waste_percent", "waste", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
				 "waste / allocated; other views call it fragmentation" },
	[SIZE_PEAK_OBJECTS] = { "peak_objects", "peak", "objs", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
				"objects that were live at the peak of all live bytes" },
	[SIZE_PEAK_WASTE] = { "peak_waste", "peak", "waste", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
			      "bytes of them that were not requested" },
	[SIZE_LIVE_WASTE] = { "live_waste", "live", "waste", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
			      "the same of the objects that are live at the end" },
	[SIZE_BAR] = { "share", "share", "of class", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
	[SIZE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
};

enum class_column {
	CLASS_CACHE,
	CLASS_SIZE,
	CLASS_PEAK_OBJECTS,
	CLASS_PEAK_BYTES,
	CLASS_PEAK_WASTE,
	CLASS_PEAK_PERCENT,
	CLASS_LIVE_WASTE,
	CLASS_OBJECTS,
	CLASS_REQUESTED,
	CLASS_ALLOCATED,
	CLASS_WASTE,
	CLASS_WASTE_PERCENT,
	CLASS_BOUND,
	CLASS_COLUMNS
};

static const struct column class_columns[CLASS_COLUMNS] = {
	[CLASS_CACHE] = { "cache", "class", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the size class of kmalloc(): a slab cache, or whole pages (kmalloc-large)" },
	[CLASS_SIZE] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS,
			 "bytes that one allocation occupies" },
	[CLASS_OBJECTS] = { "objects", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "allocations that succeeded" },
	[CLASS_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_IF_ROOM, "bytes that these allocations requested" },
	[CLASS_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_IF_ROOM, "bytes that these allocations occupy" },
	[CLASS_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			  "allocated - requested" },
	[CLASS_WASTE_PERCENT] = { "waste_percent", "waste", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
				  "waste / allocated; other views call it fragmentation" },
	[CLASS_PEAK_OBJECTS] = { "peak_objects", "peak", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				 "objects that were live at the peak of all live bytes" },
	[CLASS_PEAK_BYTES] = { "peak_bytes", "peak", "bytes", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
			       "bytes allocated to them" },
	[CLASS_PEAK_WASTE] = { "peak_waste", "peak", "waste", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			       "those of these bytes that were not requested" },
	[CLASS_PEAK_PERCENT] = { "peak_waste_percent", "peak", "%", COLUMN_DECIMAL, 1,
				 COLUMN_ALWAYS, "peak waste / peak bytes" },
	[CLASS_LIVE_WASTE] = { "live_waste", "live", "waste", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			       "the same of the objects that are live at the end" },
	[CLASS_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole * 100 : 0;
}

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
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[SIZE_CACHE].text = strdup(cache_name(report, class->cache));
	row[SIZE_CLASS].number = class->size;
	row[SIZE_FROM].number = from;
	row[SIZE_TO].number = to;
	row[SIZE_BOUND].truth = report->bounds.caches[class->cache];
	return row[SIZE_CACHE].text ? 0 : -ENOMEM;
}

static void add_to_range(const struct report *report, struct cell *row,
			 const struct size_request *request, uint64_t objects)
{
	bool knows_peak = report->analysis.peak_heap->is_known;

	row[SIZE_OBJECTS].number += request->flow.objects;
	row[SIZE_REQUESTED].number += request->flow.requested;
	row[SIZE_ALLOCATED].number += request->flow.allocated;
	row[SIZE_WASTE].number += heap_bytes_wasted(request->flow);
	row[SIZE_WASTE_PERCENT].decimal =
		percent(row[SIZE_WASTE].number, row[SIZE_ALLOCATED].number);
	row[SIZE_PEAK_OBJECTS].number =
		knows_peak ? row[SIZE_PEAK_OBJECTS].number + request->peak.objects : CELL_UNKNOWN;
	row[SIZE_PEAK_WASTE].number =
		knows_peak ? row[SIZE_PEAK_WASTE].number + heap_bytes_wasted(request->peak)
			   : CELL_UNKNOWN;
	row[SIZE_LIVE_WASTE].number += heap_bytes_wasted(request->live);
	row[SIZE_BAR].decimal = (double)row[SIZE_OBJECTS].number / (double)objects;
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
		add_to_range(report, table->cells + (table->rows - 1) * table->column_count,
			     request, objects);
	}
	return 0;
}

static int add_class(struct report *report, struct table *table, const struct size_class *class,
		     struct heap_bytes flow)
{
	bool knows_peak = report->analysis.peak_heap->is_known;
	struct cell *row = table_add(table);
	struct heap_bytes peak = { 0 };
	struct heap_waste waste = { 0 };

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < class->count; i++) {
		heap_bytes_add(&peak, class->requests[i].peak);
		waste.flow += heap_bytes_wasted(class->requests[i].flow);
		waste.live += heap_bytes_wasted(class->requests[i].live);
		waste.peak += heap_bytes_wasted(class->requests[i].peak);
	}
	row[CLASS_CACHE].text = strdup(cache_name(report, class->cache));
	row[CLASS_SIZE].number = class->size;
	row[CLASS_OBJECTS].number = flow.objects;
	row[CLASS_REQUESTED].number = flow.requested;
	row[CLASS_ALLOCATED].number = flow.allocated;
	row[CLASS_WASTE].number = waste.flow;
	row[CLASS_WASTE_PERCENT].decimal = percent(waste.flow, flow.allocated);
	row[CLASS_PEAK_OBJECTS].number = knows_peak ? peak.objects : CELL_UNKNOWN;
	row[CLASS_PEAK_BYTES].number = knows_peak ? peak.allocated : CELL_UNKNOWN;
	row[CLASS_PEAK_WASTE].number = knows_peak ? waste.peak : CELL_UNKNOWN;
	row[CLASS_PEAK_PERCENT].decimal = knows_peak ? percent(waste.peak, peak.allocated) : NAN;
	row[CLASS_LIVE_WASTE].number = waste.live;
	row[CLASS_BOUND].truth = report->bounds.caches[class->cache];
	return row[CLASS_CACHE].text ? 0 : -ENOMEM;
}

static int add_rows(struct report *report, const struct size_classes *classes, struct table *ranges,
		    struct table *table)
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

static int begin(struct report *report)
{
	struct heap_sizes *sizes = calloc(1, sizeof(*sizes));

	if (!sizes)
		return -ENOMEM;
	report->data = sizes;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ heap_sizes_on_transition, sizes };
	return heap_sizes_init(sizes);
}

static void end(struct report *report)
{
	if (!report->data)
		return;
	heap_sizes_deinit(report->data);
	free(report->data);
}

static int make(struct report *report)
{
	struct table *ranges = report_add_table(report, columns, SIZE_COLUMNS);
	struct table *table = report_add_table(report, class_columns, CLASS_COLUMNS);
	struct size_classes classes;
	int err;

	ranges->key = "sizes";
	ranges->title = "Requested sizes in each size class";
	ranges->empty = "No kmalloc() was recorded.";
	ranges->sort = "size,cache,from_bytes";
	ranges->tiebreak = SIZE_FROM;
	table->key = "classes";
	table->title = "Waste in each size class";
	table->empty = ranges->empty;
	table->sort = "peak_waste,bytes_wasted,objects";
	table->tiebreak = CLASS_CACHE;
	table->leads = true;
	err = heap_sizes_add_heap(report->data, &report->analysis);
	if (!err)
		err = size_classes_init(&classes, &report->analysis, report->data);
	if (err)
		return err;
	err = add_rows(report, &classes, ranges, table);
	if (!err)
		err = class_sites_table(report, &classes);
	size_classes_deinit(&classes);
	return err;
}

const struct view view_sizes = {
	.name = "sizes",
	.needs_all = "looks at each allocation",
	.summary = "waste in each kmalloc() size class: by whom, and what would help",
	.columns = columns,
	.column_count = SIZE_COLUMNS,
	.rows = VIEW_ALL_ROWS,
	.peak_heap = true,
	.begin = begin,
	.make = make,
	.end = end,
};
