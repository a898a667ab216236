// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view probes: how each probe was recorded, and the number of its events. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/count.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_probe },
	{ .name = COLUMN_events, .at_least = true },
	{ .name = COLUMN_skipped, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_counted, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_recorded },
	{ .name = COLUMN_way, .where = COLUMN_BELOW },
	{ .name = COLUMN_lower_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

struct probe_counts {
	struct report *report;
	struct value_source source;
	uint64_t events[PROBES];
};

static int count_probe_event(void *data, const struct analysis *analysis,
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

static int begin_probes(struct report *report)
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
		(struct observer){ count_probe_event, counts };
	return err;
}

static const struct status_probe *find_status_probe(const struct status_probes *list,
						    const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->list[i].name, name))
			return &list->list[i];
	return NULL;
}

static int add_probe_row(const struct report *report, struct table *table, size_t number,
			 uint64_t events)
{
	const struct status *status = &report->capture->status;
	const struct status_probe *probe = find_status_probe(&status->probes, probes[number].name);
	/* bulk functions and krealloc() are observed by hooks, if at all */
	bool is_slab = number <= PROBE_CACHE_FREE && !status->no_slab;
	bool is_recorded = !probe || probe->is_recorded;

	if (!probe && !events && !is_slab)
		return 0;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_events)->number = is_recorded || events ? events : CELL_UNKNOWN;
	table_cell(table, COLUMN_lower_bound)->truth = count_is_bound(report);
	table_cell(table, COLUMN_recorded)->number = is_recorded;
	table_cell(table, COLUMN_skipped)->number = table_cell(table, COLUMN_counted)->number =
		CELL_UNKNOWN;
	if (probe && probe->is_recorded && probe->skipped != STATUS_UNKNOWN)
		table_cell(table, COLUMN_skipped)->number = probe->skipped;
	if (probe && probe->is_recorded && probe->counted != STATUS_UNKNOWN)
		table_cell(table, COLUMN_counted)->number = probe->counted;
	table_cell(table, COLUMN_probe)->text = strdup(probes[number].name);
	table_cell(table, COLUMN_way)->text = probe && *probe->text ? strdup(probe->text) : NULL;
	if (!table_cell(table, COLUMN_probe)->text ||
	    (probe && *probe->text && !table_cell(table, COLUMN_way)->text))
		return -ENOMEM;
	return 0;
}

static int make_probes(struct report *report)
{
	const struct probe_counts *counts = report->data;
	struct table *table = report_add_table(report, columns);
	int err = 0;

	table->key = "probes";
	table->title = "Probes";
	table->empty = "No probe was recorded.";
	table->sort = "events,probe";
	for (size_t i = 0; i < PROBES && !err; i++)
		err = add_probe_row(report, table, i, counts->events[i]);
	return err;
}

static void end_probes(struct report *report)
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
	.shows_events = true,
	.by = GROUP_BY_SITE,
	.rows = VIEW_ALL_ROWS,
	.begin = begin_probes,
	.make = make_probes,
	.add_header = count_add_header,
	.end = end_probes,
};
