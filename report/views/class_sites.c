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
#define NEAR 4		     /* a class is near if it is smaller by less than 1 / NEAR */
#define OBJECT_ALIGNMENT 8   /* bytes: of a slab cache's objects */
#define PAGE_SIZE_LEAST 4096 /* a slab cache that saves less than a page is not worth it */

enum site_column {
	SITE_NAME,
	SITE_ADDRESS,
	SITE_CACHE,
	SITE_SIZE,
	SITE_FROM,
	SITE_TO,
	SITE_PEAK_OBJECTS,
	SITE_PEAK_BYTES,
	SITE_PEAK_WASTE,
	SITE_LIVE_WASTE,
	SITE_WASTE,
	SITE_LESS,
	SITE_FITS,
	SITE_SAVES,
	SITE_ADVICE,
	SITE_BOUND,
	SITE_COLUMNS
};

static const struct column columns[SITE_COLUMNS] = {
	[SITE_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[SITE_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SITE_CACHE] = { "cache", "class", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "the size class of kmalloc()" },
	[SITE_SIZE] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SITE_FROM] = { "from_bytes", "from", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[SITE_TO] = { "to_bytes", "to", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS,
		      "the least and the most bytes that it requested in this class" },
	[SITE_PEAK_OBJECTS] = { "peak_objects", "peak", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				"objects that were live at the peak of all live bytes" },
	[SITE_PEAK_BYTES] = { "peak_bytes", "peak", "bytes", COLUMN_LIVE, 0, COLUMN_IF_ROOM,
			      "bytes allocated to them" },
	[SITE_PEAK_WASTE] = { "peak_waste", "peak", "waste", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			      "those of these bytes that were not requested" },
	[SITE_LIVE_WASTE] = { "live_waste", "live", "waste", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			      "the same of the objects that are live at the end" },
	[SITE_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0, COLUMN_IF_ROOM,
			 "allocated - requested, of all allocations" },
	[SITE_LESS] = { "less_bytes", "less", "bytes", COLUMN_NULLABLE, 0, COLUMN_NOT_IN_TEXT,
			"bytes that a request has too many for the next smaller class" },
	[SITE_FITS] = { "fits", "fits", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT,
			"the next smaller class" },
	[SITE_SAVES] = { "saves_bytes", "saves", "bytes", COLUMN_NULLABLE, 0, COLUMN_NOT_IN_TEXT,
			 "what the smaller class would save of the bytes at the peak: the waste and the bytes that are requested no more, so it is above the waste" },
	[SITE_ADVICE] = { "advice", "advice", "", COLUMN_TEXT, 0, COLUMN_BELOW,
			  "what would help, and the bytes that it saves; with fewer bytes requested, the waste and these bytes" },
	[SITE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
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
static struct heap_bytes held(const struct report *report, const struct size_request *request)
{
	return report->analysis.peak_heap->is_known ? request->peak : request->live;
}

/* A request of this size, with less bytes, fits the class below. */
static void take_smaller(struct class_site *site, const struct size_class *class,
			 const struct kmalloc_class *below, const struct size_request *request,
			 struct heap_bytes held)
{
	uint64_t less = request->requested - below->size;

	if (!below->size || request->requested <= below->size || less * NEAR > below->size)
		return;
	site->flow_less = MAX(site->flow_less, less);
	site->flow_saves += request->flow.objects * (class->size - below->size);
	site->flow_saves_waste += heap_bytes_wasted(request->flow);
	if (!held.objects)
		return;
	site->less = MAX(site->less, less);
	site->saves += held.objects * (class->size - below->size);
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
		struct heap_bytes bytes = held(report, request);

		heap_bytes_add(&site->peak, request->peak);
		site->flow_waste += heap_bytes_wasted(request->flow);
		site->live_waste += heap_bytes_wasted(request->live);
		site->peak_waste += heap_bytes_wasted(request->peak);
		take_smaller(site, class, below, request, bytes);
		if (!report->analysis.caches[class->cache].is_large)
			take_own_cache(site, class, request->requested, bytes.objects);
	}
}

static void saves_text(uint64_t bytes, char text[TEXT_CELL + sizeof(" bytes")])
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
		saves_text(is_held ? site->saves : site->flow_saves, saves);
		saves_text(is_held ? site->saves_waste : site->flow_saves_waste, waste);
		length = asprintf(&text,
				  "%s%" PRIu64
				  " byte%s less would fit %s%s: saves %s of the %s, %s of it waste",
				  site->from == site->to ? "" : "up to ", less,
				  less == 1 ? "" : "s", below->name,
				  is_half ? " of half as many pages" : "", saves,
				  is_held ? heap : flow, waste);
	} else if (own_cache && site->from == site->to) {
		saves_text(site->own_cache_saves, saves);
		length = asprintf(&text,
				  "a slab cache for objects of %" PRIu32
				  " bytes would save up to %s of the %s",
				  site->from, saves, heap);
	} else {
		return strdup("");
	}
	return length < 0 ? NULL : text;
}

static int add_row(struct report *report, struct table *table, const struct size_class *class,
		   const struct kmalloc_class *below, struct class_site site)
{
	uint32_t group = site.requests[0].group;
	bool knows_peak = report->analysis.peak_heap->is_known;
	struct cell *row;

	sum_site(report, class, below, &site);
	if (!site.peak_waste && !site.live_waste && !site.flow_waste)
		return 0;
	row = table_add(table);
	if (!row)
		return -ENOMEM;
	row[SITE_NAME].text = group_name(report, &report->analysis.groups[group]);
	row[SITE_ADDRESS].number = group_number(report, &report->analysis.groups[group]);
	row[SITE_CACHE].text = strdup(cache_name(report, class->cache));
	row[SITE_SIZE].number = class->size;
	row[SITE_FROM].number = site.from;
	row[SITE_TO].number = site.to;
	row[SITE_PEAK_OBJECTS].number = knows_peak ? site.peak.objects : CELL_UNKNOWN;
	row[SITE_PEAK_BYTES].number = knows_peak ? site.peak.allocated : CELL_UNKNOWN;
	row[SITE_PEAK_WASTE].number = knows_peak ? site.peak_waste : CELL_UNKNOWN;
	row[SITE_LIVE_WASTE].number = site.live_waste;
	row[SITE_WASTE].number = site.flow_waste;
	row[SITE_LESS].number = site.less ? site.less : CELL_UNKNOWN;
	row[SITE_FITS].text = site.less ? strdup(below->name) : NULL;
	row[SITE_SAVES].number = site.less ? site.saves : CELL_UNKNOWN;
	row[SITE_ADVICE].text = advice_text(report, &site, below);
	row[SITE_BOUND].truth = report->bounds.caches[class->cache];
	return row[SITE_NAME].text && row[SITE_CACHE].text && row[SITE_ADVICE].text &&
			       (!site.less || row[SITE_FITS].text)
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
		err = add_row(report, table, class, &below,
			      (struct class_site){ .requests = &requests[i], .count = count });
	}
	return err;
}

int class_sites_table(struct report *report, const struct size_classes *classes)
{
	struct table *table = report_add_table(report, columns, SITE_COLUMNS);
	struct size_request *requests = calloc(classes->request_count + 1, sizeof(*requests));
	int err = requests ? 0 : -ENOMEM;

	table->key = "class_sites";
	table->title = "Call sites that waste most at the peak";
	table->empty = "No kmalloc() wasted a byte.";
	table->sort = "peak_waste,live_waste,bytes_wasted";
	table->tiebreak = SITE_ADDRESS;
	table->tiebreaks = SITE_SIZE + 1 - SITE_ADDRESS;
	table->leads = true;
	table->text_rows = TEXT_ROWS;
	for (size_t i = 0; i < classes->count && !err; i++)
		err = add_sites(report, table, &classes->list[i], requests);
	free(requests);
	return err;
}
