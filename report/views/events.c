// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view events: one event a line, in time order, with its object and outcome. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/render/row_stream.h"
#include "report/views/event_clock.h"
#include "report/views/event_names.h"
#include "report/views/view.h"

enum event_column {
	EVENT_TIME,
	EVENT_CPU,
	EVENT_TID,
	EVENT_PID,
	EVENT_COMM, /* for people "comm/tid" */
	EVENT_EVENT,
	EVENT_OUTCOME,
	EVENT_FROM_BACKUP,
	EVENT_POINTER,
	EVENT_REQUESTED,
	EVENT_ALLOCATED,
	EVENT_CACHE,
	EVENT_GFP,
	EVENT_NODE,
	EVENT_SITE,
	EVENT_AGE,
	EVENT_ALLOC_SITE,
	EVENT_MISSED_SITE,
	EVENT_COLUMNS
};

_Static_assert(EVENT_COLUMNS <= STREAM_COLUMNS_MAX, "columns of a stream");

static const struct stream_column columns[EVENT_COLUMNS] = {
	[EVENT_TIME] = { "time_ns", STREAM_LAYOUT_SECONDS, 16 },
	[EVENT_CPU] = { "cpu", STREAM_LAYOUT_BRACKETS, 3 },
	[EVENT_TID] = { "tid", STREAM_LAYOUT_HIDDEN, 0 },
	[EVENT_PID] = { "pid", STREAM_LAYOUT_HIDDEN, 0 },
	[EVENT_COMM] = { "comm", STREAM_LAYOUT_WORD, 20 },
	[EVENT_EVENT] = { "event", STREAM_LAYOUT_WORD, 16 },
	[EVENT_OUTCOME] = { "outcome", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_FROM_BACKUP] = { "from_backup", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_POINTER] = { "pointer", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_REQUESTED] = { "bytes_requested", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_ALLOCATED] = { "bytes_allocated", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_CACHE] = { "cache", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_GFP] = { "gfp", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_NODE] = { "node", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_SITE] = { "site", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_AGE] = { "age_ns", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_ALLOC_SITE] = { "alloc_site", STREAM_LAYOUT_KEYED, 0 },
	[EVENT_MISSED_SITE] = { "missed_site", STREAM_LAYOUT_KEYED, 0 },
};

#define OUTCOMES (OUTCOME_OTHER + 1)

static const char *const outcome_texts[OUTCOMES] = {
	[OUTCOME_ALLOCATED] = "allocated",   [OUTCOME_FAILED] = "failed",
	[OUTCOME_FREED] = "freed",	     [OUTCOME_UNMATCHED] = "unmatched",
	[OUTCOME_NO_OBJECT] = "null-free",   [OUTCOME_RESIZED] = "resized",
	[OUTCOME_MISSED] = "missed",	     [OUTCOME_MISSED_FREE_MATCHED] = "missed-free-matched",
	[OUTCOME_FREE_REASSIGNED] = "freed", [OUTCOME_OTHER] = "other",
};

struct events {
	const struct report *report;
	struct event_names names;
	struct stream_column columns[EVENT_COLUMNS];
	struct row_stream stream;
	struct stream_text events[KMT_ID_END], outcomes[OUTCOMES], nothing;
	size_t rows;
	/* a missed free: the object at the address that the next allocation event returns */
	uint64_t missed_site, missed_time;
	uint32_t missed_sequence;
	uint16_t missed_cpu;
	bool has_missed;
};

static void set_number(struct stream_cell *value, int64_t number)
{
	value->type = STREAM_INTEGER;
	value->number = number;
}

static int set_name(struct stream_cell *value, const struct event_name *name)
{
	if (!name)
		return -ENOMEM;
	value->type = STREAM_TEXT;
	value->text = name->name;
	return 0;
}

/* site: 0 if there is none. */
static int set_site(struct events *events, struct stream_cell *value, uint64_t site, uint64_t time)
{
	return set_name(value, event_names_site(&events->names, site, time));
}

static bool is_freed(const struct transition *transition)
{
	return transition->outcome == OUTCOME_FREED ||
	       transition->outcome == OUTCOME_FREE_REASSIGNED;
}

static int set_event(struct events *events, const struct transition *transition,
		     struct stream_cell *row)
{
	const struct event *event = transition->event;
	bool ordinary = transition->outcome == OUTCOME_ALLOCATED || is_freed(transition);
	const struct event_name *task;

	task = event_names_task(&events->names, event->task, event->time);
	if (set_name(&row[EVENT_COMM], task))
		return -ENOMEM;
	set_number(&row[EVENT_TIME], report_time(events->report, event->time));
	set_number(&row[EVENT_CPU], event->cpu);
	set_number(&row[EVENT_TID], event->task);
	if (task->number >= 0)
		set_number(&row[EVENT_PID], task->number);
	row[EVENT_EVENT] =
		(struct stream_cell){ .type = STREAM_TEXT, .text = events->events[event->id] };
	if (!ordinary || !events->report->renderer->for_people)
		row[EVENT_OUTCOME] =
			(struct stream_cell){ .type = STREAM_TEXT,
					      .text = events->outcomes[transition->outcome] };
	row[EVENT_GFP] = row[EVENT_ALLOC_SITE] = row[EVENT_MISSED_SITE] =
		(struct stream_cell){ .type = STREAM_TEXT, .text = events->nothing };
	row[EVENT_FROM_BACKUP] =
		(struct stream_cell){ .type = STREAM_BOOL, .truth = event_is_from_backup(event) };
	row[EVENT_POINTER] = (struct stream_cell){ .type = STREAM_HEX, .hex = event->pointer };
	return set_site(events, &row[EVENT_SITE], event->call_site, event->time);
}

static int set_allocation(struct events *events, const struct transition *transition,
			  struct stream_cell *row)
{
	const struct event *event = transition->event;
	bool missed = events->has_missed && events->missed_cpu == event->cpu &&
		      events->missed_sequence == event->sequence;

	set_number(&row[EVENT_REQUESTED], event->requested);
	set_number(&row[EVENT_ALLOCATED],
		   transition->outcome == OUTCOME_ALLOCATED ? event->allocated : 0);
	set_number(&row[EVENT_NODE], event->node);
	events->has_missed = false;
	if (missed &&
	    set_site(events, &row[EVENT_MISSED_SITE], events->missed_site, events->missed_time))
		return -ENOMEM;
	return set_name(&row[EVENT_GFP], event_names_flags(&events->names, event->gfp));
}

static int set_object(struct events *events, const struct analysis *analysis,
		      const struct transition *transition, struct stream_cell *row)
{
	const struct slab_object *object = transition->object;

	set_number(&row[EVENT_REQUESTED], object->requested);
	set_number(&row[EVENT_ALLOCATED], object->allocated);
	set_number(&row[EVENT_AGE], (int64_t)(transition->event->time - object->time));
	return set_site(events, &row[EVENT_ALLOC_SITE], analysis->groups[object->group].key,
			object->time);
}

static int set_resize(struct events *events, const struct transition *transition,
		      struct stream_cell *row)
{
	set_number(&row[EVENT_REQUESTED], transition->event->requested);
	return set_name(&row[EVENT_GFP], event_names_flags(&events->names, transition->event->gfp));
}

/* The cache of the object; if that is anonymous and the free names a cache, the named one. */
static const struct event_name *find_cache(struct events *events, const struct analysis *analysis,
					   const struct transition *transition)
{
	const struct cache *named = transition->event->has_cache ? transition->event->cache : NULL;

	if (named && is_freed(transition) && analysis->caches[transition->cache].is_anonymous)
		return event_names_event_cache(&events->names, named);
	return event_names_cache(&events->names, transition->cache);
}

static int write_row(struct events *events, const struct analysis *analysis,
		     const struct transition *transition)
{
	struct stream_cell row[EVENT_COLUMNS] = { 0 };
	int err = set_event(events, transition, row);

	if (!err && event_is_allocation(transition->event))
		err = set_allocation(events, transition, row);
	else if (!err && transition->object)
		err = set_object(events, analysis, transition, row);
	if (!err && transition->outcome == OUTCOME_RESIZED)
		err = set_resize(events, transition, row);
	if (err)
		return err;
	if (set_name(&row[EVENT_CACHE], find_cache(events, analysis, transition)))
		return -ENOMEM;
	row_stream_add(&events->stream, row);
	return 0;
}

static int on_transition(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	struct events *events = data;

	if (transition->outcome == OUTCOME_MISSED) {
		events->has_missed = true;
		events->missed_site = analysis->groups[transition->group].key;
		events->missed_time = transition->object->time;
		events->missed_cpu = transition->event->cpu;
		events->missed_sequence = transition->event->sequence;
		return 0;
	}
	if (transition->outcome == OUTCOME_MISSED_FREE_MATCHED || events->stream.err ||
	    (events->report->lines && events->rows == events->report->lines))
		return 0;
	events->rows++;
	return write_row(events, analysis, transition);
}

static void set_columns(struct events *events, bool counts_events)
{
	memcpy(events->columns, columns, sizeof(columns));
	if (!counts_events)
		return;
	events->columns[EVENT_TIME].key = "time_events";
	events->columns[EVENT_TIME].layout = STREAM_LAYOUT_NUMBER;
	events->columns[EVENT_AGE].key = "age_events";
}

static int begin(struct report *report)
{
	struct events *events;
	int err;

	if (report->settings.select && report->settings.select->older) {
		snprintf(report->errmsg, sizeof(report->errmsg),
			 "--older selects objects, but the view events shows events: remove "
			 "--older or name another view");
		return -EINVAL;
	}
	events = calloc(1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	report->data = events;
	events->report = report;
	err = event_names_init(&events->names, report);
	if (!err)
		err = report->renderer->rows.quote(&events->nothing, "", true);
	for (size_t i = KMT_NONE + 1; i < KMT_ID_END && !err; i++)
		err = report->renderer->rows.quote(&events->events[i], record_kinds[i].name, true);
	for (size_t i = 0; i < OUTCOMES && !err; i++)
		err = report->renderer->rows.quote(&events->outcomes[i], outcome_texts[i], true);
	set_columns(events, event_clock_is(report->capture));
	row_stream_init(&events->stream, &report->renderer->rows, report->out, events->columns,
			EVENT_COLUMNS);
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ on_transition, events };
	return err;
}

static int make(struct report *report)
{
	struct events *events = report->data;
	int err = row_stream_flush(&events->stream);

	if (err)
		snprintf(report->errmsg, sizeof(report->errmsg), "standard output: %s",
			 strerror(-err));
	return err;
}

static void end(struct report *report)
{
	struct events *events = report->data;

	if (!events)
		return;
	for (size_t i = 0; i < KMT_ID_END; i++)
		free(events->events[i].text);
	for (size_t i = 0; i < OUTCOMES; i++)
		free(events->outcomes[i].text);
	free(events->nothing.text);
	event_names_deinit(&events->names);
	free(events);
}

const struct view view_events = {
	.name = "events",
	.summary = "one event a line, in time order; in JSON one object a line",
	.streams = true,
	.by = GROUP_BY_SITE,
	.begin = begin,
	.make = make,
	.end = end,
};
