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

enum slice_column {
	SLICE_TIME,
	SLICE_DURATION,
	SLICE_ALLOCATIONS,
	SLICE_FREES,
	SLICE_UNMATCHED,
	SLICE_MISSED,
	SLICE_FAILED,
	SLICE_ALLOCATION_RATE,
	SLICE_FREE_RATE,
	SLICE_ALLOCATED,
	SLICE_FREED,
	SLICE_LIVE_OBJECTS,
	SLICE_LIVE_BYTES,
	SLICE_PEAK,
	SLICE_PROCESS,
	SLICE_BAR = SLICE_PROCESS + PROCESS_SLICE_COLUMNS,
	SLICE_BOUND,
	SLICE_OUTSIDE,
	SLICE_COLUMNS
};

static const struct column columns[SLICE_COLUMNS] = {
	[SLICE_TIME] = { "time_ns", "time", "s", COLUMN_TIME, 0, COLUMN_ALWAYS,
			 "begin of the time slice, since the begin of the capture" },
	[SLICE_DURATION] = { "duration_ns", "for", "", COLUMN_DURATION, 0, COLUMN_NOT_IN_TEXT,
			     NULL },
	[SLICE_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
				NULL },
	[SLICE_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL },
	[SLICE_UNMATCHED] = { "frees_unmatched", "unmatched", "frees", COLUMN_NUMBER, 0,
			      COLUMN_NOT_IN_TEXT, NULL },
	[SLICE_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0,
			   COLUMN_IN_TEXT_IF_USED,
			   "frees that were not recorded: the address was allocated again while the object was live" },
	[SLICE_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			   "allocations that failed" },
	[SLICE_ALLOCATION_RATE] = { "allocations_per_s", "allocs", "per s", COLUMN_DECIMAL, 0,
				    COLUMN_ALWAYS, NULL },
	[SLICE_FREE_RATE] = { "frees_per_s", "frees", "per s", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,
			      "includes frees of objects whose allocation was not recorded" },
	[SLICE_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			      COLUMN_NOT_IN_TEXT, NULL },
	[SLICE_FREED] = { "bytes_freed", "freed", "bytes", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
	[SLICE_LIVE_OBJECTS] = { "live_objects", "live", "objects", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				 "at the end of the slice: allocated in the window, with no recorded free by then" },
	[SLICE_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			       "bytes allocated to the live objects" },
	[SLICE_PEAK] = { "peak_bytes", "max", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "maximum: the most bytes that were live at one time in the slice" },
	PROCESS_SLICE_COLUMNS_AT(SLICE_PROCESS),
	[SLICE_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
	[SLICE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
	[SLICE_OUTSIDE] = { "outside", "outside", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			    "allocations and frees of the row that were recorded before the begin or after the end: they are not in the rates" },
};

enum peak_column {
	PEAK_NAME,
	PEAK_ADDRESS,
	PEAK_OBJECTS,
	PEAK_BYTES,
	PEAK_PERCENT,
	PEAK_TIME,
	PEAK_BAR,
	PEAK_BOUND,
	PEAK_COLUMNS
};

static const struct column peak_columns[PEAK_COLUMNS] = {
	[PEAK_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[PEAK_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[PEAK_OBJECTS] = { "live_objects", "live", "objects", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			   "when the live bytes of all sites together were highest" },
	[PEAK_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			 "bytes allocated to the live objects" },
	[PEAK_PERCENT] = { "percent", "share", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			   "of all live bytes at that time" },
	[PEAK_TIME] = { "time_ns", "time", "s", COLUMN_TIME, 0, COLUMN_NOT_IN_TEXT, NULL },
	[PEAK_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
	[PEAK_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
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
static struct slice *advance(struct timeline *timeline, uint64_t time)
{
	size_t index = slices_index(&timeline->slices, time);

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

static int apply(struct timeline *timeline, const struct timeline_change *change)
{
	const struct object_weight weight = { 1, change->bytes, change->bytes };
	const struct delta delta = delta_of_outcome(change->outcome, &weight);
	bool is_outside = change->time < timeline->slices.begin || change->time > timeline->end;
	struct slice *slice;

	if (change->outcome == OUTCOME_MISSED_FREE_MATCHED && change->time < timeline->last_time) {
		slice = &timeline->list[slices_index(&timeline->slices, change->time)];
	} else {
		slice = advance(timeline, change->time);
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

static int on_transition(void *data, const struct analysis *analysis,
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
		process_slice_count(&advance(timeline, timeline->last_time)->process,
				    transition->event);
		return 0;
	}
	if (!timeline->unordered)
		return apply(timeline, &change);
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
		err = apply(timeline, &timeline->changes[i]);
	return err;
}

static int begin(struct report *report)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return -ENOMEM;
	timeline->unordered = report->settings.select && report->settings.select->older;
	report->data = timeline;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ on_transition, timeline };
	return live_parts_init(&timeline->parts);
}

static void end(struct report *report)
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

	live_parts_bounds(&timeline->parts, &report->bounds, is_bound);
	for (size_t i = 0; i < slices->count; i++) {
		const struct slice *slice = &timeline->list[i];
		uint64_t slice_begin = slices->begin + i * slices->width;
		uint64_t slice_end = slices_end(slices, i, report->analysis.window_end);
		uint64_t duration = slice_end > slice_begin ? slice_end - slice_begin : 0;
		double seconds = (double)duration / NSEC_PER_SEC;
		struct cell *row = table_add(table);

		if (!row)
			return -ENOMEM;
		row[SLICE_TIME].time = report_time(report, slice_begin);
		row[SLICE_DURATION].number = duration;
		row[SLICE_ALLOCATIONS].number = slice->allocations;
		row[SLICE_FREES].number = slice->frees;
		row[SLICE_UNMATCHED].number = slice->unmatched;
		row[SLICE_MISSED].number = slice->missed;
		row[SLICE_FAILED].number = slice->failed;
		row[SLICE_ALLOCATED].number = slice->allocated;
		row[SLICE_FREED].number = slice->freed;
		row[SLICE_LIVE_OBJECTS].number = slice->live_objects;
		row[SLICE_LIVE_BYTES].number = slice->live_bytes;
		row[SLICE_BOUND].truth = is_bound[i];
		row[SLICE_PEAK].number = slice->peak_bytes;
		row[SLICE_OUTSIDE].number = slice->outside_allocations + slice->outside_frees;
		report->outside += row[SLICE_OUTSIDE].number;
		process_slice_cells(&slice->process, &report->analysis, &row[SLICE_PROCESS]);
		if (timeline->peak_bytes)
			row[SLICE_BAR].decimal =
				(double)slice->live_bytes / (double)timeline->peak_bytes;
		if (duration) {
			row[SLICE_ALLOCATION_RATE].decimal =
				(double)(slice->allocations - slice->outside_allocations) / seconds;
			row[SLICE_FREE_RATE].decimal =
				(double)(slice->frees - slice->outside_frees) / seconds;
		}
	}
	return 0;
}

static int add_group(const struct report *report, struct table *table, size_t number,
		     const struct live_group *peak)
{
	const struct timeline *timeline = report->data;
	const struct group *group = &report->analysis.groups[number];
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[PEAK_NAME].text = group_name(report, group);
	row[PEAK_ADDRESS].number = group->key;
	row[PEAK_BOUND].truth = peak->is_bound;
	row[PEAK_OBJECTS].number = peak->live.objects;
	row[PEAK_BYTES].number = peak->live.bytes;
	row[PEAK_TIME].time = report_time(report, timeline->peak_time);
	row[PEAK_BAR].decimal = (double)peak->live.bytes / (double)timeline->peak_bytes;
	row[PEAK_PERCENT].decimal = 100 * row[PEAK_BAR].decimal;
	return row[PEAK_NAME].text ? 0 : -ENOMEM;
}

static int add_groups(const struct report *report, struct table *table)
{
	const struct timeline *timeline = report->data;
	size_t count = report->analysis.group_count;
	struct live_group *peaks = calloc(count + 1, sizeof(*peaks));
	int err = peaks ? 0 : -ENOMEM;

	if (!err)
		live_parts_groups(&timeline->parts, &report->bounds, peaks);
	for (size_t i = 0; i < count && !err; i++)
		if (peaks[i].live.objects)
			err = add_group(report, table, i, &peaks[i]);
	free(peaks);
	return err;
}

static int make(struct report *report)
{
	struct table *table = report_add_table(report, columns, SLICE_COLUMNS);
	struct table *peak = report_add_table(report, peak_columns, PEAK_COLUMNS);
	struct timeline *timeline = report->data;
	uint64_t window_end = report->analysis.window_end;
	int err;

	table->key = "timeline";
	table->title = "Timeline";
	table->empty = "No event was recorded.";
	table->sort = "time_ns";
	table->tiebreak = SLICE_TIME;
	peak->key = "peak";
	peak->title = "Peak: live objects when the live bytes were highest";
	peak->empty = "No object was live at any time.";
	peak->sort = "live_bytes,live_objects";
	peak->tiebreak = PEAK_ADDRESS;
	err = apply_stored(timeline);
	if (err || !timeline->slices.width)
		return err;
	advance(timeline, window_end ? window_end - 1 : 0);
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
	.column_count = SLICE_COLUMNS,
	.by = GROUP_BY_SITE,
	.rows = SLICES_MAX,
	.begin = begin,
	.make = make,
	.add_header = add_header,
	.end = end,
};
