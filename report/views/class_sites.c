// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The call sites behind the waste of each size class of kmalloc(), and what would waste less: fewer
 * bytes, if the next smaller class is near, or a slab cache for objects of this size.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "report/render/column_layout.h"
#include "report/views/kmalloc_classes.h"
#include "report/views/row_names.h"
#include "report/views/size_classes.h"

#define TEXT_ROWS 10
#define NEAR 4		     /* a class is near if requests are larger by at most 1 / NEAR */
#define OBJECT_ALIGNMENT 8   /* bytes: of a slab cache's objects */
#define PAGE_SIZE_LEAST 4096 /* a slab cache that saves less than a page is not worth it */

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_cache,
	  .header = "class",
	  .legend = "the size class of kmalloc(): a slab cache, or whole pages (kmalloc-large)" },
	{ .name = COLUMN_size,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "bytes that an object of the class can hold" },
	{ .name = COLUMN_from_bytes },
	{ .name = COLUMN_to_bytes },
	{ .name = COLUMN_peak_objects },
	{ .name = COLUMN_peak_bytes,
	  .where = COLUMN_IF_ROOM,
	  .header = "peak",
	  .type = COLUMN_LIVE,
	  .legend = "bytes allocated to the objects that were live at the peak" },
	{ .name = COLUMN_peak_waste },
	{ .name = COLUMN_live_waste },
	{ .name = COLUMN_bytes_wasted, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_less_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_fits, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_saves_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_advice, .where = COLUMN_BELOW },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The objects of one call site in a class. */
struct class_site {
	const struct size_request *requests; /* by requested size */
	size_t count;
	uint32_t from, to; /* bytes requested */
	struct heap_bytes peak;
	uint64_t flow_waste, live_waste, peak_waste;
	/* fewer bytes that fit the next smaller class; 0: none is near */
	uint64_t less, saves, saves_waste; /* waste: part of the saving */
	/* the same of all allocations, if none of them was live at the peak */
	uint64_t flow_less, flow_saves, flow_saves_waste;
	uint64_t own_cache_saves; /* by a slab cache for objects of this size */
};

/* Where the peak is not known, the live heap at the end stands for it. */
static struct heap_bytes choose_heap_bytes(const struct report *report,
					   const struct size_request *request)
{
	return report->analysis.peak_heap->is_known ? request->peak : request->live;
}

/* A request of this size, with less bytes, fits the class below. */
static void take_smaller(struct class_site *site, const struct size_class *class,
			 const struct kmalloc_class *below, const struct size_request *request,
			 struct heap_bytes held)
{
	uint64_t less = request->requested - below->size;

	if (!below->size || request->requested <= below->size || less * NEAR > below->size ||
	    below->memory >= class->memory)
		return;
	site->flow_less = MAX(site->flow_less, less);
	site->flow_saves += request->flow.objects * (class->memory - below->memory);
	site->flow_saves_waste += heap_bytes_wasted(request->flow);
	if (!held.objects)
		return;
	site->less = MAX(site->less, less);
	site->saves += held.objects * (class->memory - below->memory);
	site->saves_waste += heap_bytes_wasted(held);
}

static void take_own_cache(struct class_site *site, const struct size_class *class, uint32_t bytes,
			   uint64_t objects)
{
	uint64_t size = roundup((uint64_t)bytes, OBJECT_ALIGNMENT);

	if (site->from == site->to && size < class->size)
		site->own_cache_saves += objects * (class->size - size);
}

static void sum_site(const struct report *report, const struct size_class *class,
		     const struct kmalloc_class *below, struct class_site *site)
{
	site->from = site->requests[0].requested;
	site->to = site->requests[site->count - 1].requested;
	for (size_t i = 0; i < site->count; i++) {
		const struct size_request *request = &site->requests[i];
		struct heap_bytes bytes = choose_heap_bytes(report, request);

		heap_bytes_add(&site->peak, request->peak);
		site->flow_waste += heap_bytes_wasted(request->flow);
		site->live_waste += heap_bytes_wasted(request->live);
		site->peak_waste += heap_bytes_wasted(request->peak);
		take_smaller(site, class, below, request, bytes);
		if (!report->analysis.caches[class->cache].is_large)
			take_own_cache(site, class, request->requested, bytes.objects);
	}
}

static void write_bytes_text(uint64_t bytes, char text[TEXT_CELL + sizeof(" bytes")])
{
	size_t length;

	if (bytes < 1024) {
		snprintf(text, TEXT_CELL, "%" PRIu64 " bytes", bytes);
		return;
	}
	/* "2.00K" */
	column_layout_bytes(bytes, text);
	length = strlen(text) - 1;
	snprintf(text + length, TEXT_CELL - length, " %ciB", text[length]);
}

/* A way to waste less, in words; "": none is known. NULL: no memory. */
static char *advice_text(const struct report *report, const struct class_site *site,
			 const struct kmalloc_class *below)
{
	bool knows_peak = report->analysis.peak_heap->is_known;
	const char *heap = knows_peak ? "peak" : "live bytes";
	const char *flow = knows_peak ? "bytes allocated, none of the peak"
				      : "bytes allocated, none live at the end";
	bool is_half = !strcmp(below->name, "kmalloc-large"), is_held = site->less;
	bool own_cache = !is_held && site->own_cache_saves >= PAGE_SIZE_LEAST;
	uint64_t less = is_held ? site->less : site->flow_less;
	char saves[TEXT_CELL + sizeof(" bytes")], waste[sizeof(saves)], *text = NULL;
	int length;

	if (less && !own_cache) {
		write_bytes_text(is_held ? site->saves : site->flow_saves, saves);
		write_bytes_text(is_held ? site->saves_waste : site->flow_saves_waste, waste);
		length = asprintf(&text,
				  "%s%" PRIu64
				  " byte%s less would fit %s%s: saves %s of the %s, %s of it waste",
				  site->from == site->to ? "" : "up to ", less,
				  less == 1 ? "" : "s", below->name,
				  is_half ? " of half as many pages" : "", saves,
				  is_held ? heap : flow, waste);
	} else if (own_cache && site->from == site->to) {
		write_bytes_text(site->own_cache_saves, saves);
		length = asprintf(&text,
				  "a slab cache for objects of %" PRIu32
				  " bytes would save up to %s of the %s",
				  site->from, saves, heap);
	} else {
		return strdup("");
	}
	return length < 0 ? NULL : text;
}

static int add_class_site_row(struct report *report, struct table *table,
			      const struct size_class *class, const struct kmalloc_class *below,
			      struct class_site site)
{
	uint32_t group = site.requests[0].group;
	bool knows_peak = report->analysis.peak_heap->is_known;

	sum_site(report, class, below, &site);
	if (!site.peak_waste && !site.live_waste && !site.flow_waste)
		return 0;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = group_name(report, &report->analysis.groups[group]);
	table_cell(table, COLUMN_address)->number =
		group_number(report, &report->analysis.groups[group]);
	table_cell(table, COLUMN_cache)->text = strdup(cache_name(report, class->cache));
	table_cell(table, COLUMN_size)->number = class->size;
	table_cell(table, COLUMN_from_bytes)->number = site.from;
	table_cell(table, COLUMN_to_bytes)->number = site.to;
	table_cell(table, COLUMN_peak_objects)->number = knows_peak ? site.peak.objects
								    : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_bytes)->number = knows_peak ? site.peak.allocated
								  : CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste)->number = knows_peak ? site.peak_waste : CELL_UNKNOWN;
	table_cell(table, COLUMN_live_waste)->number = site.live_waste;
	table_cell(table, COLUMN_bytes_wasted)->number = site.flow_waste;
	table_cell(table, COLUMN_less_bytes)->number = site.less ? site.less : CELL_UNKNOWN;
	table_cell(table, COLUMN_fits)->text = site.less ? strdup(below->name) : NULL;
	table_cell(table, COLUMN_saves_bytes)->number = site.less ? site.saves : CELL_UNKNOWN;
	table_cell(table, COLUMN_advice)->text = advice_text(report, &site, below);
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.caches[class->cache];
	return table_cell(table, COLUMN_site)->text && table_cell(table, COLUMN_cache)->text &&
			       table_cell(table, COLUMN_advice)->text &&
			       (!site.less || table_cell(table, COLUMN_fits)->text)
		       ? 0
		       : -ENOMEM;
}

static int compare_sites(const void *left, const void *right)
{
	const struct size_request *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->requested > b->requested) - (a->requested < b->requested);
}

/* A row for each call site of the class. requests: room for those of the class. */
static int add_sites(struct report *report, struct table *table, const struct size_class *class,
		     struct size_request *requests)
{
	const struct analysis_cache *cache = &report->analysis.caches[class->cache];
	struct kmalloc_class below = { 0 };
	int err = 0;

	kmalloc_class_below(&report->analysis, cache, class->size, &below);
	memcpy(requests, class->requests, class->count * sizeof(*requests));
	qsort(requests, class->count, sizeof(*requests), compare_sites);
	for (size_t i = 0, count; i < class->count && !err; i += count) {
		for (count = 1; i + count < class->count; count++)
			if (requests[i + count].group != requests[i].group)
				break;
		err = add_class_site_row(report, table, class, &below,
					 (struct class_site){ .requests = &requests[i],
							      .count = count });
	}
	return err;
}

int class_sites_table(struct report *report, const struct size_classes *classes)
{
	struct table *table = report_add_table(report, columns);
	struct size_request *requests = calloc(classes->request_count + 1, sizeof(*requests));
	int err = requests ? 0 : -ENOMEM;

	table->key = "class_sites";
	table->title = "Call sites that waste most at the peak";
	table->empty = "No kmalloc() wasted a byte.";
	table->sort = "peak_waste,live_waste,bytes_wasted";
	table->tiebreak = table_column(table, COLUMN_address);
	table->tiebreaks = table_column(table, COLUMN_size) + 1 - table->tiebreak;
	table->leads = true;
	table->text_rows = TEXT_ROWS;
	for (size_t i = 0; i < classes->count && !err; i++)
		err = add_sites(report, table, &classes->list[i], requests);
	free(requests);
	return err;
}
