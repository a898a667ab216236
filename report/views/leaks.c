// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view leaks: live objects at the end of the window by group, and the slope of their bytes. The
 * rows with the most damage are first: see damage.h.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "analysis/reclaim.h"
#include "base/array.h"
#include "base/text.h"
#include "report/views/damage.h"
#include "report/views/estimate_columns.h"
#include "report/views/row_names.h"
#include "report/views/slices.h"
#include "report/views/survivors.h"
#include "report/views/trend.h"
#include "report/views/view.h"

#define NSEC_PER_SEC 1e9
#define PARTLY_MAX 5	 /* caches that a row lists */
#define NEARLY_FULL 99.9 /* percent of coverage */

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects, .unit = "objects" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_age_min_ns },
	{ .name = COLUMN_age_median_ns },
	{ .name = COLUMN_age_max_ns },
	{ .name = COLUMN_growth_bytes_per_s },
	{ .name = COLUMN_growth_objects_per_s, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_fit_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_old_objects },
	{ .name = COLUMN_steady_percent },
	{ .name = COLUMN_allocations, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_cache, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_coverage_percent,
	  .header = "cov",
	  .decimals = COLUMN_WHOLE,
	  .legend =
		  "coverage: frees / (frees + missed frees) in the slab cache; of several, the mean weighted by live bytes: below 100, live objects may have been freed" },
	{ .name = COLUMN_damage_bytes },
	{ .name = COLUMN_covered_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_partly_covered, .where = COLUMN_BELOW },
	{ .name = COLUMN_reclaimable_bytes, .where = COLUMN_BELOW },
	{ .name = COLUMN_main_task, .where = COLUMN_BELOW },
	{ .name = COLUMN_main_task_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_main_task_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* Change of the live bytes and objects of a group in a slice. */
struct live_change {
	size_t slice;
	int64_t bytes, objects;
};

/* The slices in which anything changed, in order: most groups have few. */
struct live_series {
	struct live_change *changes;
	size_t count;
};

struct leaks {
	struct slices slices;
	unsigned int merged;	    /* slices.doublings that all series have applied */
	struct live_series *series; /* by group */
	size_t group_count;
};

static struct live_series *find_series(struct leaks *leaks, uint32_t group)
{
	while (leaks->group_count <= group) {
		struct live_series *list =
			array_grow(leaks->series, leaks->group_count, sizeof(*leaks->series));

		if (!list)
			return NULL;
		leaks->series = list;
		list[leaks->group_count++] = (struct live_series){ 0 };
	}
	return &leaks->series[group];
}

/* Most events belong to the last slice; an object that was reported late may belong to any. */
static struct live_change *find_change(struct leaks *leaks, uint32_t group, size_t slice)
{
	struct live_series *series = find_series(leaks, group);
	struct live_change *list;
	size_t at;

	if (!series)
		return NULL;
	for (at = series->count; at && series->changes[at - 1].slice > slice; at--)
		;
	if (at && series->changes[at - 1].slice == slice)
		return &series->changes[at - 1];
	list = array_grow(series->changes, series->count, sizeof(*list));
	if (!list)
		return NULL;
	series->changes = list;
	memmove(&list[at + 1], &list[at], (series->count - at) * sizeof(*list));
	series->count++;
	list[at] = (struct live_change){ .slice = slice };
	return &list[at];
}

/* Each two neighbours become one. The list keeps its memory. */
static void halve_live_series(struct live_series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->count; i++) {
		struct live_change change = series->changes[i], *last = &series->changes[kept];

		change.slice /= 2;
		if (kept && last[-1].slice == change.slice) {
			last[-1].bytes += change.bytes;
			last[-1].objects += change.objects;
		} else {
			series->changes[kept++] = change;
		}
	}
	series->count = kept;
}

static size_t find_slice(struct leaks *leaks, uint64_t time)
{
	size_t slice = slices_include(&leaks->slices, time);

	for (; leaks->merged < leaks->slices.doublings; leaks->merged++)
		for (size_t i = 0; i < leaks->group_count; i++)
			halve_live_series(&leaks->series[i]);
	return slice;
}

static int add_live_change(void *data, const struct analysis *analysis,
			   const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);
	uint64_t objects = delta_live_objects(&delta);
	struct leaks *leaks = data;
	struct live_change *change;

	if (!objects)
		return 0;
	if (!leaks->slices.width)
		slices_init_window(&leaks->slices, analysis);
	change = find_change(leaks, transition->group,
			     find_slice(leaks, delta_time(analysis, transition)));
	if (!change)
		return -ENOMEM;
	change->objects += (int64_t)objects;
	change->bytes += (int64_t)delta_live_bytes(&delta);
	return 0;
}

static int begin_leaks(struct report *report)
{
	struct leaks *leaks = calloc(1, sizeof(*leaks));

	if (!leaks)
		return -ENOMEM;
	report->data = leaks;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ add_live_change, leaks };
	return 0;
}

static void end_leaks(struct report *report)
{
	struct leaks *leaks = report->data;

	if (!leaks)
		return;
	for (size_t i = 0; i < leaks->group_count; i++)
		free(leaks->series[i].changes);
	free(leaks->series);
	free(leaks);
}

/* Fits lines to the live bytes and objects at the ends of the slices. */
static void set_slopes(const struct leaks *leaks, const struct analysis *analysis, uint32_t group,
		       struct table *table)
{
	double seconds[SLICES_MAX], bytes[SLICES_MAX], objects[SLICES_MAX];
	const struct live_series *series = &leaks->series[group];
	int64_t live_bytes = 0, live_objects = 0;
	size_t count = leaks->slices.count, next = 0;
	struct trend trend;

	for (size_t i = 0; i < count; i++) {
		uint64_t slice_end = slices_end(&leaks->slices, i, analysis->window_end);

		if (next < series->count && series->changes[next].slice == i) {
			live_bytes += series->changes[next].bytes;
			live_objects += series->changes[next++].objects;
		}
		seconds[i] = (double)(slice_end - leaks->slices.begin) / NSEC_PER_SEC;
		bytes[i] = (double)live_bytes;
		objects[i] = (double)live_objects;
	}
	trend = trend_line(seconds, bytes, count);
	table_cell(table, COLUMN_growth_bytes_per_s)->decimal = trend.slope;
	table_cell(table, COLUMN_fit_percent)->decimal = trend.fit_percent;
	table_cell(table, COLUMN_growth_objects_per_s)->decimal =
		trend_line(seconds, objects, count).slope;
}

static void add_ages(const struct analysis *analysis, const struct slab_object *const *list,
		     size_t count, struct table *table)
{
	uint64_t younger = damage_age(analysis, list[count / 2]);

	table_cell(table, COLUMN_age_min_ns)->number = damage_age(analysis, list[count - 1]);
	table_cell(table, COLUMN_age_median_ns)->number = younger;
	if (count % 2 == 0)
		table_cell(table, COLUMN_age_median_ns)->number +=
			(damage_age(analysis, list[count / 2 - 1]) - younger) / 2;
	table_cell(table, COLUMN_age_max_ns)->number = damage_age(analysis, list[0]);
}

/* The live objects of a row in each cache. */
struct cache_share {
	uint64_t objects, bytes;
	uint32_t cache;
};

/* Scratch memory for each row. */
struct scratch {
	uint64_t *times;	    /* for each live object */
	struct cache_share *caches; /* for each cache of the capture */
};

static int compare_shares(const void *left, const void *right)
{
	const struct cache_share *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->cache > b->cache) - (a->cache < b->cache);
}

/* "maple_node 2.9 % (300 objects, 76800 bytes), …" of the caches below full coverage. */
static char *list_partly(const struct report *report, struct cache_share *shares, size_t count)
{
	size_t size, listed = 0;
	char *text = NULL;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	qsort(shares, count, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < count; i++) {
		double coverage = damage_coverage(&report->analysis, shares[i].cache);

		if (coverage >= 100 || count == 1 || listed++ >= PARTLY_MAX)
			continue;
		fprintf(file, "%s%s %s%.1f %% (%" PRIu64 " object%s, %" PRIu64 " bytes)",
			listed > 1 ? ", " : "", cache_name(report, shares[i].cache),
			coverage > NEARLY_FULL ? "over " : "",
			coverage > NEARLY_FULL ? NEARLY_FULL : coverage, shares[i].objects,
			shares[i].objects == 1 ? "" : "s", shares[i].bytes);
	}
	if (listed > PARTLY_MAX)
		fprintf(file, ", and %zu more", listed - PARTLY_MAX);
	text_close(file, &text);
	return text;
}

static void add_caches(const struct report *report, const struct slab_object *const *list,
		       size_t count, struct cache_share *shares, struct table *table)
{
	struct reclaim_sum reclaim = { 0 };
	struct object_weight weight;
	size_t used = 0;

	memset(shares, 0, report->analysis.cache_count * sizeof(*shares));
	for (size_t i = 0; i < count; i++) {
		struct cache_share *share = &shares[list[i]->cache];

		weight = weigh_object(&report->analysis, list[i]);
		share->cache = list[i]->cache;
		share->objects += weight.objects;
		share->bytes += weight.allocated;
		reclaim_sum_add(&reclaim, object_reclaim(&report->analysis, list[i]),
				weight.allocated);
	}
	table_cell(table, COLUMN_reclaimable_bytes)->number = reclaim.unknown ? CELL_UNKNOWN
									      : reclaim.reclaimable;
	for (size_t i = 0; i < report->analysis.cache_count; i++)
		if (shares[i].objects)
			shares[used++] = shares[i];
	table_cell(table, COLUMN_cache)->text =
		strdup(cache_name(report, used == 1 ? shares[0].cache : CACHE_SEVERAL));
	table_cell(table, COLUMN_partly_covered)->text = list_partly(report, shares, used);
}

/* Rows by task are of one process already. */
static int add_main_task(const struct report *report, const struct slab_object *const *list,
			 size_t count, struct table *table)
{
	if (report->settings.by != GROUP_BY_TASK)
		return main_task_set(report, list, count, table);
	table_cell(table, COLUMN_main_task)->text = strdup("");
	table_cell(table, COLUMN_main_task_pid)->number = CELL_UNKNOWN;
	return table_cell(table, COLUMN_main_task)->text ? 0 : -ENOMEM;
}

static int add_leak_row(struct report *report, struct table *table,
			const struct slab_object *const *list, size_t count,
			const struct scratch *scratch)
{
	const struct analysis *analysis = &report->analysis;
	const struct group *group = &analysis->groups[list[0]->group];
	struct damage damage;

	if (!table_add(table))
		return -ENOMEM;
	damage_find(&damage, analysis, list, count, scratch->times);
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_live_objects)->number = damage.objects;
	table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.groups[list[0]->group];
	table_cell(table, COLUMN_live_bytes)->number = damage.live_bytes;
	table_cell(table, COLUMN_allocations)->number = group->allocations;
	table_cell(table, COLUMN_old_objects)->number = damage.old;
	table_cell(table, COLUMN_steady_percent)->number = (uint64_t)(damage.steady + 0.5);
	table_cell(table, COLUMN_coverage_percent)->decimal = damage.coverage;
	/* it grows with the objects of others: a leak of theirs has a row of its own */
	table_cell(table, COLUMN_damage_bytes)->number =
		group->key == GROUP_KEY_BOOKKEEPING ? 0 : damage.bytes;
	table_cell(table, COLUMN_covered_bytes)->number = damage.covered_bytes;
	estimate_set_group(report, table, group, true);
	if (add_main_task(report, list, count, table))
		return -ENOMEM;
	add_caches(report, list, count, scratch->caches, table);
	add_ages(analysis, list, count, table);
	set_slopes(report->data, analysis, list[0]->group, table);
	return table_cell(table, COLUMN_site)->text && table_cell(table, COLUMN_cache)->text &&
			       table_cell(table, COLUMN_partly_covered)->text
		       ? 0
		       : -ENOMEM;
}

static int add_leak_rows(struct report *report, struct table *table, struct survivors *survivors)
{
	const struct analysis *analysis = &report->analysis;
	struct scratch scratch = {
		.times = calloc(survivors->count + 1, sizeof(*scratch.times)),
		.caches = calloc(analysis->cache_count + 1, sizeof(*scratch.caches)),
	};
	int err = scratch.times && scratch.caches ? 0 : -ENOMEM;

	for (size_t group = 0; group < analysis->group_count && !err; group++) {
		const struct slab_object *const *list;
		size_t count;

		list = survivors_sort(survivors, group, &count);
		if (count)
			err = add_leak_row(report, table, list, count, &scratch);
	}
	free(scratch.times);
	free(scratch.caches);
	return err;
}

static int make_leaks(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = report_add_table(report, columns);
	struct survivors survivors;
	int err;

	estimate_add_columns(report, table);
	if (report->settings.estimate)
		estimate_of_live(table);
	table->key = "leaks";
	table->empty = report->filter_count ? "No selected object is live at the end."
					    : "No object is live at the end.";
	table->sort = "damage_bytes,live_bytes,steady_percent,growth_bytes_per_s";
	table->tiebreak = table_column(table, COLUMN_address);
	if (!analysis->totals.live_objects)
		return 0;
	err = survivors_init(&survivors, analysis);
	if (err)
		return err;
	find_slice(report->data, analysis->window_end ? analysis->window_end - 1 : 0);
	err = add_leak_rows(report, table, &survivors);
	survivors_deinit(&survivors);
	return err;
}

const struct view view_leaks = {
	.name = "leaks",
	.summary = "objects that are live at the end, by call site: age and slope",
	.columns = columns,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.begin = begin_leaks,
	.has_intervals = true,
	.merges_bookkeeping = true,
	.make = make_leaks,
	.end = end_leaks,
};
