// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tables of the views cpus and nodes: domains (CPUs or nodes), pairs of domains, and the call
 * sites whose objects migrate from one domain to another.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/cross_frees.h"
#include "report/views/cross_free_tables.h"
#include "report/views/row_names.h"

static int begin_cross_frees(struct report *report, bool by_node)
{
	struct cross_frees *cross = calloc(1, sizeof(*cross));
	int err;

	if (!cross)
		return -ENOMEM;
	report->data = cross;
	err = cross_frees_init(cross, &report->capture->topology, by_node);
	cross->objects_at_end = report->settings.select && report->settings.select->older;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ cross_frees_on_transition, cross };
	return err;
}

int cross_free_begin_cpus(struct report *report)
{
	return begin_cross_frees(report, false);
}

int cross_free_begin_nodes(struct report *report)
{
	return begin_cross_frees(report, true);
}

void cross_free_end(struct report *report)
{
	if (!report->data)
		return;
	cross_frees_deinit(report->data);
	free(report->data);
}

static uint64_t id_of(uint32_t number)
{
	return number == DOMAIN_UNKNOWN ? CELL_UNKNOWN : number;
}

/* Of a CPU its node; of a node the number of its CPUs in the capture. */
static uint64_t other_of(const struct report *report, const struct cross_frees *cross,
			 uint32_t number)
{
	const struct topology_cpu *cpu;
	uint64_t cpus = 0;

	if (!cross->by_node) {
		cpu = topology_find(cross->topology, number);
		return cpu && cpu->node >= 0 ? (uint64_t)cpu->node : CELL_UNKNOWN;
	}
	for (size_t i = 0; i < report->analysis.cpu_count; i++) {
		uint16_t one = (uint16_t)report->analysis.cpus[i].cpu;

		cpus += cross_frees_domain_number(cross, one) == number;
	}
	return cpus;
}

static int add_domain(struct report *report, struct table *table,
		      const struct cross_free_text *text, const struct domain *domain)
{
	const struct cross_frees *cross = report->data;
	bool has_memory = cross->topology->memory.count;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, text->number)->number = id_of(domain->number);
	table_cell(table, text->other)->number = other_of(report, cross, domain->number);
	table_cell(table, COLUMN_allocations)->number = domain->allocations;
	table_cell(table, COLUMN_failed)->number = domain->failed;
	table_cell(table, COLUMN_bytes_allocated)->number = domain->bytes_allocated;
	table_cell(table, COLUMN_other_node_requests)->number =
		cross->objects_at_end ? CELL_UNKNOWN : domain->remote_node;
	table_cell(table, COLUMN_other_node_memory)->number = has_memory ? domain->memory_of_others
									 : CELL_UNKNOWN;
	table_cell(table, COLUMN_frees)->number = domain->frees;
	table_cell(table, COLUMN_frees_unmatched)->number = domain->frees_unmatched;
	table_cell(table, text->of_others)->number = domain->frees_of_others;
	table_cell(table, text->by_others)->number = domain->freed_by_others;
	table_cell(table, COLUMN_frees_of_other_node_memory)->number =
		has_memory ? domain->frees_of_other_memory : CELL_UNKNOWN;
	return 0;
}

static int add_pair(struct table *table, const struct cross_free_text *text,
		    const struct domain_pair *pair, uint64_t frees)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, text->from)->number = id_of(pair->from);
	table_cell(table, text->to)->number = id_of(pair->to);
	table_cell(table, COLUMN_frees)->number = pair->frees;
	table_cell(table, COLUMN_bytes)->number = pair->bytes;
	table_cell(table, COLUMN_percent)->decimal = table_percent(pair->frees, frees);
	return 0;
}

static int add_crossing_site(struct report *report, struct table *table,
			     const struct cross_free_text *text, const struct group *group,
			     const struct group_cross_frees *frees)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_frees)->number = group->frees;
	table_cell(table, text->cross_frees)->number = frees->frees;
	table_cell(table, text->cross_percent)->decimal = table_percent(frees->frees, group->frees);
	table_cell(table, text->cross_bytes)->number = frees->bytes;
	return table_cell(table, COLUMN_site)->text ? 0 : -ENOMEM;
}

static int make_domains(struct report *report, const struct cross_free_text *text)
{
	const struct analysis *analysis = &report->analysis;
	struct cross_frees *cross = report->data;
	struct table *table;
	int err = 0;

	table = report_add_table(report, report->view->columns);
	table->key = report->view->name;
	table->title = text->title;
	table->empty = "The capture has no CPUs.";
	table->sort = table->columns[0].key;
	/* Include the domains without events. */
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		uint16_t cpu = (uint16_t)analysis->cpus[i].cpu;

		if (!cross_frees_domain(cross, cross_frees_domain_number(cross, cpu)))
			return -ENOMEM;
	}
	for (size_t i = 0; i < cross->domain_count && !err; i++)
		err = add_domain(report, table, text, &cross->domains[i]);
	return err;
}

static int make_pairs(struct report *report, const struct cross_free_text *text)
{
	const struct column_choice columns[] = {
		{ .name = text->from },
		{ .name = text->to },
		{ .name = COLUMN_frees,
		  .header = "objects",
		  .legend = "objects allocated in the window and freed" },
		{ .name = COLUMN_bytes },
		{ .name = COLUMN_percent, .decimals = 2, .legend = "of all freed objects" },
		{ 0 },
	};
	const struct cross_frees *cross = report->data;
	struct table *table = report_add_table(report, columns);
	uint64_t frees = 0;
	int err = 0;

	table->key = "crossings";
	table->title = text->pairs_title;
	table->empty = "No free was recorded.";
	table->sort = text->pairs_sort;
	for (size_t i = 0; i < cross->pair_count; i++)
		frees += cross->pairs[i].frees;
	for (size_t i = 0; i < cross->pair_count && !err; i++)
		if (cross->pairs[i].frees)
			err = add_pair(table, text, &cross->pairs[i], frees);
	return err;
}

static int make_crossing_sites(struct report *report, const struct cross_free_text *text)
{
	const struct column_choice columns[] = {
		{ .name = COLUMN_site },
		{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
		{ .name = COLUMN_frees,
		  .header = "freed",
		  .unit = "objects",
		  .legend = "freed objects of the site" },
		{ .name = text->cross_frees },
		{ .name = text->cross_percent },
		{ .name = text->cross_bytes },
		{ 0 },
	};
	const struct cross_frees *cross = report->data;
	struct table *table = report_add_table(report, columns);
	int err = 0;

	table->key = "crossing_sites";
	table->title = text->crossing_sites_title;
	table->empty = text->no_crossing_sites;
	table->sort = text->crossing_sites_sort;
	table->tiebreak = table_column(table, COLUMN_address);
	for (size_t i = 0; i < cross->group_count && !err; i++)
		if (cross->groups[i].frees)
			err = add_crossing_site(report, table, text, &report->analysis.groups[i],
						&cross->groups[i]);
	return err;
}

int cross_free_make(struct report *report, const struct cross_free_text *text)
{
	int err;

	err = make_domains(report, text);
	if (!err)
		err = make_pairs(report, text);
	if (!err)
		err = make_crossing_sites(report, text);
	return err;
}
