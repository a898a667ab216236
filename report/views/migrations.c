// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Places, the matrix of what crosses from one to another, and the groups whose objects cross. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/crossings.h"
#include "report/views/migrations.h"
#include "report/views/row_names.h"

static int begin(struct report *report, bool by_node)
{
	struct crossings *crossings = calloc(1, sizeof(*crossings));
	int err;

	if (!crossings)
		return -ENOMEM;
	report->data = crossings;
	err = crossings_init(crossings, &report->capture->topology, by_node);
	crossings->late = report->settings.select && report->settings.select->older;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ crossings_watch, crossings };
	return err;
}

int places_begin_cpus(struct report *report)
{
	return begin(report, false);
}

int places_begin_nodes(struct report *report)
{
	return begin(report, true);
}

void places_end(struct report *report)
{
	if (!report->data)
		return;
	crossings_deinit(report->data);
	free(report->data);
}

static uint64_t id_of(uint32_t number)
{
	return number == PLACE_UNKNOWN ? CELL_UNKNOWN : number;
}

/* Of a CPU its node; of a node the number of its CPUs in the capture. */
static uint64_t other_of(const struct report *report, const struct crossings *crossings,
			 uint32_t number)
{
	const struct topology_cpu *cpu;
	uint64_t cpus = 0;

	if (!crossings->by_node) {
		cpu = topology_find(crossings->topology, number);
		return cpu && cpu->node >= 0 ? (uint64_t)cpu->node : CELL_UNKNOWN;
	}
	for (size_t i = 0; i < report->analysis.cpu_count; i++) {
		uint16_t one = (uint16_t)report->analysis.cpus[i].cpu;

		cpus += crossings_number(crossings, one) == number;
	}
	return cpus;
}

static int add_place(struct report *report, struct table *table, const struct place *place)
{
	const struct crossings *crossings = report->data;
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[PLACE_NUMBER].number = id_of(place->number);
	row[PLACE_OTHER].number = other_of(report, crossings, place->number);
	row[PLACE_ALLOCATIONS].number = place->allocations;
	row[PLACE_FAILED].number = place->failed;
	row[PLACE_ALLOCATED].number = place->bytes_allocated;
	row[PLACE_ELSEWHERE].number = crossings->late ? CELL_UNKNOWN : place->elsewhere;
	row[PLACE_FREES].number = place->frees;
	row[PLACE_UNMATCHED].number = place->frees_unmatched;
	row[PLACE_OF_OTHERS].number = place->frees_of_others;
	row[PLACE_BY_OTHERS].number = place->freed_by_others;
	return 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole * 100 : 0;
}

static int add_pair(struct table *table, const struct crossing *pair, uint64_t frees)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[PAIR_FROM].number = id_of(pair->from);
	row[PAIR_TO].number = id_of(pair->to);
	row[PAIR_FREES].number = pair->frees;
	row[PAIR_BYTES].number = pair->bytes;
	row[PAIR_PERCENT].decimal = percent(pair->frees, frees);
	return 0;
}

static int add_crosser(struct report *report, struct table *table, const struct group *group,
		       const struct crossing_group *crossed)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[CROSSER_NAME].text = group_name(report, group);
	row[CROSSER_ADDRESS].number = group_number(report, group);
	row[CROSSER_FREES].number = group->frees;
	row[CROSSER_CROSSED].number = crossed->frees;
	row[CROSSER_PERCENT].decimal = percent(crossed->frees, group->frees);
	row[CROSSER_BYTES].number = crossed->bytes;
	return row[CROSSER_NAME].text ? 0 : -ENOMEM;
}

static int make_places(struct report *report, const char *title)
{
	const struct analysis *analysis = &report->analysis;
	struct crossings *crossings = report->data;
	struct table *table;
	int err = 0;

	table = report_add_table(report, report->view->columns, report->view->column_count);
	table->key = report->view->name;
	table->title = title;
	table->empty = "The capture has no CPU.";
	table->sort = report->view->columns[PLACE_NUMBER].key;
	table->tie = PLACE_NUMBER;
	/* Those where nothing happened, too. */
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		uint16_t cpu = (uint16_t)analysis->cpus[i].cpu;

		if (!crossings_place(crossings, crossings_number(crossings, cpu)))
			return -ENOMEM;
	}
	for (size_t i = 0; i < crossings->place_count && !err; i++)
		err = add_place(report, table, &crossings->slots[i]);
	return err;
}

static int make_pairs(struct report *report, const struct places_text *text)
{
	const struct crossings *crossings = report->data;
	struct table *table = report_add_table(report, text->pairs, PAIR_COLUMNS);
	uint64_t frees = 0;
	int err = 0;

	table->key = "crossings";
	table->title = text->pairs_title;
	table->empty = "Nothing was freed.";
	table->sort = text->pairs_sort;
	table->tie = PAIR_FROM;
	for (size_t i = 0; i < crossings->pair_count; i++)
		frees += crossings->pairs[i].frees;
	for (size_t i = 0; i < crossings->pair_count && !err; i++)
		if (crossings->pairs[i].frees)
			err = add_pair(table, &crossings->pairs[i], frees);
	return err;
}

static int make_crossers(struct report *report, const struct places_text *text)
{
	const struct crossings *crossings = report->data;
	struct table *table = report_add_table(report, text->crossers, CROSSER_COLUMNS);
	int err = 0;

	table->key = "crossing_sites";
	table->title = "Call sites whose objects cross most";
	table->empty = text->no_crossers;
	table->sort = text->crossers_sort;
	table->tie = CROSSER_ADDRESS;
	for (size_t i = 0; i < crossings->group_count && !err; i++)
		if (crossings->groups[i].frees)
			err = add_crosser(report, table, &report->analysis.groups[i],
					  &crossings->groups[i]);
	return err;
}

int places_make(struct report *report, const struct places_text *text)
{
	int err;

	err = make_places(report, text->title);
	if (!err)
		err = make_pairs(report, text);
	if (!err)
		err = make_crossers(report, text);
	return err;
}
