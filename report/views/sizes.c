// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view sizes: a histogram of the requested sizes in each size class of kmalloc(), of up to
 * eight ranges of equal width; and the bytes that each class wastes.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/views/row_names.h"
#include "report/views/view.h"
#include "base/hash_map.h"

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
	SIZE_BAR,
	SIZE_COLUMNS
};

static const struct column columns[SIZE_COLUMNS] = {
	[SIZE_CACHE] = { "cache", "class", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "the size class of kmalloc(): a slab cache, or whole pages "
			 "(kmalloc-large)" },
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
	[SIZE_BAR] = { "share", "share", "of class", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
};

enum class_column {
	CLASS_CACHE,
	CLASS_SIZE,
	CLASS_OBJECTS,
	CLASS_REQUESTED,
	CLASS_ALLOCATED,
	CLASS_WASTE,
	CLASS_WASTE_PERCENT,
	CLASS_COLUMNS
};

static const struct column class_columns[CLASS_COLUMNS] = {
	[CLASS_CACHE] = { "cache", "class", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the size class of kmalloc(): a slab cache, or whole pages "
			  "(kmalloc-large)" },
	[CLASS_SIZE] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS,
			 "bytes that one allocation occupies" },
	[CLASS_OBJECTS] = { "objects", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "allocations that succeeded" },
	[CLASS_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_ALWAYS, "bytes that these allocations requested" },
	[CLASS_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_ALWAYS, "bytes that these allocations occupy" },
	[CLASS_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			  "allocated - requested" },
	[CLASS_WASTE_PERCENT] = { "waste_percent", "waste", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
				  "waste / allocated; other views call it fragmentation" },
};

/* All allocations from one cache that requested the same size. */
struct request {
	uint32_t cache, requested;
	uint64_t objects, allocated; /* bytes of all of them */
};

struct sizes {
	struct hash_map index; /* of requests, by cache and bytes requested */
	struct request *requests;
	size_t count;
	/* With --older: the analysis reports an object when it ends, with its last size. */
	bool objects_at_end;
};

/* A size class. Large requests of the same number of pages are one class. */
struct class
{
	const struct request *requests; /* ascending */
	size_t count;
	uint64_t size, objects, requested, allocated, wasted;
};

static struct request *find_request(struct sizes *sizes, uint32_t cache, uint32_t requested)
{
	uint64_t key = (uint64_t)cache << 32 | requested;
	uint32_t found = hash_map_find(&sizes->index, key);
	struct request *list;

	if (found != HASH_MAP_NONE)
		return &sizes->requests[found];
	list = array_grow(sizes->requests, sizes->count, sizeof(*list));
	if (!list)
		return NULL;
	sizes->requests = list;
	if (hash_map_add(&sizes->index, key, (uint32_t)sizes->count))
		return NULL;
	list += sizes->count++;
	*list = (struct request){ .cache = cache, .requested = requested };
	return list;
}

static int on_transition(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct sizes *sizes = data;
	struct request *request;
	bool resized = transition->outcome == OUTCOME_RESIZED && object && !sizes->objects_at_end;

	if (transition->outcome != OUTCOME_ALLOCATED && !resized)
		return 0;
	if (!analysis->caches[transition->cache].is_kmalloc)
		return 0;
	request = find_request(sizes, transition->cache, object->requested);
	if (!request)
		return -ENOMEM;
	if (resized) {
		request->objects--;
		request->allocated -= object->allocated;
		request = find_request(sizes, transition->cache, transition->event->requested);
		if (!request)
			return -ENOMEM;
	}
	request->objects++;
	request->allocated += object->allocated;
	return 0;
}

static int begin(struct report *report)
{
	struct sizes *sizes = calloc(1, sizeof(*sizes));
	int err;

	if (!sizes)
		return -ENOMEM;
	report->data = sizes;
	err = hash_map_init(&sizes->index);
	sizes->objects_at_end = report->settings.select && report->settings.select->older;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ on_transition, sizes };
	return err;
}

static void end(struct report *report)
{
	struct sizes *sizes = report->data;

	if (!sizes)
		return;
	hash_map_deinit(&sizes->index);
	free(sizes->requests);
	free(sizes);
}

static uint64_t size_of(const struct analysis *analysis, const struct request *request)
{
	const struct analysis_cache *cache = &analysis->caches[request->cache];

	return cache->is_large ? request->allocated / request->objects : cache->size;
}

static int compare_requests(const void *left, const void *right, void *analysis)
{
	const struct request *a = left, *b = right;
	uint64_t a_size, b_size;

	/* A request without objects (all were resized) has no class: sort it to the end. */
	if (!a->objects || !b->objects)
		return !a->objects - !b->objects;
	a_size = size_of(analysis, a);
	b_size = size_of(analysis, b);
	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (a_size != b_size)
		return a_size < b_size ? -1 : 1;
	return (a->requested > b->requested) - (a->requested < b->requested);
}

static uint64_t wasted(const struct request *request)
{
	uint64_t requested = request->objects * request->requested;

	return request->allocated > requested ? request->allocated - requested : 0;
}

/* The class that begins at the first request. */
static struct class take_class(const struct analysis *analysis, const struct request *first,
			       size_t count)
{
	struct class class = { .requests = first, .size = size_of(analysis, first) };

	for (; class.count < count; class.count++) {
		const struct request *request = &first[class.count];

		if (!request->objects || request->cache != first->cache ||
		    size_of(analysis, request) != class.size)
			break;
		class.objects += request->objects;
		class.requested += request->objects * request->requested;
		class.allocated += request->allocated;
		class.wasted += wasted(request);
	}
	return class;
}

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

/* A row for each range of the class that has requests. */
static int add_ranges(struct report *report, struct table *table, const struct class *class)
{
	uint64_t first = class->requests[0].requested, below = class_below(class->size);
	uint64_t width, from, to = 0;
	struct cell *row = NULL;

	/* The smallest class of the kernel holds all smaller requests, too. */
	while (below && first <= below)
		below = class_below(below);
	width = class->size ? (class->size - below + RANGES - 1) / RANGES : 1;
	for (size_t i = 0; i < class->count; i++) {
		const struct request *request = &class->requests[i];
		uint64_t range;

		if (!row || request->requested > to) {
			row = table_add(table);
			if (!row)
				return -ENOMEM;
			range = request->requested > below
					? (request->requested - below - 1) / width
					: 0;
			from = below + range * width + 1;
			to = below + (range + 1) * width;
			row[SIZE_CACHE].text = strdup(cache_name(report, request->cache));
			if (!row[SIZE_CACHE].text)
				return -ENOMEM;
			row[SIZE_CLASS].number = class->size;
			row[SIZE_FROM].number = request->requested ? from : 0;
			row[SIZE_TO].number = to < class->size || request->requested > class->size
						      ? to
						      : class->size;
		}
		row[SIZE_OBJECTS].number += request->objects;
		row[SIZE_REQUESTED].number += request->objects * request->requested;
		row[SIZE_ALLOCATED].number += request->allocated;
		row[SIZE_WASTE].number += wasted(request);
		row[SIZE_WASTE_PERCENT].decimal =
			percent(row[SIZE_WASTE].number, row[SIZE_ALLOCATED].number);
		row[SIZE_BAR].decimal = (double)row[SIZE_OBJECTS].number / (double)class->objects;
	}
	return 0;
}

static int add_class(struct report *report, struct table *table, const struct class *class)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[CLASS_CACHE].text = strdup(cache_name(report, class->requests[0].cache));
	row[CLASS_SIZE].number = class->size;
	row[CLASS_OBJECTS].number = class->objects;
	row[CLASS_REQUESTED].number = class->requested;
	row[CLASS_ALLOCATED].number = class->allocated;
	row[CLASS_WASTE].number = class->wasted;
	row[CLASS_WASTE_PERCENT].decimal = percent(class->wasted, class->allocated);
	return row[CLASS_CACHE].text ? 0 : -ENOMEM;
}

static int make(struct report *report)
{
	struct analysis *analysis = &report->analysis;
	struct sizes *sizes = report->data;
	struct table *ranges, *classes;
	int err = 0;

	ranges = report_add_table(report, columns, SIZE_COLUMNS);
	ranges->key = "sizes";
	ranges->title = "Requested sizes in each size class";
	ranges->empty = "No kmalloc() was recorded.";
	ranges->sort = "size,cache,from_bytes";
	ranges->tiebreak = SIZE_FROM;
	classes = report_add_table(report, class_columns, CLASS_COLUMNS);
	classes->key = "classes";
	classes->title = "Waste in each size class";
	classes->empty = ranges->empty;
	classes->sort = "bytes_wasted,objects";
	classes->tiebreak = CLASS_CACHE;
	if (sizes->count)
		qsort_r(sizes->requests, sizes->count, sizeof(*sizes->requests), compare_requests,
			analysis);
	for (size_t i = 0; i < sizes->count && sizes->requests[i].objects && !err;) {
		struct class class = take_class(analysis, &sizes->requests[i], sizes->count - i);

		err = add_ranges(report, ranges, &class);
		if (!err)
			err = add_class(report, classes, &class);
		i += class.count;
	}
	return err;
}

const struct view view_sizes = {
	.name = "sizes",
	.needs_all = "looks at each allocation",
	.summary = "requested sizes in each kmalloc() size class, and the waste",
	.columns = columns,
	.column_count = SIZE_COLUMNS,
	.rows = VIEW_ALL_ROWS,
	.begin = begin,
	.make = make,
	.end = end,
};
