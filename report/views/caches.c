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
#include "report/views/slab_memory.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_cache,
	  .legend =
		  "the slab cache. For kmalloc() its size class: -cg- for objects charged to a memory cgroup, -rcl- for reclaimable ones, dma- for DMA; kmalloc-large is whole pages" },
	{ .name = COLUMN_object_size, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_size },
	{ .name = COLUMN_allocations },
	{ .name = COLUMN_frees },
	{ .name = COLUMN_missed_frees, .where = COLUMN_BELOW },
	{ .name = COLUMN_failed, .where = COLUMN_BELOW },
	{ .name = COLUMN_bytes_requested, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_fragmentation_percent },
	{ .name = COLUMN_bytes_wasted, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_initial_objects, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_initial_bytes, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_live_objects },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_peak_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_live_waste, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_slab_bytes, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_slab_full_percent, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_slab_free_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_coverage_percent },
	{ .name = COLUMN_frees_unmatched,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend =
		  "frees that named this cache, of objects whose allocation was not recorded; the row (no known cache) has those that named none" },
	{ .name = COLUMN_aliases, .where = COLUMN_BELOW },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_debug_size, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_reclaimable, .where = COLUMN_IN_TEXT_IF_USED },
	{ 0 },
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

static void set_cache_intervals(const struct report *report, const struct analysis_cache *cache,
				struct table *table)
{
	const struct estimate_figures figures = { cache->allocations, cache->bytes_allocated,
						  cache->live_objects, cache->live_bytes, false };
	struct variance variance;

	if (!report->analysis.estimates)
		return;
	variance = estimates_of_cache(report->analysis.estimates,
				      (size_t)(cache - report->analysis.caches));
	estimate_set_cells(report, table, &figures, &variance);
}

static void set_slab_memory(struct table *table, const struct slab_memory *memory)
{
	table_cell(table, COLUMN_slab_bytes)->number = memory->is_known ? memory->bytes
									: CELL_UNKNOWN;
	table_cell(table, COLUMN_slab_full_percent)->decimal =
		memory->is_known ? memory->full_percent : NAN;
	table_cell(table, COLUMN_slab_free_bytes)->number = memory->is_known ? memory->free_bytes
									     : CELL_UNKNOWN;
}

static int add_cache_row(const struct report *report, struct table *table,
			 const struct analysis_cache *cache, bool is_bound)
{
	const struct heap_waste *waste = &report->wastes.caches[cache - report->analysis.caches];
	const struct slab_memory memory = slab_memory_find(report, cache->name, cache->size);

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup(cache->name);
	table_cell(table, COLUMN_object_size)->number = cache->object_size ? cache->object_size
									   : CELL_UNKNOWN;
	table_cell(table, COLUMN_size)->number = cache->size ? cache->size : CELL_UNKNOWN;
	table_cell(table, COLUMN_debug_size)->number = cache->debug;
	table_cell(table, COLUMN_reclaimable)->number =
		cache->reclaim == CACHE_RECLAIM_UNKNOWN ? CELL_UNKNOWN
							: cache->reclaim == CACHE_RECLAIMABLE;
	table_cell(table, COLUMN_allocations)->number = cache->allocations;
	table_cell(table, COLUMN_frees)->number = cache->frees;
	table_cell(table, COLUMN_missed_frees)->number = cache->missed_frees;
	table_cell(table, COLUMN_failed)->number = cache->failed;
	table_cell(table, COLUMN_bytes_requested)->number = cache->bytes_requested;
	table_cell(table, COLUMN_bytes_allocated)->number = cache->bytes_allocated;
	table_cell(table, COLUMN_fragmentation_percent)->decimal =
		analysis_fragmentation(waste->flow, cache->bytes_allocated);
	table_cell(table, COLUMN_bytes_wasted)->number = waste->flow;
	table_cell(table, COLUMN_initial_objects)->number = cache->initial_objects;
	table_cell(table, COLUMN_initial_bytes)->number = cache->initial_bytes;
	table_cell(table, COLUMN_live_objects)->number = cache->live_objects;
	table_cell(table, COLUMN_live_bytes)->number = cache->live_bytes;
	table_cell(table, COLUMN_live_waste)->number = waste->live;
	table_cell(table, COLUMN_peak_waste)->number =
		report->analysis.peak_heap->is_known ? waste->peak : CELL_UNKNOWN;
	table_cell(table, COLUMN_coverage_percent)->decimal =
		analysis_coverage(cache->frees, cache->missed_frees);
	table_cell(table, COLUMN_frees_unmatched)->number = cache->frees_unmatched;
	table_cell(table, COLUMN_live_upper_bound)->truth = is_bound;
	set_slab_memory(table, &memory);
	set_cache_intervals(report, cache, table);
	table_cell(table, COLUMN_aliases)->text = list_aliases(cache);
	return table_cell(table, COLUMN_cache)->text && table_cell(table, COLUMN_aliases)->text
		       ? 0
		       : -ENOMEM;
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

	if (!count)
		return 0;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup("(no known cache)");
	table_cell(table, COLUMN_aliases)->text = strdup("");
	table_cell(table, COLUMN_object_size)->number = table_cell(table, COLUMN_size)->number =
		CELL_UNKNOWN;
	table_cell(table, COLUMN_reclaimable)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_peak_waste)->number =
		report->analysis.peak_heap->is_known ? 0 : CELL_UNKNOWN;
	set_slab_memory(table, &(struct slab_memory){ 0 });
	table_cell(table, COLUMN_coverage_percent)->decimal = NAN;
	table_cell(table, COLUMN_frees_unmatched)->number = count;
	return table_cell(table, COLUMN_cache)->text && table_cell(table, COLUMN_aliases)->text
		       ? 0
		       : -ENOMEM;
}

/* A text has no column with the unmatched frees. */
static int add_caches_header(const struct report *report, struct header *header)
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

static void hide_slab_memory(struct table *table)
{
	table->chosen[table_column(table, COLUMN_slab_bytes)].where = COLUMN_NOT_IN_TEXT;
	table->chosen[table_column(table, COLUMN_slab_full_percent)].where = COLUMN_NOT_IN_TEXT;
}

int caches_table(struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;
	int err = 0;

	estimate_add_columns(report, table);
	if (!slab_memory_is_known(report))
		hide_slab_memory(table);
	table->key = "caches";
	table->title = "Slab caches";
	table->empty = report->filter_count ? "No allocation was selected."
					    : "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = table_column(table, COLUMN_cache);
	for (size_t i = 0; i < analysis->cache_count && !err; i++)
		if (!is_empty(&analysis->caches[i]))
			err = add_cache_row(report, table, &analysis->caches[i],
					    report->bounds.caches[i] &&
						    analysis->caches[i].live_objects);
	return err || report->renderer->for_people ? err : add_nameless(report, table);
}

static int make_caches(struct report *report)
{
	return caches_table(report, report_add_table(report, columns));
}

const struct view view_caches = {
	.name = "caches",
	.summary = "allocations by slab cache and kmalloc() size class",
	.columns = columns,
	.peak_heap = true,
	.has_intervals = true,
	.make = make_caches,
	.add_header = add_caches_header,
};
