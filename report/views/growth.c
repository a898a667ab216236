// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the summary with the call sites whose live objects grew most. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/delta.h"
#include "analysis/reclaim.h"
#include "kernel/sampling.h"
#include "report/render/render.h"
#include "report/views/damage.h"
#include "report/views/row_names.h"
#include "report/views/row_path.h"
#include "report/views/survivors.h"
#include "report/views/view.h"

#define GROWTH_ROWS 5
#define RECLAIMABLE_ROWS 2    /* of them, at most */
#define RECLAIMABLE_WEIGHT 16 /* a reclaimable byte counts 1/16 in the order */

#define PATH_LEGEND \
	"the path on which most bytes of the row were allocated, as far as its objects have stacks: process, system call or other entry into the kernel, functions down to the caller of the allocator; (12 of 40 samples): of 40 live objects that have a stack, which are a random sample, 12 have this path"

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_growth_pattern },
	{ .name = COLUMN_grown_bytes },
	{ .name = COLUMN_steady_percent },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_BELOW_IF_PART },
	{ .name = COLUMN_damage_bytes,
	  .legend =
		  "bytes of the old objects, weighted by steadiness and coverage: see the view leaks" },
	{ .name = COLUMN_main_task, .where = COLUMN_BELOW },
	{ .name = COLUMN_main_task_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_path,
	  .where = COLUMN_BELOW,
	  .header = "path",
	  .unit = "samples",
	  .type = COLUMN_PATH,
	  .legend = PATH_LEGEND },
	{ .name = COLUMN_path_objects, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_stack_objects, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The same for the glance: the task beside the call site. */
static const struct column_choice glance_columns[] = {
	{ .name = COLUMN_site, .header = "What grew (view leaks)" },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects, .header = "objects", .unit = "" },
	{ .name = COLUMN_live_bytes, .header = "bytes" },
	{ .name = COLUMN_growth_pattern },
	{ .name = COLUMN_grown_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_steady_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_coverage_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_damage_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task },
	{ .name = COLUMN_main_task_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_path,
	  .where = COLUMN_BELOW,
	  .header = "path",
	  .unit = "samples",
	  .type = COLUMN_PATH,
	  .legend = PATH_LEGEND },
	{ .name = COLUMN_path_objects, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_stack_objects, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* A group with live objects. */
struct growing {
	size_t group;
	uint64_t live_bytes;
	struct damage damage;
	bool is_reclaimable; /* more than half of its live bytes */
	uint64_t rank;	     /* the rows are in descending order of it */
};

/* The numbers are in the legend of the column, too. */
static const char *pattern_of(const struct growing *one)
{
	double steady = one->damage.steady;

	if (one->is_reclaimable)
		return "reclaimable";
	return steady >= 80 ? "steady" : steady < 50 ? "burst" : "uneven";
}

static int compare_live_bytes(const void *left, const void *right)
{
	const struct growing *a = left, *b = right;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

/* The rows of the table, at most. */
static size_t count_rows(const struct report *report)
{
	bool is_cut = report->lines_given && report->lines && report->renderer->for_people;

	return is_cut ? MIN(report->lines, GROWTH_ROWS) : GROWTH_ROWS;
}

/* The groups that grew most, of up to rows, with the most first. */
struct growing_list {
	struct growing best[GROWTH_ROWS];
	size_t count, rows;
};

static void insert_growing(struct growing_list *list, const struct growing *one)
{
	size_t at = list->count < list->rows ? list->count++ : list->count;

	for (; at && list->best[at - 1].rank < one->rank; at--)
		if (at < list->rows)
			list->best[at] = list->best[at - 1];
	if (at < list->rows)
		list->best[at] = *one;
}

/* Is the list full, and has no group with so many bytes a place in it? */
static bool is_above(const struct growing_list *list, uint64_t bytes)
{
	return list->count == list->rows &&
	       (!list->rows || bytes <= list->best[list->rows - 1].rank);
}

static bool has_reclaimable(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->cache_count; i++)
		if (analysis->caches[i].reclaim == CACHE_RECLAIMABLE)
			return true;
	return false;
}

static bool is_reclaimable(const struct analysis *analysis,
			   const struct slab_object *const *objects, size_t count)
{
	uint64_t reclaimable = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t bytes = weigh_object(analysis, objects[i]).allocated;

		all += bytes;
		if (object_reclaim(analysis, objects[i]) == CACHE_RECLAIMABLE)
			reclaimable += bytes;
	}
	return reclaimable > all / 2;
}

/*
 * Finds the groups that grew most. They grew by at most their live bytes: groups that have fewer
 * than the last of the best grew need no look at their objects. list: by live bytes. Reclaimable
 * memory is freed when it is short: it counts less, and has few of the rows.
 */
static void find_best(struct growing_list *found, struct growing *list, size_t count,
		      const struct analysis *analysis, const struct survivors *survivors,
		      uint64_t *times)
{
	/* without such caches its places stay free, and every group would be looked at */
	struct growing_list reclaimable = { .rows = has_reclaimable(analysis)
							    ? MIN(found->rows, RECLAIMABLE_ROWS)
							    : 0 };

	for (size_t i = 0; i < count; i++) {
		const struct slab_object *const *objects;
		struct growing *one = &list[i];
		size_t objects_count;

		if (is_above(found, one->live_bytes) &&
		    is_above(&reclaimable, one->live_bytes / RECLAIMABLE_WEIGHT))
			break;
		objects = survivors_of(survivors, one->group, &objects_count);
		damage_find(&one->damage, analysis, objects, objects_count, times);
		if (!one->damage.grown_bytes)
			continue;
		one->is_reclaimable = is_reclaimable(analysis, objects, objects_count);
		one->rank = one->damage.grown_bytes;
		if (one->is_reclaimable)
			one->rank /= RECLAIMABLE_WEIGHT;
		insert_growing(one->is_reclaimable ? &reclaimable : found, one);
	}
	for (size_t i = 0; i < reclaimable.count; i++)
		insert_growing(found, &reclaimable.best[i]);
}

static int add_largest_row(struct report *report, struct table *table,
			   const struct survivors *survivors, const struct growing *one,
			   struct row_paths *paths)
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
	table_cell(table, COLUMN_grown_bytes)->number = one->damage.grown_bytes;
	table_cell(table, COLUMN_coverage_percent)->decimal = one->damage.coverage;
	table_cell(table, COLUMN_damage_bytes)->number = one->damage.bytes;
	table_cell(table, COLUMN_growth_pattern)->text = strdup(pattern_of(one));
	if (!table_cell(table, COLUMN_site)->text ||
	    !table_cell(table, COLUMN_growth_pattern)->text ||
	    main_task_set(report, objects, count, table))
		return -ENOMEM;
	return row_path_set(paths, objects, count, table);
}

/* The objects of the slab allocator itself: they grow with those of others. */
struct bookkeeping {
	uint64_t objects, bytes;
	size_t bounds; /* groups whose live objects are an upper bound */
};

/* Unless the user asks for its sites. */
static bool is_apart(const struct report *report, const struct group *group)
{
	const struct select *select = report->settings.select;

	return group->is_bookkeeping && !(select && select->has_site);
}

/* The last row: what it has is not among the others. */
static int add_bookkeeping(struct table *table, const struct bookkeeping *apart)
{
	if (!apart->objects)
		return 0;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = strdup(BOOKKEEPING_ROW);
	table_cell(table, COLUMN_address)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_live_objects)->number = apart->objects;
	table_cell(table, COLUMN_live_bytes)->number = apart->bytes;
	table_cell(table, COLUMN_live_upper_bound)->truth = apart->bounds != 0;
	table_cell(table, COLUMN_steady_percent)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_grown_bytes)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_coverage_percent)->decimal = NAN;
	table_cell(table, COLUMN_damage_bytes)->number = CELL_UNKNOWN;
	table_cell(table, COLUMN_growth_pattern)->text = strdup("");
	table_cell(table, COLUMN_main_task)->text = strdup("");
	table_cell(table, COLUMN_main_task_pid)->number = CELL_UNKNOWN;
	return table_cell(table, COLUMN_site)->text &&
			       table_cell(table, COLUMN_growth_pattern)->text &&
			       table_cell(table, COLUMN_main_task)->text
		       ? 0
		       : -ENOMEM;
}

/* The live objects of all groups but the best and the bookkeeping. */
static int add_others(struct report *report, struct table *table, const struct growing_list *list,
		      const struct bookkeeping *apart)
{
	const struct analysis *analysis = &report->analysis;
	uint64_t objects = analysis->totals.live_objects, bytes = analysis->totals.live_bytes;
	const struct growing *best = list->best;
	const size_t found = list->count;
	size_t bounds = 0;
	struct cell *others;

	for (size_t i = 0; i < analysis->group_count; i++)
		bounds += report->bounds.groups[i];
	for (size_t i = 0; i < found; i++) {
		objects -= MIN(objects, best[i].damage.objects);
		bytes -= MIN(bytes, best[i].damage.live_bytes);
		bounds -= report->bounds.groups[best[i].group];
	}
	objects -= MIN(objects, apart->objects);
	bytes -= MIN(bytes, apart->bytes);
	bounds -= apart->bounds;
	if (!found || !objects)
		return 0;
	others = table_add_others(table);
	if (!others)
		return -ENOMEM;
	others[table_column(table, COLUMN_live_objects)].number = objects;
	others[table_column(table, COLUMN_live_bytes)].number = bytes;
	others[table_column(table, COLUMN_live_upper_bound)].truth = bounds != 0;
	return 0;
}

static int add_largest_rows(struct report *report, struct table *table,
			    const struct survivors *survivors)
{
	const struct analysis *analysis = &report->analysis;
	struct growing *list = calloc(analysis->group_count + 1, sizeof(*list));
	struct growing_list found = { .rows = count_rows(report) };
	struct bookkeeping apart = { 0 };
	struct row_paths *paths;
	size_t count = 0, most = 0;
	uint64_t *times;
	int err = row_paths_open(&paths, report);

	for (size_t i = 0; list && i < analysis->group_count; i++) {
		size_t objects = survivors->first[i + 1] - survivors->first[i];

		if (!objects)
			continue;
		if (is_apart(report, &analysis->groups[i])) {
			apart.objects += analysis->groups[i].live_objects;
			apart.bytes += analysis->groups[i].live_bytes;
			apart.bounds += report->bounds.groups[i];
			continue;
		}
		if (objects > most)
			most = objects;
		list[count++] = (struct growing){ .group = i,
						  .live_bytes = analysis->groups[i].live_bytes };
	}
	times = calloc(most + 1, sizeof(*times));
	if (!list || !times) {
		err = -ENOMEM;
	} else if (!err) {
		found.rows -= apart.objects && found.rows > 1;
		qsort(list, count, sizeof(*list), compare_live_bytes);
		find_best(&found, list, count, analysis, survivors, times);
	}
	for (size_t i = 0; i < found.count && !err; i++)
		err = add_largest_row(report, table, survivors, &found.best[i], paths);
	if (!err)
		err = add_bookkeeping(table, &apart);
	if (!err)
		err = add_others(report, table, &found, &apart);
	row_paths_close(paths);
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
	table->empty = "Nothing grew.";
	table->leads = true;
	table->is_compact = report->is_glance;
	if (report->capture->status.sampling.interval == SAMPLING_EACH)
		table->chosen[table_column(table, COLUMN_path)].unit = "objects";
	err = survivors_init(&survivors, &report->analysis);
	if (err)
		return err;
	err = add_largest_rows(report, table, &survivors);
	survivors_deinit(&survivors);
	return err;
}
