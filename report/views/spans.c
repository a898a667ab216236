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

static const struct column_choice pair_columns[] = {
	{ .name = COLUMN_pair },
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_cache },
	{ .name = COLUMN_pairs },
	{ .name = COLUMN_initial_objects },
	{ .name = COLUMN_initial_bytes },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const struct column_choice change_columns[] = {
	{ .name = COLUMN_pair },
	{ .name = COLUMN_slice },
	{ .name = COLUMN_allocations, .legend = "allocations that succeeded, in the span" },
	{ .name = COLUMN_frees,
	  .legend = "frees in the span, of objects that the site allocated at any time" },
	{ .name = COLUMN_missed_frees },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_bytes_freed },
	{ 0 },
};

static const struct column_choice slice_columns[] = {
	{ .name = COLUMN_time_ns },
	{ .name = COLUMN_duration_ns },
	{ .name = COLUMN_allocations },
	{ .name = COLUMN_frees,
	  .legend = "includes frees of objects whose allocation was not recorded" },
	{ .name = COLUMN_frees_unmatched },
	{ .name = COLUMN_missed_frees },
	{ .name = COLUMN_failed },
	{ 0 },
};

static const struct column_choice gap_columns[] = {
	{ .name = COLUMN_from_ns,
	  .header = "from",
	  .unit = "s",
	  .type = COLUMN_TIME,
	  .legend = "the events were lost or skipped after this time" },
	{ .name = COLUMN_to_ns,
	  .header = "to",
	  .unit = "s",
	  .type = COLUMN_TIME,
	  .legend = "and before this time" },
	{ .name = COLUMN_events,
	  .type = COLUMN_NUMBER,
	  .legend = "their number; for a CPU with more than 65536 gaps, an upper bound" },
	{ .name = COLUMN_kind,
	  .legend = "lost: not stored; skipped: the kernel did not run the BPF program" },
	{ .name = COLUMN_cpu,
	  .legend = "the CPU; unknown of skipped events, which the kernel counts together" },
	{ 0 },
};

static int begin_spans(struct report *report)
{
	struct span_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	report->data = counts;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ span_counts_take, counts };
	return span_counts_init(counts);
}

static void end_spans(struct report *report)
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

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_pair)->number = number;
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_pairs)->number = 1;
	table_cell(table, COLUMN_initial_objects)->number = pair->initial_objects;
	table_cell(table, COLUMN_initial_bytes)->number = pair->initial_bytes;
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.caches[pair->cache];
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_cache)->text = strdup(cache_name(report, pair->cache));
	return table_cell(table, COLUMN_site)->text && table_cell(table, COLUMN_cache)->text
		       ? 0
		       : -ENOMEM;
}

static int add_rest(struct table *table, const struct span_pair *rest, size_t number, size_t pairs,
		    bool is_bound)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_pair)->number = number;
	table_cell(table, COLUMN_address)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_pairs)->number = pairs;
	table_cell(table, COLUMN_initial_objects)->number = rest->initial_objects;
	table_cell(table, COLUMN_initial_bytes)->number = rest->initial_bytes;
	table_cell(table, COLUMN_live_upper_bound)->truth = is_bound;
	return 0;
}

static int add_changes(struct table *table, const struct span_pair *pair, size_t number)
{
	for (size_t i = 0; i < pair->count; i++) {
		const struct span_change *change = &pair->changes[i];

		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_pair)->number = number;
		table_cell(table, COLUMN_slice)->number = change->slice;
		table_cell(table, COLUMN_allocations)->number = change->allocations;
		table_cell(table, COLUMN_frees)->number = change->frees;
		table_cell(table, COLUMN_missed_frees)->number = change->missed;
		table_cell(table, COLUMN_bytes_allocated)->number = change->allocated;
		table_cell(table, COLUMN_bytes_freed)->number = change->freed;
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

		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_time_ns)->time = report_time(report, from);
		table_cell(table, COLUMN_duration_ns)->number = to > from ? to - from : 0;
		table_cell(table, COLUMN_allocations)->number = slice->allocations;
		table_cell(table, COLUMN_frees)->number = slice->frees;
		table_cell(table, COLUMN_frees_unmatched)->number = slice->unmatched;
		table_cell(table, COLUMN_missed_frees)->number = slice->missed;
		table_cell(table, COLUMN_failed)->number = slice->failed;
	}
	return 0;
}

static int add_gaps(const struct report *report, struct table *table)
{
	const struct analysis *analysis = &report->analysis;

	for (size_t i = 0; i < analysis->gap_count; i++) {
		const struct analysis_gap *gap = &analysis->gaps[i];
		uint64_t to = gap->before < analysis->end ? gap->before : analysis->end;

		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_from_ns)->time = report_time(report, gap->after);
		table_cell(table, COLUMN_to_ns)->time =
			report_time(report, to > gap->after ? to : gap->after);
		table_cell(table, COLUMN_events)->number = gap->count;
		table_cell(table, COLUMN_cpu)->number = gap->is_skip ? CELL_UNKNOWN : gap->cpu;
		table_cell(table, COLUMN_kind)->text = strdup(gap->is_skip ? "skipped" : "lost");
		if (!table_cell(table, COLUMN_kind)->text)
			return -ENOMEM;
	}
	return 0;
}

static struct table *add_span_table(struct report *report, const struct column_choice *columns,
				    const char *key, const char *sort)
{
	struct table *table = report_add_table(report, columns);

	table->key = key;
	table->empty = "No event was recorded.";
	table->sort = sort;
	return table;
}

static int make_spans(struct report *report)
{
	struct table *pairs = add_span_table(report, pair_columns, "spans", "pair");
	struct table *changes = add_span_table(report, change_columns, "changes", "pair,slice");
	struct table *slices = add_span_table(report, slice_columns, "slices", "time_ns");
	struct table *gaps = add_span_table(report, gap_columns, "gaps", "-events,from_ns");
	struct span_counts *counts = report->data;
	int err;

	gaps->title = "Lost and skipped events";
	gaps->empty = "No lost or skipped event has a known time.";
	if (counts->slices.width && report->analysis.window_end)
		slices_include(&counts->slices, report->analysis.window_end - 1);
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
	.by = GROUP_BY_SITE,
	.begin = begin_spans,
	.make = make_spans,
	.end = end_spans,
};
