// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view caches: allocations and frees by slab cache, with the names of merged caches. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/header.h"
#include "report/render/render.h"
#include "report/views/estimate_columns.h"
#include "report/views/view.h"

enum caches_column {
	CACHES_COLUMN_NAME,
	CACHES_COLUMN_OBJECT_SIZE,
	CACHES_COLUMN_SIZE,
	CACHES_COLUMN_ALLOCATIONS,
	CACHES_COLUMN_FREES,
	CACHES_COLUMN_MISSED,
	CACHES_COLUMN_FAILED,
	CACHES_COLUMN_REQUESTED,
	CACHES_COLUMN_ALLOCATED,
	CACHES_COLUMN_FRAGMENTATION,
	CACHES_COLUMN_WASTE,
	CACHES_COLUMN_INITIAL_OBJECTS,
	CACHES_COLUMN_INITIAL_BYTES,
	CACHES_COLUMN_LIVE_OBJECTS,
	CACHES_COLUMN_LIVE_BYTES,
	CACHES_COLUMN_PEAK_WASTE,
	CACHES_COLUMN_LIVE_WASTE,
	CACHES_COLUMN_COVERAGE,
	CACHES_COLUMN_UNMATCHED,
	CACHES_COLUMN_ALIASES,
	CACHES_COLUMN_BOUND,
	CACHES_COLUMNS
};

static const struct column columns[CACHES_COLUMNS + ESTIMATE_COLUMNS] = {
	[CACHES_COLUMN_NAME] = { "cache", "cache", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
				 "the slab cache. For kmalloc() its size class: -cg- for objects charged to a memory cgroup, -rcl- for reclaimable ones, dma- for DMA; kmalloc-large is whole pages" },
	[CACHES_COLUMN_OBJECT_SIZE] = { "object_size", "object", "bytes", COLUMN_ID, 0,
					COLUMN_NOT_IN_TEXT, NULL },
	[CACHES_COLUMN_SIZE] = { "size", "size", "bytes", COLUMN_ID, 0, COLUMN_ALWAYS,
				 "bytes from the start of one object to the start of the next" },
	[CACHES_COLUMN_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0,
					COLUMN_ALWAYS, "allocations that succeeded" },
	[CACHES_COLUMN_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				  "frees of these objects, on any CPU" },
	[CACHES_COLUMN_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0,
				   COLUMN_BELOW,
				   "frees that were not recorded: the address was allocated again while the object was live" },
	[CACHES_COLUMN_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_BELOW,
				   "allocations that failed" },
	[CACHES_COLUMN_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
				      COLUMN_NOT_IN_TEXT,
				      "bytes requested; for an object of a slab cache, the object size of the cache" },
	[CACHES_COLUMN_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
				      COLUMN_ALWAYS,
				      "bytes occupied: the kmalloc() size class, or in a slab cache the bytes from the start of one object to the start of the next" },
	[CACHES_COLUMN_FRAGMENTATION] = { "fragmentation_percent", "frag", "%", COLUMN_DECIMAL, 1,
					  COLUMN_ALWAYS, "fragmentation: waste / allocated" },
	[CACHES_COLUMN_WASTE] = { "bytes_wasted", "waste", "bytes", COLUMN_NUMBER, 0,
				  COLUMN_NOT_IN_TEXT,
				  "allocated - requested, of all allocations; 0 of one that got less than it requested" },
	[CACHES_COLUMN_INITIAL_OBJECTS] = { "initial_objects", "initial", "objs", COLUMN_NUMBER, 0,
					    COLUMN_IN_TEXT_IF_USED,
					    "objects that were live at the begin, by the checkpoint" },
	[CACHES_COLUMN_INITIAL_BYTES] = { "initial_bytes", "initial", "bytes", COLUMN_NUMBER, 0,
					  COLUMN_IN_TEXT_IF_USED,
					  "bytes allocated to these objects" },
	[CACHES_COLUMN_LIVE_OBJECTS] = { "live_objects", "live", "objs", COLUMN_LIVE, 0,
					 COLUMN_ALWAYS,
					 "objects with no recorded free by the end" },
	[CACHES_COLUMN_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				       "bytes allocated to the live objects" },
	[CACHES_COLUMN_PEAK_WASTE] = { "peak_waste", "peak", "waste", COLUMN_NULLABLE, 0,
				       COLUMN_IF_ROOM,
				       "bytes that were not requested, of the objects that were live at the peak of all live bytes" },
	[CACHES_COLUMN_LIVE_WASTE] = { "live_waste", "live", "waste", COLUMN_LIVE, 0,
				       COLUMN_IF_ROOM,
				       "bytes of the live objects that were not requested" },
	[CACHES_COLUMN_COVERAGE] = { "coverage_percent", "coverage", "%", COLUMN_DECIMAL, 1,
				     COLUMN_ALWAYS,
				     "frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed" },
	[CACHES_COLUMN_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
				      COLUMN_NOT_IN_TEXT,
				      "frees that named this cache, of objects whose allocation was not recorded; the row (no known cache) has those that named none" },
	[CACHES_COLUMN_ALIASES] = { "aliases", "aliases", "", COLUMN_TEXT, 0, COLUMN_BELOW,
				    "other caches that the kernel merged with this one" },
	[CACHES_COLUMN_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0,
				  COLUMN_NOT_IN_TEXT, NULL },
	ESTIMATE_COLUMN_ROWS(CACHES_COLUMNS, "number of allocated bytes"),
};

/* "a, b" from "a,b", so that the text can break the line. */
static char *list_aliases(const struct analysis_cache *cache)
{
	const char *from = cache->cache && cache->cache->aliases ? cache->cache->aliases : "";
	char *text = malloc(2 * strlen(from) + 1), *to = text;

	if (!text)
		return NULL;
	for (; *from; from++) {
		*to++ = *from;
		if (*from == ',')
			*to++ = ' ';
	}
	*to = '\0';
	return text;
}

static void set_intervals(const struct report *report, const struct analysis_cache *cache,
			  struct cell *cells)
{
	const struct estimate_figures figures = { cache->allocations, cache->bytes_allocated,
						  cache->live_objects, cache->live_bytes, false };
	struct variance variance;

	if (!report->analysis.estimates)
		return;
	variance = estimates_of_cache(report->analysis.estimates,
				      (size_t)(cache - report->analysis.caches));
	estimate_set_cells(report, cells, &figures, &variance);
}

static int add_row(const struct report *report, struct table *table,
		   const struct analysis_cache *cache, bool is_bound)
{
	const struct heap_waste *waste = &report->wastes.caches[cache - report->analysis.caches];
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[CACHES_COLUMN_NAME].text = strdup(cache->name);
	row[CACHES_COLUMN_OBJECT_SIZE].number = cache->object_size ? cache->object_size
								   : CELL_UNKNOWN;
	row[CACHES_COLUMN_SIZE].number = cache->size ? cache->size : CELL_UNKNOWN;
	row[CACHES_COLUMN_ALLOCATIONS].number = cache->allocations;
	row[CACHES_COLUMN_FREES].number = cache->frees;
	row[CACHES_COLUMN_MISSED].number = cache->missed_frees;
	row[CACHES_COLUMN_FAILED].number = cache->failed;
	row[CACHES_COLUMN_REQUESTED].number = cache->bytes_requested;
	row[CACHES_COLUMN_ALLOCATED].number = cache->bytes_allocated;
	row[CACHES_COLUMN_FRAGMENTATION].decimal =
		analysis_fragmentation(waste->flow, cache->bytes_allocated);
	row[CACHES_COLUMN_WASTE].number = waste->flow;
	row[CACHES_COLUMN_INITIAL_OBJECTS].number = cache->initial_objects;
	row[CACHES_COLUMN_INITIAL_BYTES].number = cache->initial_bytes;
	row[CACHES_COLUMN_LIVE_OBJECTS].number = cache->live_objects;
	row[CACHES_COLUMN_LIVE_BYTES].number = cache->live_bytes;
	row[CACHES_COLUMN_LIVE_WASTE].number = waste->live;
	row[CACHES_COLUMN_PEAK_WASTE].number = report->analysis.peak_heap->is_known ? waste->peak
										    : CELL_UNKNOWN;
	row[CACHES_COLUMN_COVERAGE].decimal = analysis_coverage(cache->frees, cache->missed_frees);
	row[CACHES_COLUMN_UNMATCHED].number = cache->frees_unmatched;
	row[CACHES_COLUMN_BOUND].truth = is_bound;
	set_intervals(report, cache, &row[CACHES_COLUMNS]);
	row[CACHES_COLUMN_ALIASES].text = list_aliases(cache);
	return row[CACHES_COLUMN_NAME].text && row[CACHES_COLUMN_ALIASES].text ? 0 : -ENOMEM;
}

static bool is_empty(const struct analysis_cache *cache)
{
	return !cache->allocations && !cache->failed && !cache->frees && !cache->missed_frees &&
	       !cache->frees_unmatched && !cache->initial_objects;
}

/* Unmatched frees that name no cache that is known, as kfree() of an older object. */
static uint64_t count_nameless(const struct analysis *analysis)
{
	uint64_t count = analysis->totals.frees_unmatched;

	for (size_t i = 0; i < analysis->cache_count; i++)
		count -= analysis->caches[i].frees_unmatched;
	return count;
}

/* With this row, the unmatched frees add up to those of the header. */
static int add_nameless(const struct report *report, struct table *table)
{
	uint64_t count = count_nameless(&report->analysis);
	struct cell *row = count ? table_add(table) : NULL;

	if (!count)
		return 0;
	if (!row)
		return -ENOMEM;
	row[CACHES_COLUMN_NAME].text = strdup("(no known cache)");
	row[CACHES_COLUMN_ALIASES].text = strdup("");
	row[CACHES_COLUMN_OBJECT_SIZE].number = row[CACHES_COLUMN_SIZE].number = CELL_UNKNOWN;
	row[CACHES_COLUMN_PEAK_WASTE].number = report->analysis.peak_heap->is_known ? 0
										    : CELL_UNKNOWN;
	row[CACHES_COLUMN_COVERAGE].decimal = NAN;
	row[CACHES_COLUMN_UNMATCHED].number = count;
	return row[CACHES_COLUMN_NAME].text && row[CACHES_COLUMN_ALIASES].text ? 0 : -ENOMEM;
}

/* A text has no column with the unmatched frees. */
static int add_header(const struct report *report, struct header *header)
{
	uint64_t count = count_nameless(&report->analysis);

	if (!count || !report->renderer->for_people)
		return 0;
	return header_add_line(header, "no cache", false,
			       "%" PRIu64 " of the %" PRIu64
			       " unmatched frees name%s no cache that is known, and %s in no row",
			       count, report->analysis.totals.frees_unmatched,
			       count == 1 ? "s" : "", count == 1 ? "is" : "are");
}

int caches_table(struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;
	int err = 0;

	table->key = "caches";
	table->title = "Slab caches";
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = CACHES_COLUMN_NAME;
	for (size_t i = 0; i < analysis->cache_count && !err; i++)
		if (!is_empty(&analysis->caches[i]))
			err = add_row(report, table, &analysis->caches[i],
				      report->bounds.caches[i] && analysis->caches[i].live_objects);
	return err || report->renderer->for_people ? err : add_nameless(report, table);
}

static int make(struct report *report)
{
	return caches_table(report,
			    report_add_table(report, columns,
					     estimate_column_count(report, CACHES_COLUMNS)));
}

const struct view view_caches = {
	.name = "caches",
	.summary = "allocations by slab cache and kmalloc() size class",
	.columns = columns,
	.column_count = CACHES_COLUMNS,
	.peak_heap = true,
	.has_intervals = true,
	.make = make,
	.add_header = add_header,
};
