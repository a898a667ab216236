// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the summary with the call sites that look most like a leak. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/views/damage.h"
#include "report/views/row_names.h"
#include "report/views/survivors.h"
#include "report/views/view.h"

#define GROWTH_ROWS 5

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_steady_percent },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_BELOW_IF_PART },
	{ .name = COLUMN_damage_bytes,
	  .legend =
		  "bytes of the old objects, weighted by steadiness and coverage: see the view leaks" },
	{ .name = COLUMN_main_task, .where = COLUMN_BELOW },
	{ .name = COLUMN_main_task_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The same for the glance: the task beside the call site. */
static const struct column_choice glance_columns[] = {
	{ .name = COLUMN_site, .header = "What grew (view leaks)" },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects, .header = "objects", .unit = "" },
	{ .name = COLUMN_live_bytes, .header = "bytes" },
	{ .name = COLUMN_steady_percent, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_damage_bytes,
	  .legend =
		  "bytes of the old objects, weighted by steadiness and coverage: see the view leaks" },
	{ .name = COLUMN_main_task },
	{ .name = COLUMN_main_task_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* A group with live objects. */
struct growing {
	size_t group;
	uint64_t live_bytes;
	struct damage damage;
};

static int compare_live_bytes(const void *left, const void *right)
{
	const struct growing *a = left, *b = right;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

/* Inserts one into the best, which are sorted by damage; returns their number. */
static size_t insert_growing(struct growing *best, size_t count, const struct growing *one)
{
	size_t at = count < GROWTH_ROWS ? count++ : count;

	for (; at && best[at - 1].damage.bytes < one->damage.bytes; at--)
		if (at < GROWTH_ROWS)
			best[at] = best[at - 1];
	if (at < GROWTH_ROWS)
		best[at] = *one;
	return count;
}

/*
 * Finds the groups with the most damage. It is at most their live bytes: groups that have fewer
 * than the last of the best has damage need no look at their objects. list: by live bytes.
 */
static size_t find_best(struct growing *best, struct growing *list, size_t count,
			const struct analysis *analysis, const struct survivors *survivors,
			uint64_t *times)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct slab_object *const *objects;
		size_t objects_count;

		if (found == GROWTH_ROWS &&
		    list[i].live_bytes <= best[GROWTH_ROWS - 1].damage.bytes)
			break;
		objects = survivors_of(survivors, list[i].group, &objects_count);
		damage_find(&list[i].damage, analysis, objects, objects_count, times);
		if (list[i].damage.bytes)
			found = insert_growing(best, found, &list[i]);
	}
	return found;
}

static int add_largest_row(struct report *report, struct table *table,
			   const struct survivors *survivors, const struct growing *one)
{
	const struct group *group = &report->analysis.groups[one->group];
	const struct slab_object *const *objects;
	size_t count;

	if (!table_add(table))
		return -ENOMEM;
	objects = survivors_of(survivors, one->group, &count);
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_live_objects)->number = one->damage.objects;
	table_cell(table, COLUMN_live_bytes)->number = one->damage.live_bytes;
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.groups[one->group];
	table_cell(table, COLUMN_steady_percent)->number = (uint64_t)(one->damage.steady + 0.5);
	table_cell(table, COLUMN_coverage_percent)->decimal = one->damage.coverage;
	table_cell(table, COLUMN_damage_bytes)->number = one->damage.bytes;
	return table_cell(table, COLUMN_site)->text ? main_task_set(report, objects, count, table)
						    : -ENOMEM;
}

static int add_largest_rows(struct report *report, struct table *table,
			    const struct survivors *survivors)
{
	const struct analysis *analysis = &report->analysis;
	struct growing *list = calloc(analysis->group_count + 1, sizeof(*list));
	struct growing best[GROWTH_ROWS];
	size_t count = 0, most = 0, found = 0;
	uint64_t *times;
	int err = 0;

	for (size_t i = 0; list && i < analysis->group_count; i++) {
		size_t objects = survivors->first[i + 1] - survivors->first[i];

		if (!objects)
			continue;
		if (objects > most)
			most = objects;
		list[count++] = (struct growing){ .group = i,
						  .live_bytes = analysis->groups[i].live_bytes };
	}
	times = calloc(most + 1, sizeof(*times));
	if (!list || !times) {
		err = -ENOMEM;
	} else {
		qsort(list, count, sizeof(*list), compare_live_bytes);
		found = find_best(best, list, count, analysis, survivors, times);
	}
	for (size_t i = 0; i < found && !err; i++)
		err = add_largest_row(report, table, survivors, &best[i]);
	free(times);
	free(list);
	return err;
}

int growth_table(struct report *report)
{
	struct table *table =
		report_add_table(report, report->is_glance ? glance_columns : columns);
	struct survivors survivors;
	int err;

	table->key = "growth";
	table->title = "Growth (details: kmemtrace-report leaks)";
	table->empty = "Nothing grows steadily.";
	table->sort = "damage_bytes,live_bytes,steady_percent";
	table->tiebreak = table_column(table, COLUMN_address);
	table->leads = true;
	table->is_compact = report->is_glance;
	err = survivors_init(&survivors, &report->analysis);
	if (err)
		return err;
	err = add_largest_rows(report, table, &survivors);
	survivors_deinit(&survivors);
	return err;
}
