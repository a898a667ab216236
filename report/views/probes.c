// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view probes: how each probe was recorded, and the number of its events. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/count.h"
#include "report/views/view.h"

enum probes_column {
	PROBES_NAME,
	PROBES_EVENTS,
	PROBES_SKIPPED,
	PROBES_COUNTED,
	PROBES_RECORDED,
	PROBES_WAY,
	PROBES_BOUND,
	PROBES_COLUMNS,
};

static const struct column columns[PROBES_COLUMNS] = {
	[PROBES_NAME] = { "probe", "probe", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the name that --probes takes" },
	[PROBES_EVENTS] = { "events", "events", "", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			    "events of this probe that were recorded", true },
	[PROBES_SKIPPED] = { "skipped", "skipped", "", COLUMN_NULLABLE, 0, COLUMN_IN_TEXT_IF_USED,
			     "events that the kernel skipped, if it counts them by probe" },
	[PROBES_COUNTED] = { "counted", "kernel", "counted", COLUMN_NULLABLE, 0,
			     COLUMN_IN_TEXT_IF_USED,
			     "events by a counter of the kernel's own, with those of kmemtraced" },
	[PROBES_RECORDED] = { "recorded", "recorded", "", COLUMN_BOOL, 0, COLUMN_ALWAYS,
			      "whether the capture records this probe" },
	[PROBES_WAY] = { "way", "way, or why not", "", COLUMN_TEXT, 0, COLUMN_BELOW,
			 "how a probe of process memory was recorded, or why it was not" },
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

static const struct status_probe *find(const struct status_probes *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->list[i].name, name))
			return &list->list[i];
	return NULL;
}

static int add_row(const struct report *report, struct table *table, size_t number, uint64_t events)
{
	const struct status *status = &report->capture->status;
	const struct status_probe *probe = find(&status->probes, probes[number].name);
	/* bulk functions and krealloc() are observed by hooks, if at all */
	bool is_slab = number <= PROBE_CACHE_FREE && !status->no_slab;
	bool is_recorded = !probe || probe->is_recorded;
	struct cell *row;

	if (!probe && !events && !is_slab)
		return 0;
	row = table_add(table);
	if (!row)
		return -ENOMEM;
	row[PROBES_EVENTS].number = is_recorded || events ? events : CELL_UNKNOWN;
	row[PROBES_BOUND].truth = count_is_bound(report);
	row[PROBES_RECORDED].number = is_recorded;
	row[PROBES_SKIPPED].number = row[PROBES_COUNTED].number = CELL_UNKNOWN;
	if (probe && probe->is_recorded && probe->skipped != STATUS_UNKNOWN)
		row[PROBES_SKIPPED].number = probe->skipped;
	if (probe && probe->is_recorded && probe->counted != STATUS_UNKNOWN)
		row[PROBES_COUNTED].number = probe->counted;
	row[PROBES_NAME].text = strdup(probes[number].name);
	row[PROBES_WAY].text = probe && *probe->text ? strdup(probe->text) : NULL;
	if (!row[PROBES_NAME].text || (probe && *probe->text && !row[PROBES_WAY].text))
		return -ENOMEM;
	return 0;
}

static int make(struct report *report)
{
	const struct probe_counts *counts = report->data;
	struct table *table = report_add_table(report, columns, PROBES_COLUMNS);
	int err = 0;

	table->key = "probes";
	table->title = "Probes";
	table->empty = "No probe was recorded.";
	table->sort = "events,probe";
	for (size_t i = 0; i < PROBES && !err; i++)
		err = add_row(report, table, i, counts->events[i]);
	return err;
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
	.needs_all = "counts each event",
	.summary = "how each probe was recorded, and the number of its events",
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
