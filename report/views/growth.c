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

enum growth_column {
	GROWTH_NAME,
	GROWTH_ADDRESS,
	GROWTH_OBJECTS,
	GROWTH_BYTES,
	GROWTH_STEADY,
	GROWTH_COVERAGE,
	GROWTH_DAMAGE,
	GROWTH_TASK,
	GROWTH_TASK_PID,
	GROWTH_TASK_COMM,
	GROWTH_TASK_SHARE,
	GROWTH_BOUND,
	GROWTH_COLUMNS
};

static const struct column columns[GROWTH_COLUMNS] = {
	[GROWTH_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[GROWTH_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_OBJECTS] = { "live_objects", "live", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS, NULL },
	[GROWTH_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS, NULL },
	[GROWTH_STEADY] = { "steady_percent", "steady", "%", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "how evenly the live objects were allocated over the window: near 100 is a steady leak, a cache that filled once is below 50" },
	[GROWTH_COVERAGE] = { "coverage_percent", "coverage", "%", COLUMN_DECIMAL, 1,
			      COLUMN_BELOW_IF_PART, NULL },
	[GROWTH_DAMAGE] = { "damage_bytes", "damage", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "live bytes, weighted by steadiness and coverage: see the view leaks" },
	[GROWTH_TASK] = { "main_task", "mostly by", "", COLUMN_TEXT, 0, COLUMN_BELOW, NULL },
	[GROWTH_TASK_PID] = { "main_task_pid", "mostly by", "pid", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT,
			      NULL },
	[GROWTH_TASK_COMM] = { "main_task_comm", "mostly by", "comm", COLUMN_TEXT, 0,
			       COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_TASK_SHARE] = { "main_task_percent", "share", "%", COLUMN_DECIMAL, 0,
				COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			   NULL },
};

/* The same for the glance: the task beside the call site. */
static const struct column glance_columns[GROWTH_COLUMNS] = {
	[GROWTH_NAME] = { "site", "What grew (view leaks)", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the kernel code that allocated: symbol+offset/size [module]" },
	[GROWTH_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_OBJECTS] = { "live_objects", "objects", "", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			     "objects with no recorded free by the end" },
	[GROWTH_BYTES] = { "live_bytes", "bytes", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			   "bytes allocated to these objects" },
	[GROWTH_STEADY] = { "steady_percent", "steady", "%", COLUMN_NUMBER, 0, COLUMN_IF_ROOM,
			    "how evenly the live objects were allocated over the window: near 100 is a steady leak, a cache that filled once is below 50" },
	[GROWTH_COVERAGE] = { "coverage_percent", "coverage", "%", COLUMN_DECIMAL, 1,
			      COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_DAMAGE] = { "damage_bytes", "damage", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			    "live bytes, weighted by steadiness and coverage: see the view leaks" },
	[GROWTH_TASK] = { "main_task", "mostly by", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the process that allocated more than half of these bytes" },
	[GROWTH_TASK_PID] = { "main_task_pid", "mostly by", "pid", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT,
			      NULL },
	[GROWTH_TASK_COMM] = { "main_task_comm", "mostly by", "comm", COLUMN_TEXT, 0,
			       COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_TASK_SHARE] = { "main_task_percent", "share", "%", COLUMN_DECIMAL, 0,
				COLUMN_NOT_IN_TEXT, NULL },
	[GROWTH_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			   NULL },
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
static size_t insert(struct growing *best, size_t count, const struct growing *one)
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
			found = insert(best, found, &list[i]);
	}
	return found;
}

static int add_row(struct report *report, struct table *table, const struct survivors *survivors,
		   const struct growing *one)
{
	const struct group *group = &report->analysis.groups[one->group];
	struct cell *row = table_add(table);
	const struct slab_object *const *objects;
	size_t count;

	if (!row)
		return -ENOMEM;
	objects = survivors_of(survivors, one->group, &count);
	row[GROWTH_NAME].text = group_name(report, group);
	row[GROWTH_ADDRESS].number = group_number(report, group);
	row[GROWTH_OBJECTS].number = one->damage.objects;
	row[GROWTH_BYTES].number = one->damage.live_bytes;
	row[GROWTH_BOUND].truth = report->bounds.groups[one->group];
	row[GROWTH_STEADY].number = (uint64_t)(one->damage.steady + 0.5);
	row[GROWTH_COVERAGE].decimal = one->damage.coverage;
	row[GROWTH_DAMAGE].number = one->damage.bytes;
	return row[GROWTH_NAME].text ? main_task_set(report, objects, count, &row[GROWTH_TASK])
				     : -ENOMEM;
}

static int add_rows(struct report *report, struct table *table, const struct survivors *survivors)
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
		err = add_row(report, table, survivors, &best[i]);
	free(times);
	free(list);
	return err;
}

int growth_table(struct report *report)
{
	struct table *table = report_add_table(report, report->is_glance ? glance_columns : columns,
					       GROWTH_COLUMNS);
	struct survivors survivors;
	int err;

	table->key = "growth";
	table->title = "Growth (details: kmemtrace-report leaks)";
	table->empty = "Nothing grows steadily.";
	table->sort = "damage_bytes,live_bytes,steady_percent";
	table->tiebreak = GROWTH_ADDRESS;
	table->leads = true;
	table->is_compact = report->is_glance;
	err = survivors_init(&survivors, &report->analysis);
	if (err)
		return err;
	err = add_rows(report, table, &survivors);
	survivors_deinit(&survivors);
	return err;
}
