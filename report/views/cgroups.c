// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view cgroups: what the tasks of each cgroup allocated, and what was charged to it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/allocations.h"
#include "report/render/header.h"
#include "report/render/render.h"
#include "report/views/estimate_columns.h"
#include "report/views/row_names.h"
#include "report/views/value_cells.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_cgroup },
	{ .name = COLUMN_container },
	{ .name = COLUMN_allocations,
	  .legend = "allocations by the tasks of the cgroup that succeeded, charged or not" },
	{ .name = COLUMN_frees, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated },
	{ .name = COLUMN_live_objects },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_charged_allocations, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_charged_bytes_allocated },
	{ .name = COLUMN_charged_live_objects, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_charged_live_bytes },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* Behind the columns of estimates. */
static const struct column_choice interval_columns[] = {
	{ .name = COLUMN_charged_live_bytes_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_charged_live_bytes_high, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The keys of the analysis; the row of a cgroup is the sum of its groups. */
static char by_text[] = "cgroup,container,charged";

enum {
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_CHARGED
};

/* The sums of some groups, which have no sample in common. */
struct sums {
	uint64_t allocations, frees, allocated, live_objects, live;
	struct variance variance;
};

struct cgroup_sums {
	struct sums all, charged;
	bool knows_charged; /* of each allocation, whether it was charged */
	bool is_bound;
};

static int set_by(struct report *report)
{
	return query_by(report->query, "--by", by_text);
}

static const struct value *keys_of(const struct report *report, size_t group)
{
	return report->allocations->groups.groups[report->analysis.groups[group].key]->keys;
}

static int compare_groups(const void *left, const void *right, void *data)
{
	const struct value *a = keys_of(data, *(const size_t *)left),
			   *b = keys_of(data, *(const size_t *)right);

	if (a->known != b->known)
		return a->known - b->known;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_sums(struct sums *sums, const struct report *report, size_t number)
{
	const struct group *group = &report->analysis.groups[number];
	struct variance variance;

	sums->allocations += group->allocations;
	sums->frees += group->frees;
	sums->allocated += group->bytes_allocated;
	sums->live_objects += group->live_objects;
	sums->live += group->live_bytes;
	if (!report->analysis.estimates)
		return;
	variance = estimates_of_group(report->analysis.estimates, number);
	sums->variance.allocations += variance.allocations;
	sums->variance.allocated += variance.allocated;
	sums->variance.live_objects += variance.live_objects;
	sums->variance.live += variance.live;
	sums->variance.samples += variance.samples;
	sums->variance.live_samples += variance.live_samples;
}

static void add_group_sums(struct cgroup_sums *sums, const struct report *report, size_t number)
{
	const struct value charged = keys_of(report, number)[KEY_CHARGED];

	add_sums(&sums->all, report, number);
	if (charged.known && charged.number)
		add_sums(&sums->charged, report, number);
	/* only allocations that succeeded can be charged */
	if (!charged.known && report->analysis.groups[number].allocations)
		sums->knows_charged = false;
	sums->is_bound |= report->bounds.groups[number];
}

static void set_cgroup_intervals(const struct report *report, const struct cgroup_sums *sums,
				 struct table *table)
{
	const struct estimates *estimates = report->analysis.estimates;
	const struct estimate_figures figures = { sums->all.allocations, sums->all.allocated,
						  sums->all.live_objects, sums->all.live, false };
	struct estimate_range range = { CELL_UNKNOWN, CELL_UNKNOWN };

	if (!estimates)
		return;
	estimate_set_cells(report, table, &figures, &sums->all.variance);
	if (sums->knows_charged)
		range = estimate_range_bytes(estimates, sums->charged.live,
					     sums->charged.variance.live, ESTIMATE_LIVE);
	table_cell(table, COLUMN_charged_live_bytes_low)->number = range.low;
	table_cell(table, COLUMN_charged_live_bytes_high)->number = range.high;
}

static int add_cgroup_row(struct report *report, struct table *table, const struct value *keys,
			  const struct cgroup_sums *sums)
{
	const struct texts *texts = &report->allocations->source.texts;
	int err = table_add(table) ? 0 : -ENOMEM;

	if (!err)
		err = value_set_cell(texts, table_cell(table, COLUMN_cgroup), COLUMN_TEXT,
				     keys[KEY_CGROUP]);
	if (!err)
		err = value_set_cell(texts, table_cell(table, COLUMN_container), COLUMN_TEXT,
				     keys[KEY_CONTAINER]);
	if (err)
		return err;
	table_cell(table, COLUMN_allocations)->number = sums->all.allocations;
	table_cell(table, COLUMN_frees)->number = sums->all.frees;
	table_cell(table, COLUMN_bytes_allocated)->number = sums->all.allocated;
	table_cell(table, COLUMN_live_objects)->number = sums->all.live_objects;
	table_cell(table, COLUMN_live_bytes)->number = sums->all.live;
	table_cell(table, COLUMN_charged_allocations)->number =
		sums->knows_charged ? sums->charged.allocations : CELL_UNKNOWN;
	table_cell(table, COLUMN_charged_bytes_allocated)->number =
		sums->knows_charged ? sums->charged.allocated : CELL_UNKNOWN;
	table_cell(table, COLUMN_charged_live_objects)->number =
		sums->knows_charged ? sums->charged.live_objects : CELL_UNKNOWN;
	table_cell(table, COLUMN_charged_live_bytes)->number =
		sums->knows_charged ? sums->charged.live : CELL_UNKNOWN;
	table_cell(table, COLUMN_live_upper_bound)->truth = sums->is_bound;
	set_cgroup_intervals(report, sums, table);
	return 0;
}

/* order: the groups, those of a cgroup together. */
static int add_cgroup_rows(struct report *report, struct table *table, const size_t *order,
			   size_t count)
{
	int err = 0;

	for (size_t begin = 0, end; begin < count && !err; begin = end) {
		struct cgroup_sums sums = { .knows_charged = true };

		for (end = begin;
		     end < count && !compare_groups(&order[begin], &order[end], report); end++)
			add_group_sums(&sums, report, order[end]);
		err = add_cgroup_row(report, table, keys_of(report, order[begin]), &sums);
	}
	return err;
}

static int make_cgroups(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	size_t *order = calloc(analysis->group_count + 1, sizeof(*order)), count = 0;
	struct table *table = report_add_table(report, columns);
	int err;

	estimate_add_columns(report, table);
	if (report->settings.estimate)
		table_choose(table, interval_columns);
	table->key = "cgroups";
	table->title = "Cgroups";
	table->empty = "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = table_column(table, COLUMN_cgroup);
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->group_count; i++)
		if (!group_is_empty(&analysis->groups[i]))
			order[count++] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_groups, report);
	err = add_cgroup_rows(report, table, order, count);
	free(order);
	return err;
}

/* A cgroup may be charged for much more, of which no tracepoint of the allocator knows. */
static int add_header(const struct report *report, struct header *header)
{
	if (!report->renderer->for_people)
		return 0;
	return header_add_line(
		header, "not shown", false,
		"memory without events, as vmalloc and page tables: see memory.stat");
}

const struct view view_cgroups = {
	.name = "cgroups",
	.summary = "allocations by the tasks of each cgroup, and objects charged to it",
	.columns = columns,
	.by = GROUP_BY_CALLER,
	.has_intervals = true,
	.set_by = set_by,
	.make = make_cgroups,
	.add_header = add_header,
};
