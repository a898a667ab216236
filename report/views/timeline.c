// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view timeline: rates, live bytes and process events in each time slice, and the call sites at
 * the peak.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "base/array.h"
#include "report/render/header.h"
#include "report/views/live_parts.h"
#include "report/views/process_slices.h"
#include "report/views/slices.h"
#include "report/views/row_names.h"
#include "report/views/view.h"

#define NSEC_PER_SEC 1e9

static const struct column_choice columns[] = {
	{ .name = COLUMN_time_ns },
	{ .name = COLUMN_duration_ns, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_allocations, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_frees,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "includes frees of objects whose allocation was not recorded" },
	{ .name = COLUMN_frees_unmatched, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_missed_frees, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_failed, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_allocations_per_s },
	{ .name = COLUMN_frees_per_s },
	{ .name = COLUMN_bytes_allocated, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_freed, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects,
	  .unit = "objects",
	  .legend =
		  "at the end of the slice: allocated in the window, with no recorded free by then" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_peak_bytes,
	  .type = COLUMN_NUMBER,
	  .legend = "maximum: the most bytes that were live at one time in the slice" },
	{ .name = COLUMN_minor_faults, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_major_faults, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_mmap_growth_bytes, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_brk_growth_bytes, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_oom_kills, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_bar },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_outside, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const struct column_choice peak_columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects,
	  .unit = "objects",
	  .legend =
		  "objects that were live when the live bytes of all sites together were highest" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_percent, .legend = "of all live bytes at that time" },
	{ .name = COLUMN_time_ns, .where = COLUMN_NOT_IN_TEXT, .legend = "the time of the peak" },
	{ .name = COLUMN_bar },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* A transition, reduced to the fields that this view needs. */
struct timeline_change {
	uint64_t time;
	enum outcome outcome;
	uint32_t group, cache, bytes;
};

struct slice {
	uint64_t allocations, frees, unmatched, missed, failed;
	uint64_t outside_allocations, outside_frees; /* part of them: before the begin, or late */
	uint64_t allocated, freed;		     /* bytes */
	uint64_t live_objects, live_bytes, peak_bytes;
	struct process_slice process;
};

struct timeline {
	struct slices slices;
	uint64_t end;	     /* ns: later events are outside; UINT64_MAX: not known */
	unsigned int merged; /* slices.doublings that list has applied */
	struct slice list[SLICES_MAX];
	size_t latest; /* slice */
	struct live_objects live;
	struct live_parts parts;
	uint64_t peak_bytes, peak_time;
	uint64_t last_time; /* of a change */
	bool unordered;	    /* with --older: store changes, sort them at the end */
	struct timeline_change *changes;
	size_t change_count;
};

static void merge_slices(struct slice *list)
{
	for (size_t i = 0; i < SLICES_MAX / 2; i++) {
		const struct slice *a = &list[2 * i], *b = a + 1;
		struct process_slice process = a->process;

		process_slice_add(&process, &b->process);
		list[i] = (struct slice){
			.allocations = a->allocations + b->allocations,
			.frees = a->frees + b->frees,
			.unmatched = a->unmatched + b->unmatched,
			.missed = a->missed + b->missed,
			.failed = a->failed + b->failed,
			.outside_allocations = a->outside_allocations + b->outside_allocations,
			.outside_frees = a->outside_frees + b->outside_frees,
			.allocated = a->allocated + b->allocated,
			.freed = a->freed + b->freed,
			.live_objects = b->live_objects,
			.live_bytes = b->live_bytes,
			.peak_bytes = a->peak_bytes > b->peak_bytes ? a->peak_bytes : b->peak_bytes,
			.process = process,
		};
	}
	memset(list + SLICES_MAX / 2, 0, SLICES_MAX / 2 * sizeof(*list));
}

/* Moves to the slice of the time. Slices without events on the way keep the live values. */
static struct slice *advance_timeline(struct timeline *timeline, uint64_t time)
{
	size_t index = slices_include(&timeline->slices, time);

	for (; timeline->merged < timeline->slices.doublings; timeline->merged++) {
		/* nothing changed in the second half of the latest pair yet */
		if (timeline->latest % 2 == 0) {
			struct slice *next = &timeline->list[timeline->latest + 1];

			next->live_objects = timeline->live.objects;
			next->live_bytes = timeline->live.bytes;
		}
		merge_slices(timeline->list);
		live_parts_merge(&timeline->parts);
		timeline->latest /= 2;
	}
	while (timeline->latest < index) {
		struct slice *next = &timeline->list[++timeline->latest];

		next->live_objects = timeline->live.objects;
		next->live_bytes = next->peak_bytes = timeline->live.bytes;
	}
	return &timeline->list[timeline->latest];
}

static int change_live(struct timeline *timeline, struct slice *slice,
		       const struct timeline_change *change, const struct delta *delta)
{
	const struct live_objects added = { delta_live_objects(delta), delta_live_bytes(delta) };

	if (live_parts_change(&timeline->parts, change->group, change->cache, added) ||
	    live_parts_change_slice(&timeline->parts, change->cache,
				    (size_t)(slice - timeline->list), added.objects))
		return -ENOMEM;
	timeline->live.objects += added.objects;
	timeline->live.bytes += added.bytes;
	if (timeline->live.bytes > timeline->peak_bytes) {
		timeline->peak_bytes = timeline->live.bytes;
		timeline->peak_time = change->time;
		live_parts_new_peak(&timeline->parts);
	}
	slice->live_objects = timeline->live.objects;
	slice->live_bytes = timeline->live.bytes;
	if (slice->peak_bytes < timeline->live.bytes)
		slice->peak_bytes = timeline->live.bytes;
	return 0;
}

static int apply_timeline_change(struct timeline *timeline, const struct timeline_change *change)
{
	const struct object_weight weight = { 1, change->bytes, change->bytes };
	const struct delta delta = delta_of_outcome(change->outcome, &weight);
	bool is_outside = change->time < timeline->slices.begin || change->time > timeline->end;
	struct slice *slice;

	if (change->outcome == OUTCOME_MISSED_FREE_MATCHED && change->time < timeline->last_time) {
		slice = &timeline->list[slices_include(&timeline->slices, change->time)];
	} else {
		slice = advance_timeline(timeline, change->time);
		timeline->last_time = change->time;
	}
	slice->allocations += delta.allocations;
	slice->frees += delta.frees + delta.unmatched;
	slice->unmatched += delta.unmatched;
	slice->missed += delta.missed;
	slice->failed += delta.failed;
	slice->allocated += delta.allocated;
	slice->freed += delta.freed;
	if (is_outside) {
		slice->outside_allocations += delta.allocations;
		slice->outside_frees += delta.frees + delta.unmatched;
	}
	return delta_live_objects(&delta) ? change_live(timeline, slice, change, &delta) : 0;
}

static int keep_timeline_change(void *data, const struct analysis *analysis,
				const struct transition *transition)
{
	struct timeline *timeline = data;
	struct timeline_change change = { .time = delta_time(analysis, transition),
					  .outcome = transition->outcome,
					  .group = transition->group,
					  .cache = transition->cache },
			       *changes;

	if (transition->object)
		change.bytes = transition->object->allocated;
	if (!timeline->slices.width) {
		slices_init_window(&timeline->slices, analysis);
		timeline->end = analysis_known_end(analysis);
	}
	if (transition->outcome == OUTCOME_OTHER) {
		timeline->last_time = transition->event->time;
		process_slice_count(&advance_timeline(timeline, timeline->last_time)->process,
				    transition->event);
		return 0;
	}
	if (!timeline->unordered)
		return apply_timeline_change(timeline, &change);
	changes = array_grow(timeline->changes, timeline->change_count, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	timeline->changes = changes;
	changes[timeline->change_count++] = change;
	return 0;
}

/* At equal times frees come first: the allocations of these objects are earlier. */
static int compare_changes(const void *left, const void *right)
{
	const struct timeline_change *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if ((a->outcome == OUTCOME_INITIAL) != (b->outcome == OUTCOME_INITIAL))
		return a->outcome == OUTCOME_INITIAL ? -1 : 1;
	if ((a->outcome == OUTCOME_ALLOCATED) != (b->outcome == OUTCOME_ALLOCATED))
		return a->outcome == OUTCOME_ALLOCATED ? 1 : -1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int apply_stored(struct timeline *timeline)
{
	int err = 0;

	if (timeline->change_count)
		qsort(timeline->changes, timeline->change_count, sizeof(*timeline->changes),
		      compare_changes);
	for (size_t i = 0; i < timeline->change_count && !err; i++)
		err = apply_timeline_change(timeline, &timeline->changes[i]);
	return err;
}

static int begin_timeline(struct report *report)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return -ENOMEM;
	timeline->unordered = report->settings.select && report->settings.select->older;
	report->data = timeline;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ keep_timeline_change, timeline };
	return live_parts_init(&timeline->parts);
}

static void end_timeline(struct report *report)
{
	struct timeline *timeline = report->data;

	if (!timeline)
		return;
	live_parts_deinit(&timeline->parts);
	free(timeline->changes);
	free(timeline);
}

static int add_slices(struct report *report, struct table *table)
{
	const struct timeline *timeline = report->data;
	const struct slices *slices = &timeline->slices;
	bool is_bound[SLICES_MAX];

	live_parts_find_bounds(&timeline->parts, &report->bounds, is_bound);
	for (size_t i = 0; i < slices->count; i++) {
		const struct slice *slice = &timeline->list[i];
		uint64_t slice_begin = slices->begin + i * slices->width;
		uint64_t slice_end = slices_end(slices, i, report->analysis.window_end);
		uint64_t duration = slice_end > slice_begin ? slice_end - slice_begin : 0;
		double seconds = (double)duration / NSEC_PER_SEC;

		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_time_ns)->time = report_time(report, slice_begin);
		table_cell(table, COLUMN_duration_ns)->number = duration;
		table_cell(table, COLUMN_allocations)->number = slice->allocations;
		table_cell(table, COLUMN_frees)->number = slice->frees;
		table_cell(table, COLUMN_frees_unmatched)->number = slice->unmatched;
		table_cell(table, COLUMN_missed_frees)->number = slice->missed;
		table_cell(table, COLUMN_failed)->number = slice->failed;
		table_cell(table, COLUMN_bytes_allocated)->number = slice->allocated;
		table_cell(table, COLUMN_bytes_freed)->number = slice->freed;
		table_cell(table, COLUMN_live_objects)->number = slice->live_objects;
		table_cell(table, COLUMN_live_bytes)->number = slice->live_bytes;
		table_cell(table, COLUMN_live_upper_bound)->truth = is_bound[i];
		table_cell(table, COLUMN_peak_bytes)->number = slice->peak_bytes;
		table_cell(table, COLUMN_outside)->number =
			slice->outside_allocations + slice->outside_frees;
		report->outside += table_cell(table, COLUMN_outside)->number;
		process_slice_cells(&slice->process, &report->analysis, table);
		if (timeline->peak_bytes)
			table_cell(table, COLUMN_bar)->decimal =
				(double)slice->live_bytes / (double)timeline->peak_bytes;
		if (duration) {
			table_cell(table, COLUMN_allocations_per_s)->decimal =
				(double)(slice->allocations - slice->outside_allocations) / seconds;
			table_cell(table, COLUMN_frees_per_s)->decimal =
				(double)(slice->frees - slice->outside_frees) / seconds;
		}
	}
	return 0;
}

static int add_peak_row(const struct report *report, struct table *table, size_t number,
			const struct live_group *peak)
{
	const struct timeline *timeline = report->data;
	const struct group *group = &report->analysis.groups[number];

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group->key;
	table_cell(table, COLUMN_live_upper_bound)->truth = peak->is_bound;
	table_cell(table, COLUMN_live_objects)->number = peak->live.objects;
	table_cell(table, COLUMN_live_bytes)->number = peak->live.bytes;
	table_cell(table, COLUMN_time_ns)->time = report_time(report, timeline->peak_time);
	table_cell(table, COLUMN_bar)->decimal =
		(double)peak->live.bytes / (double)timeline->peak_bytes;
	table_cell(table, COLUMN_percent)->decimal = 100 * table_cell(table, COLUMN_bar)->decimal;
	return table_cell(table, COLUMN_site)->text ? 0 : -ENOMEM;
}

static int add_groups(const struct report *report, struct table *table)
{
	const struct timeline *timeline = report->data;
	size_t count = report->analysis.group_count;
	struct live_group *peaks = calloc(count + 1, sizeof(*peaks));
	int err = peaks ? 0 : -ENOMEM;

	if (!err)
		live_parts_sum_groups(&timeline->parts, &report->bounds, peaks);
	for (size_t i = 0; i < count && !err; i++)
		if (peaks[i].live.objects)
			err = add_peak_row(report, table, i, &peaks[i]);
	free(peaks);
	return err;
}

static int make_timeline(struct report *report)
{
	struct table *table = report_add_table(report, columns);
	struct table *peak = report_add_table(report, peak_columns);
	struct timeline *timeline = report->data;
	uint64_t window_end = report->analysis.window_end;
	int err;

	table->key = "timeline";
	table->title = "Timeline";
	table->empty = "No event was recorded.";
	table->sort = "time_ns";
	table->tiebreak = table_column(table, COLUMN_time_ns);
	peak->key = "peak";
	peak->title = "Peak: live objects when the live bytes were highest";
	peak->empty = "No object was live at any time.";
	peak->sort = "live_bytes,live_objects";
	peak->tiebreak = table_column(peak, COLUMN_address);
	err = apply_stored(timeline);
	if (err || !timeline->slices.width)
		return err;
	advance_timeline(timeline, window_end ? window_end - 1 : 0);
	err = add_slices(report, table);
	return err || !timeline->peak_bytes ? err : add_groups(report, peak);
}

/* Programs are detached one after the other: the last ones record beyond the end. */
static int add_header(const struct report *report, struct header *header)
{
	uint64_t outside = report->outside;

	if (!outside)
		return 0;
	return header_add_line(
		header, "rates", false,
		"without %" PRIu64
		" allocation%s before the begin or after the end, which the first and the last row count",
		outside, outside == 1 ? " or free" : "s and frees");
}

const struct view view_timeline = {
	.name = "timeline",
	.needs_all = "shows each event",
	.summary = "live bytes and rates over time, and the call sites at the peak",
	.columns = columns,
	.by = GROUP_BY_SITE,
	.rows = SLICES_MAX,
	.begin = begin_timeline,
	.make = make_timeline,
	.add_header = add_header,
	.end = end_timeline,
};
