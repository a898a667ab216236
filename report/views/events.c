// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view events: one event a line, in time order, with the columns of -F or the usual ones. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/query.h"
#include "base/array.h"
#include "capture/live_capture.h"
#include "report/render/render.h"
#include "report/render/row_stream.h"
#include "report/views/event_clock.h"
#include "report/views/view.h"

_Static_assert(QUERY_COLUMNS_MAX <= STREAM_COLUMNS_MAX, "columns of a stream");

/* The usual columns, by the names that JSON and CSV give them. A text shows task instead of comm.
 */
static const char usual_columns[] =
	"time_ns,cpu,tid,pid,comm,event,outcome,from_backup,pointer,bytes_requested,bytes_allocated,cache,gfp,requested_node,site,age_ns,alloc_site,missed_site";
/* Of a capture with process events. */
static const char process_columns[] =
	"time_ns,cpu,tid,pid,comm,event,outcome,from_backup,pointer,bytes_requested,bytes_allocated,cache,gfp,requested_node,site,age_ns,alloc_site,missed_site,address,length,write_access,fault_type,zero,victim";
static const char usual_text_columns[] =
	"time_ns,cpu,thread,event,outcome,from_backup,pointer,bytes_requested,bytes_allocated,cache,gfp,requested_node,address,length,write_access,fault_type,zero,victim,site,age_ns,alloc_site,missed_site";

struct events {
	const struct report *report;
	struct query usual;
	struct query *query; /* of the options */
	const struct query *columns_of;
	struct value_source source;
	struct stream_column columns[QUERY_COLUMNS_MAX];
	bool obvious_outcomes[QUERY_COLUMNS_MAX]; /* the text does not show allocated and freed */
	struct row_stream stream;
	struct stream_text *quoted[2]; /* by number of a text; the second: as words */
	size_t quoted_count[2];
	size_t rows;
};

/* The text in the form of the renderer; each is quoted once. NULL: no memory. */
static const struct stream_text *quote_event_text(struct events *events, uint32_t number,
						  bool is_word)
{
	struct stream_text *quoted;
	char *text;

	if (number >= events->quoted_count[is_word]) {
		quoted = array_grow_zeroed(events->quoted[is_word], &events->quoted_count[is_word],
					   (size_t)number + 1, sizeof(*quoted));
		if (!quoted)
			return NULL;
		events->quoted[is_word] = quoted;
	}
	quoted = &events->quoted[is_word][number];
	if (quoted->text)
		return quoted;
	if (events->report->renderer->rows.quote(quoted, texts_get(&events->source.texts, number),
						 is_word))
		return NULL;
	text = calloc(1, quoted->length + STREAM_TEXT_ROOM);
	if (!text)
		return NULL;
	memcpy(text, quoted->text, quoted->length);
	free(quoted->text);
	quoted->text = text;
	return quoted;
}

static int set_cell(struct events *events, struct stream_cell *cell,
		    const struct expression *column, struct value value)
{
	const struct stream_text *text;

	if (!value.known) {
		cell->type = STREAM_NULL;
		return 0;
	}
	switch (column->type) {
	case VALUE_NUMBER:
	case VALUE_BYTES:
	case VALUE_TIME:
	case VALUE_DURATION:
	case VALUE_NULL:
		cell->type = STREAM_INTEGER;
		cell->number = value.number;
		break;
	case VALUE_ADDRESS:
	case VALUE_FLAGS:
		cell->type = STREAM_HEX;
		cell->hex = (uint64_t)value.number;
		break;
	case VALUE_BOOL:
		cell->type = STREAM_BOOL;
		cell->truth = value.number;
		break;
	case VALUE_TEXT:
		text = quote_event_text(events, (uint32_t)value.number,
					column->field && column->field->is_word);
		if (!text)
			return -ENOMEM;
		cell->type = STREAM_TEXT;
		cell->text = *text;
		break;
	}
	return 0;
}

static int write_row(struct events *events, const struct transition *transition)
{
	const struct query *query = events->columns_of;
	struct stream_cell row[QUERY_COLUMNS_MAX];
	bool ordinary = transition->outcome == OUTCOME_ALLOCATED ||
			transition->outcome == OUTCOME_FREED ||
			transition->outcome == OUTCOME_FREE_REASSIGNED;

	for (size_t i = 0; i < query->column_count; i++) {
		const struct expression *column = &query->columns[i];
		struct value value = expression_value(column, &events->source, transition);
		int err;

		if (ordinary && events->obvious_outcomes[i])
			value = value_unknown();
		err = set_cell(events, &row[i], column, value);
		if (err)
			return err;
	}
	if (events->source.err)
		return events->source.err;
	row_stream_add(&events->stream, row);
	return 0;
}

static int write_event_row(void *data, const struct analysis *analysis,
			   const struct transition *transition)
{
	struct events *events = data;

	if (!value_source_take(&events->source, analysis, transition) || events->stream.err ||
	    (events->report->lines && events->rows == events->report->lines) ||
	    !query_takes(events->query, &events->source, transition))
		return events->source.err;
	events->rows++;
	return write_row(events, transition);
}

/* How a text shows a column: times, CPUs and tasks stand in columns, other values have a key. */
static struct stream_column layout_of(const struct event_field *field, bool counts_events)
{
	if (!field)
		return (struct stream_column){ .layout = STREAM_LAYOUT_KEYED };
	if (field->get == value_get_time)
		return (struct stream_column){ .layout = counts_events ? STREAM_LAYOUT_NUMBER
								       : STREAM_LAYOUT_SECONDS,
					       .width = 16 };
	if (field->get == value_get_cpu)
		return (struct stream_column){ .layout = STREAM_LAYOUT_BRACKETS, .width = 3 };
	if (field->get == value_get_thread)
		return (struct stream_column){ .layout = STREAM_LAYOUT_WORD, .width = 20 };
	if (field->get == value_get_name)
		return (struct stream_column){ .layout = STREAM_LAYOUT_WORD, .width = 16 };
	return (struct stream_column){ .layout = STREAM_LAYOUT_KEYED };
}

static void set_columns(struct events *events, bool counts_events)
{
	const struct query *query = events->columns_of;
	bool is_usual = query == &events->usual;

	for (size_t i = 0; i < query->column_count; i++) {
		const struct event_field *field = query->columns[i].field;
		const char *key = query->columns[i].text;

		if (counts_events && !strcmp(key, "time_ns"))
			key = "time_events";
		if (counts_events && !strcmp(key, "age_ns"))
			key = "age_events";
		events->columns[i] = layout_of(field, counts_events);
		events->columns[i].key = key;
		events->obvious_outcomes[i] = is_usual && field &&
					      field->get == value_get_outcome &&
					      events->report->renderer->for_people;
	}
}

/* Rows must not wait for the next events of a live capture. */
static int flush_events(void *data)
{
	struct events *events = data;
	int err = row_stream_flush(&events->stream);

	return err || !fflush(events->report->out) ? err : -errno;
}

static int begin_events(struct report *report)
{
	struct events *events;
	int err;

	if (report->settings.select && report->settings.select->older)
		return error_set(
			&report->error, -EINVAL,
			"--older selects objects, but the view events shows events: remove --older or name another view");
	events = calloc(1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	report->data = events;
	events->report = report;
	events->query = report->query;
	err = value_source_init(&events->source);
	if (!err)
		err = query_columns(&events->usual, "-F",
				    report->renderer->for_people	   ? usual_text_columns
				    : report->capture->status.probes.count ? process_columns
									   : usual_columns);
	if (!err)
		err = report_bind_query(report, &events->source);
	if (err)
		return err;
	events->columns_of = events->query->column_count ? events->query : &events->usual;
	set_columns(events, event_clock_is(report->capture));
	row_stream_init(&events->stream, &report->renderer->rows, report->out, events->columns,
			events->columns_of->column_count);
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ write_event_row, events };
	if (report->capture->live) {
		report->capture->live->before_wait = flush_events;
		report->capture->live->data = events;
	}
	return 0;
}

static int finish_events(struct report *report)
{
	struct events *events = report->data;
	int err = row_stream_flush(&events->stream);

	report->counted = events->rows;
	if (err)
		error_set_at(&report->error, err, "standard output");
	return err;
}

static void end_events(struct report *report)
{
	struct events *events = report->data;

	if (!events)
		return;
	for (size_t word = 0; word < 2; word++) {
		for (size_t i = 0; i < events->quoted_count[word]; i++)
			free(events->quoted[word][i].text);
		free(events->quoted[word]);
	}
	row_stream_deinit(&events->stream);
	query_deinit(&events->usual);
	value_source_deinit(&events->source);
	free(events);
}

const struct view view_events = {
	.name = "events",
	.summary = "one event a line, in time order; in JSON one object a line",
	.streams = true,
	.shows_events = true,
	.has_fields = true,
	.by = GROUP_BY_SITE,
	.begin = begin_events,
	.make = finish_events,
	.end = end_events,
};
