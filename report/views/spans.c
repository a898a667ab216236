// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The figures behind the brush of the HTML page: allocations and frees of the largest pairs of a
 * call site and a slab cache in each time slice. The page adds up the slices of a span of time.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/row_names.h"
#include "report/views/span_counts.h"
#include "report/views/view.h"

#define PAIRS_SHOWN 150
#define PAIRS_BY_LIVE 60    /* of these; the others are those with the most allocated bytes */
#define CHANGES_SHOWN 14000 /* of all pairs: the page stays below 2 MB */
#define GAPS_SHOWN 300

enum pair_column {
	PAIR_NUMBER,
	PAIR_SITE,
	PAIR_ADDRESS,
	PAIR_CACHE,
	PAIR_COUNT,
	PAIR_INITIAL_OBJECTS,
	PAIR_INITIAL_BYTES,
	PAIR_BOUND,
	PAIR_COLUMNS
};

static const struct column pair_columns[PAIR_COLUMNS] = {
	[PAIR_NUMBER] = { "pair", "pair", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[PAIR_SITE] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[PAIR_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[PAIR_CACHE] = { "cache", "cache", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "the slab cache of the objects, or the kmalloc() size class" },
	[PAIR_COUNT] = { "pairs", "pairs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "1; of the last row, the number of all other pairs" },
	[PAIR_INITIAL_OBJECTS] = { "initial_objects", "initial", "objs", COLUMN_NUMBER, 0,
				   COLUMN_ALWAYS,
				   "objects that were live at the begin, by the checkpoint" },
	[PAIR_INITIAL_BYTES] = { "initial_bytes", "initial", "bytes", COLUMN_NUMBER, 0,
				 COLUMN_ALWAYS, "bytes allocated to these objects" },
	[PAIR_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
};

enum change_column {
	CHANGE_PAIR,
	CHANGE_SLICE,
	CHANGE_ALLOCATIONS,
	CHANGE_FREES,
	CHANGE_MISSED,
	CHANGE_ALLOCATED,
	CHANGE_FREED,
	CHANGE_COLUMNS
};

static const struct column change_columns[CHANGE_COLUMNS] = {
	[CHANGE_PAIR] = { "pair", "pair", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[CHANGE_SLICE] = { "slice", "slice", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL },
	[CHANGE_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "allocations that succeeded, in the span" },
	[CHANGE_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "frees in the span, of objects that the site allocated at any time" },
	[CHANGE_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "frees that were not recorded: the address was allocated again while the object was live" },
	[CHANGE_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "bytes that these allocations occupy" },
	[CHANGE_FREED] = { "bytes_freed", "freed", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "bytes of the objects that ended in the span: by a free or a missed free" },
};

enum slice_column {
	SLICE_TIME,
	SLICE_DURATION,
	SLICE_ALLOCATIONS,
	SLICE_FREES,
	SLICE_UNMATCHED,
	SLICE_MISSED,
	SLICE_FAILED,
	SLICE_COLUMNS
};

static const struct column slice_columns[SLICE_COLUMNS] = {
	[SLICE_TIME] = { "time_ns", "time", "s", COLUMN_TIME, 0, COLUMN_ALWAYS,
			 "begin of the time slice, since the begin of the capture" },
	[SLICE_DURATION] = { "duration_ns", "for", "", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL },
	[SLICE_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				"allocations that succeeded" },
	[SLICE_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			  "includes frees of objects whose allocation was not recorded" },
	[SLICE_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
			      COLUMN_ALWAYS, "frees of objects whose allocation was not recorded" },
	[SLICE_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "frees that were not recorded: the address was allocated again while the object was live" },
	[SLICE_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "allocations that failed" },
};

enum gap_column {
	GAP_FROM,
	GAP_TO,
	GAP_COUNT,
	GAP_KIND,
	GAP_CPU,
	GAP_COLUMNS
};

static const struct column gap_columns[GAP_COLUMNS] = {
	[GAP_FROM] = { "from_ns", "from", "s", COLUMN_TIME, 0, COLUMN_ALWAYS,
		       "the events were lost or skipped after this time" },
	[GAP_TO] = { "to_ns", "to", "s", COLUMN_TIME, 0, COLUMN_ALWAYS, "and before this time" },
	[GAP_COUNT] = { "events", "events", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			"their number; of a CPU with more than 65536 gaps, at most so many" },
	[GAP_KIND] = { "kind", "kind", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
		       "lost: not stored; skipped: the kernel did not run the BPF program" },
	[GAP_CPU] = { "cpu", "cpu", "", COLUMN_ID, 0, COLUMN_ALWAYS,
		      "the CPU; unknown of skipped events, which the kernel counts together" },
};

static int begin(struct report *report)
{
	struct span_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	report->data = counts;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ span_counts_take, counts };
	return span_counts_init(counts);
}

static void end(struct report *report)
{
	if (report->data)
		span_counts_deinit(report->data);
	free(report->data);
	report->data = NULL;
}

static int add_pair(struct report *report, struct table *table, const struct span_pair *pair,
		    size_t number)
{
	const struct group *group = &report->analysis.groups[pair->group];
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[PAIR_NUMBER].number = number;
	row[PAIR_ADDRESS].number = group_number(report, group);
	row[PAIR_COUNT].number = 1;
	row[PAIR_INITIAL_OBJECTS].number = pair->initial_objects;
	row[PAIR_INITIAL_BYTES].number = pair->initial_bytes;
	row[PAIR_BOUND].truth = report->bounds.caches[pair->cache];
	row[PAIR_SITE].text = group_name(report, group);
	row[PAIR_CACHE].text = strdup(cache_name(report, pair->cache));
	return row[PAIR_SITE].text && row[PAIR_CACHE].text ? 0 : -ENOMEM;
}

static int add_rest(struct table *table, const struct span_pair *rest, size_t number, size_t pairs,
		    bool is_bound)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[PAIR_NUMBER].number = number;
	row[PAIR_ADDRESS].number = CELL_UNKNOWN;
	row[PAIR_COUNT].number = pairs;
	row[PAIR_INITIAL_OBJECTS].number = rest->initial_objects;
	row[PAIR_INITIAL_BYTES].number = rest->initial_bytes;
	row[PAIR_BOUND].truth = is_bound;
	return 0;
}

static int add_changes(struct table *table, const struct span_pair *pair, size_t number)
{
	for (size_t i = 0; i < pair->count; i++) {
		const struct span_change *change = &pair->changes[i];
		struct cell *row = table_add(table);

		if (!row)
			return -ENOMEM;
		row[CHANGE_PAIR].number = number;
		row[CHANGE_SLICE].number = change->slice;
		row[CHANGE_ALLOCATIONS].number = change->allocations;
		row[CHANGE_FREES].number = change->frees;
		row[CHANGE_MISSED].number = change->missed;
		row[CHANGE_ALLOCATED].number = change->allocated;
		row[CHANGE_FREED].number = change->freed;
	}
	return 0;
}

/* Fewer pairs if they have too many changes. */
static size_t limit_changes(const struct span_counts *counts, size_t shown)
{
	size_t changes = counts->slices.count; /* of the rest */

	for (size_t i = 0; i < shown; i++) {
		changes += counts->pairs[i].count;
		if (changes > CHANGES_SHOWN)
			return i;
	}
	return shown;
}

/* The pairs with the most live bytes, then those with the most allocated bytes, then the rest. */
static int add_pairs(struct report *report, struct table *pairs, struct table *changes)
{
	struct span_counts *counts = report->data;
	size_t shown = span_counts_choose(counts, PAIRS_BY_LIVE, PAIRS_SHOWN);
	struct span_pair rest = { 0 };
	bool is_bound = false;
	int err = 0;

	shown = limit_changes(counts, shown);
	for (size_t i = 0; i < shown && !err; i++) {
		err = add_pair(report, pairs, &counts->pairs[i], i);
		if (!err)
			err = add_changes(changes, &counts->pairs[i], i);
	}
	if (err || shown == counts->pair_count)
		return err;
	for (size_t i = shown; i < counts->pair_count && !err; i++) {
		err = span_pair_add(&rest, &counts->pairs[i]);
		is_bound |= report->bounds.caches[counts->pairs[i].cache];
	}
	if (!err)
		err = add_rest(pairs, &rest, shown, counts->pair_count - shown, is_bound);
	if (!err)
		err = add_changes(changes, &rest, shown);
	free(rest.changes);
	return err;
}

static int add_slices(const struct report *report, struct table *table)
{
	struct span_counts *counts = report->data;
	const struct slices *slices = &counts->slices;
	uint64_t until = report->analysis.window_end;

	for (size_t i = 0; i < slices->count; i++) {
		const struct span_slice *slice = &counts->totals[i];
		uint64_t from = slices->begin + i * slices->width;
		uint64_t to = slices_end(slices, i, until);
		struct cell *row = table_add(table);

		if (!row)
			return -ENOMEM;
		row[SLICE_TIME].time = report_time(report, from);
		row[SLICE_DURATION].number = to > from ? to - from : 0;
		row[SLICE_ALLOCATIONS].number = slice->allocations;
		row[SLICE_FREES].number = slice->frees;
		row[SLICE_UNMATCHED].number = slice->unmatched;
		row[SLICE_MISSED].number = slice->missed;
		row[SLICE_FAILED].number = slice->failed;
	}
	return 0;
}

static int add_gaps(const struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;

	for (size_t i = 0; i < analysis->gap_count; i++) {
		const struct analysis_gap *gap = &analysis->gaps[i];
		uint64_t to = gap->before < analysis->end ? gap->before : analysis->end;
		struct cell *row = table_add(table);

		if (!row)
			return -ENOMEM;
		row[GAP_FROM].time = report_time(report, gap->after);
		row[GAP_TO].time = report_time(report, to > gap->after ? to : gap->after);
		row[GAP_COUNT].number = gap->count;
		row[GAP_CPU].number = gap->is_skip ? CELL_UNKNOWN : gap->cpu;
		row[GAP_KIND].text = strdup(gap->is_skip ? "skipped" : "lost");
		if (!row[GAP_KIND].text)
			return -ENOMEM;
	}
	return 0;
}

static struct table *add_table(struct report *report, const struct column *columns,
			       size_t column_count, const char *key, const char *sort)
{
	struct table *table = report_add_table(report, columns, column_count);

	table->key = key;
	table->empty = "No event was recorded.";
	table->sort = sort;
	return table;
}

static int make(struct report *report)
{
	struct table *pairs = add_table(report, pair_columns, PAIR_COLUMNS, "spans", "pair");
	struct table *changes =
		add_table(report, change_columns, CHANGE_COLUMNS, "changes", "pair,slice");
	struct table *slices = add_table(report, slice_columns, SLICE_COLUMNS, "slices", "time_ns");
	struct table *gaps = add_table(report, gap_columns, GAP_COLUMNS, "gaps", "-events,from_ns");
	struct span_counts *counts = report->data;
	int err;

	gaps->title = "Lost and skipped events";
	gaps->empty = "No lost or skipped event has a known time.";
	if (counts->slices.width && report->analysis.window_end)
		slices_index(&counts->slices, report->analysis.window_end - 1);
	span_counts_merge(counts);
	err = add_pairs(report, pairs, changes);
	if (!err)
		err = add_slices(report, slices);
	if (!err)
		err = add_gaps(report, gaps);
	if (!err)
		err = table_sort(gaps, gaps->sort);
	if (!err)
		table_cut(gaps, GAPS_SHOWN);
	return err;
}

const struct view view_spans = {
	.name = "spans",
	.needs_all = "shows each event",
	.summary = "allocations and frees of the largest call sites in each time slice",
	.columns = pair_columns,
	.column_count = PAIR_COLUMNS,
	.by = GROUP_BY_SITE,
	.begin = begin,
	.make = make,
	.end = end,
};
