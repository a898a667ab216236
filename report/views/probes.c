// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view probes: the number of events of each probe. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/count.h"
#include "report/views/view.h"

enum probes_column {
	PROBES_NAME,
	PROBES_EVENTS,
	PROBES_BOUND,
	PROBES_COLUMNS,
};

static const struct column columns[PROBES_COLUMNS] = {
	[PROBES_NAME] = { "probe", "probe", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the name that --probes takes" },
	[PROBES_EVENTS] = { "events", "events", "", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			    "events of this probe that were recorded", true },
	[PROBES_BOUND] = { "lower_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT, NULL },
};

struct probe_counts {
	struct report *report;
	struct value_source source;
	uint64_t events[PROBES];
};

static int on_transition(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	struct probe_counts *counts = data;

	if (!value_source_take(&counts->source, analysis, transition))
		return 0;
	if (query_takes(counts->report->query, &counts->source, transition)) {
		counts->events[probe_of(transition->event->id, transition->event->node)]++;
		counts->report->counted++;
	} else {
		counts->report->excluded++;
	}
	return counts->source.err;
}

static int begin(struct report *report)
{
	struct probe_counts *counts = calloc(1, sizeof(*counts));
	int err;

	if (!counts)
		return -ENOMEM;
	report->data = counts;
	counts->report = report;
	err = value_source_init(&counts->source);
	if (!err)
		err = report_bind_query(report, &counts->source);
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ on_transition, counts };
	return err;
}

static int make(struct report *report)
{
	const struct probe_counts *counts = report->data;
	struct table *table = report_add_table(report, columns, PROBES_COLUMNS);

	table->key = "probes";
	table->title = "Probes";
	table->empty = "No event was recorded, or selected.";
	table->sort = "events,probe";
	for (size_t i = 0; i < PROBES; i++) {
		struct cell *row = counts->events[i] ? table_add(table) : NULL;

		if (!row && counts->events[i])
			return -ENOMEM;
		if (!row)
			continue;
		row[PROBES_NAME].text = strdup(probes[i].name);
		if (!row[PROBES_NAME].text)
			return -ENOMEM;
		row[PROBES_EVENTS].number = counts->events[i];
		row[PROBES_BOUND].truth = count_is_bound(report);
	}
	return 0;
}

static void end(struct report *report)
{
	struct probe_counts *counts = report->data;

	if (counts)
		value_source_deinit(&counts->source);
	free(counts);
}

const struct view view_probes = {
	.name = "probes",
	.summary = "the number of events of each probe; --functions lists the functions",
	.columns = columns,
	.column_count = PROBES_COLUMNS,
	.shows_events = true,
	.by = GROUP_BY_SITE,
	.rows = VIEW_ALL_ROWS,
	.begin = begin,
	.make = make,
	.add_header = count_add_header,
	.end = end,
};
