// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view timeline: rates, live bytes and process events in each time slice, and the call sites at
 * the peak.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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
			   "frees that were not recorded: the address was allocated again while "
			   "the object was live" },
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
				 "at the end of the slice: allocated in the window, with no "
				 "recorded free by then" },
	[SLICE_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			       "bytes allocated to the live objects" },
	[SLICE_PEAK] = { "peak_bytes", "peak", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "the most bytes that were live at one time in the slice" },
	PROCESS_SLICE_COLUMNS_AT(SLICE_PROCESS),
	[SLICE_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
	[SLICE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
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
struct change {
	uint64_t time;
	enum outcome outcome;
	uint32_t group, bytes;
};

struct slice {
	uint64_t allocations, frees, unmatched, missed, failed;
	uint64_t allocated, freed; /* bytes */
	uint64_t live_objects, live_bytes, peak_bytes;
	struct process_slice process;
};

struct live {
	uint64_t objects, bytes;
};

/* Live objects of a group now and, if they changed since, at the peak. */
struct part {
	struct live live, at_peak;
	uint64_t peak; /* the peak of at_peak, by its number */
};

struct timeline {
	struct slices slices;
	unsigned int merged; /* slices.doublings that list has applied */
	struct slice list[SLICES_MAX];
	size_t latest; /* slice */
	struct live live;
	struct part *parts; /* by group */
	size_t part_count;
	uint64_t peaks, peak_bytes, peak_time; /* number of new maxima; the highest */
	uint64_t last_time;		       /* of a change */
	bool unordered; /* with --older: store changes, sort them at the end */
	struct change *changes;
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
		timeline->latest /= 2;
	}
	while (timeline->latest < index) {
		struct slice *next = &timeline->list[++timeline->latest];

		next->live_objects = timeline->live.objects;
		next->live_bytes = next->peak_bytes = timeline->live.bytes;
	}
	return &timeline->list[timeline->latest];
}

static struct part *find_part(struct timeline *timeline, uint32_t group)
{
	while (timeline->part_count <= group) {
		struct part *parts =
			array_grow(timeline->parts, timeline->part_count, sizeof(*parts));

		if (!parts)
			return NULL;
		timeline->parts = parts;
		parts[timeline->part_count++] = (struct part){ 0 };
	}
	return &timeline->parts[group];
}

static int change_live(struct timeline *timeline, struct slice *slice, const struct change *change,
		       bool more)
{
	struct part *part = find_part(timeline, change->group);
	uint64_t objects = more ? 1 : -1;
	uint64_t bytes = more ? change->bytes : -(uint64_t)change->bytes;

	if (!part)
		return -ENOMEM;
	if (part->peak != timeline->peaks) {
		part->peak = timeline->peaks;
		part->at_peak = part->live;
	}
	part->live.objects += objects;
	part->live.bytes += bytes;
	timeline->live.objects += objects;
	timeline->live.bytes += bytes;
	if (timeline->live.bytes > timeline->peak_bytes) {
		timeline->peak_bytes = timeline->live.bytes;
		timeline->peak_time = change->time;
		timeline->peaks++;
	}
	slice->live_objects = timeline->live.objects;
	slice->live_bytes = timeline->live.bytes;
	if (slice->peak_bytes < timeline->live.bytes)
		slice->peak_bytes = timeline->live.bytes;
	return 0;
}

static int apply(struct timeline *timeline, const struct change *change)
{
	struct slice *slice;

	if (change->outcome == OUTCOME_MISSED_FREE_MATCHED && change->time < timeline->last_time) {
		slice = &timeline->list[slices_index(&timeline->slices, change->time)];
	} else {
		slice = advance(timeline, change->time);
		timeline->last_time = change->time;
	}
	switch (change->outcome) {
	case OUTCOME_ALLOCATED:
		slice->allocations++;
		slice->allocated += change->bytes;
		return change_live(timeline, slice, change, true);
	case OUTCOME_INITIAL:
		return change_live(timeline, slice, change, true);
	case OUTCOME_FREED:
	case OUTCOME_MISSED:
		slice->frees += change->outcome == OUTCOME_FREED;
		slice->missed += change->outcome == OUTCOME_MISSED;
		slice->freed += change->bytes;
		return change_live(timeline, slice, change, false);
	case OUTCOME_UNMATCHED:
		slice->frees++;
		slice->unmatched++;
		break;
	case OUTCOME_FAILED:
		slice->failed++;
		break;
	case OUTCOME_MISSED_FREE_MATCHED:
		slice->missed--;
		slice->frees++;
		break;
	case OUTCOME_NO_OBJECT:
	case OUTCOME_RESIZED:
	case OUTCOME_FREE_REASSIGNED:
	case OUTCOME_OTHER:
		break;
	}
	return 0;
}

static int on_transition(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	struct timeline *timeline = data;
	struct change change = { .outcome = transition->outcome, .group = transition->group },
		      *changes;

	if (transition->outcome == OUTCOME_INITIAL)
		change.time = analysis->capture->checkpoint.begin;
	else if (transition->outcome == OUTCOME_ALLOCATED)
		change.time = transition->object->time;
	else
		change.time = transition->event->time;
	if (transition->object)
		change.bytes = transition->object->allocated;
	if (!timeline->slices.width)
		slices_init_window(&timeline->slices, analysis);
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
	const struct change *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if ((a->outcome == OUTCOME_INITIAL) != (b->outcome == OUTCOME_INITIAL))
		return a->outcome == OUTCOME_INITIAL ? -1 : 1;
	if ((a->outcome == OUTCOME_ALLOCATED) != (b->outcome == OUTCOME_ALLOCATED))
		return a->outcome == OUTCOME_ALLOCATED ? 1 : -1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
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
	return 0;
}

static void end(struct report *report)
{
	struct timeline *timeline = report->data;

	if (!timeline)
		return;
	free(timeline->parts);
	free(timeline->changes);
	free(timeline);
}

static int add_slices(const struct report *report, struct table *table)
{
	const struct timeline *timeline = report->data;
	const struct slices *slices = &timeline->slices;
	uint64_t end = report->analysis.window_end;

	/* programs are detached one after the other: the last ones record beyond the end */
	if (timeline->last_time > end)
		end = timeline->last_time;
	for (size_t i = 0; i < slices->count; i++) {
		const struct slice *slice = &timeline->list[i];
		uint64_t slice_begin = slices->begin + i * slices->width;
		uint64_t slice_end = slices_end(slices, i, end);
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
		row[SLICE_BOUND].truth = report->bounds.any && slice->live_objects;
		row[SLICE_PEAK].number = slice->peak_bytes;
		process_slice_cells(&slice->process, &report->analysis, &row[SLICE_PROCESS]);
		if (timeline->peak_bytes)
			row[SLICE_BAR].decimal =
				(double)slice->live_bytes / (double)timeline->peak_bytes;
		if (duration) {
			row[SLICE_ALLOCATION_RATE].decimal = (double)slice->allocations / seconds;
			row[SLICE_FREE_RATE].decimal = (double)slice->frees / seconds;
		}
	}
	return 0;
}

static int add_parts(const struct report *report, struct table *table)
{
	const struct timeline *timeline = report->data;

	for (size_t i = 0; i < timeline->part_count; i++) {
		const struct group *group = &report->analysis.groups[i];
		const struct part *part = &timeline->parts[i];
		struct live live = part->peak == timeline->peaks ? part->at_peak : part->live;
		struct cell *row;

		if (!live.objects)
			continue;
		row = table_add(table);
		if (!row)
			return -ENOMEM;
		row[PEAK_NAME].text = group_name(report, group);
		row[PEAK_ADDRESS].number = group->key;
		row[PEAK_BOUND].truth = live_bounds_ever(&report->bounds, &report->analysis, i);
		row[PEAK_OBJECTS].number = live.objects;
		row[PEAK_BYTES].number = live.bytes;
		row[PEAK_TIME].time = report_time(report, timeline->peak_time);
		row[PEAK_BAR].decimal = (double)live.bytes / (double)timeline->peak_bytes;
		row[PEAK_PERCENT].decimal = 100 * row[PEAK_BAR].decimal;
		if (!row[PEAK_NAME].text)
			return -ENOMEM;
	}
	return 0;
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
	return err || !timeline->peak_bytes ? err : add_parts(report, peak);
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
	.end = end,
};
