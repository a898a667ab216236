// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view leaks: live objects at the end of the window by group, and their growth. A steady leak
 * ranks before a cache that filled once, and before objects that come and go.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/views/slices.h"
#include "report/views/trend.h"
#include "report/views/row_names.h"
#include "report/views/view.h"

#define NSEC_PER_SEC 1e9
#define ORDINARY_PERCENT 99 /* an old object is older than these freed objects became */

enum leak_column {
	LEAK_NAME,
	LEAK_ADDRESS,
	LEAK_OBJECTS,
	LEAK_BYTES,
	LEAK_AGE_MIN,
	LEAK_AGE_MEDIAN,
	LEAK_AGE_MAX,
	LEAK_GROWTH,
	LEAK_GROWTH_OBJECTS,
	LEAK_FIT,
	LEAK_OLD,
	LEAK_STEADY,
	LEAK_ALLOCATIONS,
	LEAK_CACHE,
	LEAK_COVERAGE,
	LEAK_COLUMNS
};

static const struct column columns[LEAK_COLUMNS] = {
	[LEAK_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			"the kernel code that allocated: symbol+offset/size [module]" },
	[LEAK_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[LEAK_OBJECTS] = { "live_objects", "live", "objects", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			   "allocated in the window, with no recorded free by its end" },
	[LEAK_BYTES] = { "live_bytes", "live", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "bytes allocated to the live objects" },
	[LEAK_AGE_MIN] = { "age_min_ns", "age", "min", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL },
	[LEAK_AGE_MEDIAN] = { "age_median_ns", "age", "median", COLUMN_DURATION, 0, COLUMN_ALWAYS,
			      "median age of the live objects at the end of the window" },
	[LEAK_AGE_MAX] = { "age_max_ns", "age", "max", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL },
	[LEAK_GROWTH] = { "growth_bytes_per_s", "growth", "B/s", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			  "slope of the straight line that fits the live bytes over time best "
			  "(least squares)" },
	[LEAK_GROWTH_OBJECTS] = { "growth_objects_per_s", "growth", "objects/s", COLUMN_DECIMAL, 2,
				  COLUMN_NOT_IN_TEXT, NULL },
	[LEAK_FIT] = { "fit_percent", "fit", "%", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,
		       "share of the variance of the live bytes that this line explains (R "
		       "squared); 0 if they do not grow" },
	[LEAK_OLD] = { "old_objects", "old", "objects", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
		       "live objects whose age is above the 99th percentile of the lifetimes of "
		       "the site's freed objects" },
	[LEAK_STEADY] = { "steady_percent", "steady", "%", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			  "how evenly the allocations of the old objects are spread over the "
			  "window, times the coverage, rounded to ten: near 100 is a steady leak" },
	[LEAK_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			       NULL },
	[LEAK_CACHE] = { "cache", "cache", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT, NULL },
	[LEAK_COVERAGE] = { "coverage_percent", "cov", "%", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,
			    "coverage: frees / (frees + missed frees) in the slab cache, the "
			    "lowest of several: below 100, live objects may have been freed" },
};

/* Change of the live bytes and objects of a group in each slice. */
struct series {
	int64_t bytes[SLICES_MAX], objects[SLICES_MAX];
};

struct leaks {
	struct slices slices;
	unsigned int merged;	/* slices.doublings that all series have applied */
	struct series **series; /* by group; NULL: empty */
	size_t group_count;
};

static struct series *find_series(struct leaks *leaks, uint32_t group)
{
	while (leaks->group_count <= group) {
		struct series **list =
			array_grow(leaks->series, leaks->group_count, sizeof(*leaks->series));

		if (!list)
			return NULL;
		leaks->series = list;
		list[leaks->group_count++] = NULL;
	}
	if (!leaks->series[group])
		leaks->series[group] = calloc(1, sizeof(struct series));
	return leaks->series[group];
}

static size_t find_slice(struct leaks *leaks, uint64_t time)
{
	size_t slice = slices_index(&leaks->slices, time);

	for (; leaks->merged < leaks->slices.doublings; leaks->merged++) {
		for (size_t i = 0; i < leaks->group_count; i++) {
			if (!leaks->series[i])
				continue;
			slices_merge(leaks->series[i]->bytes);
			slices_merge(leaks->series[i]->objects);
		}
	}
	return slice;
}

static int on_transition(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	bool ends = transition->outcome == OUTCOME_FREED || transition->outcome == OUTCOME_MISSED;
	struct leaks *leaks = data;
	struct series *series;
	size_t slice;

	if (!ends && transition->outcome != OUTCOME_ALLOCATED)
		return 0;
	if (!leaks->slices.width)
		slices_init_window(&leaks->slices, analysis);
	slice = find_slice(leaks, ends ? transition->event->time : transition->object->time);
	series = find_series(leaks, transition->group);
	if (!series)
		return -ENOMEM;
	series->objects[slice] += ends ? -1 : 1;
	series->bytes[slice] += ends ? -(int64_t)transition->object->allocated
				     : transition->object->allocated;
	return 0;
}

static int begin(struct report *report)
{
	struct leaks *leaks = calloc(1, sizeof(*leaks));

	if (!leaks)
		return -ENOMEM;
	report->data = leaks;
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ on_transition, leaks };
	return 0;
}

static void end(struct report *report)
{
	struct leaks *leaks = report->data;

	if (!leaks)
		return;
	for (size_t i = 0; i < leaks->group_count; i++)
		free(leaks->series[i]);
	free(leaks->series);
	free(leaks);
}

static int compare_survivors(const void *left, const void *right)
{
	const struct slab_object *a = *(const struct slab_object *const *)left;
	const struct slab_object *b = *(const struct slab_object *const *)right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* Live objects at the end, sorted by group, then time. NULL: no memory. */
static const struct slab_object **find_survivors(const struct analysis *analysis, size_t *count)
{
	const struct slab_object **list, *object;
	size_t next = 0;

	*count = 0;
	list = calloc(analysis->totals.live_objects + 1, sizeof(const struct slab_object *));
	if (!list)
		return NULL;
	while ((object = analysis_next_live(analysis, &next)))
		list[(*count)++] = object;
	qsort(list, *count, sizeof(*list), compare_survivors);
	return list;
}

/* Fits lines to the live bytes and objects at the ends of the slices. */
static void add_growth(const struct leaks *leaks, const struct analysis *analysis, uint32_t group,
		       struct cell *row)
{
	double seconds[SLICES_MAX], bytes[SLICES_MAX], objects[SLICES_MAX];
	const struct series *series = leaks->series[group];
	int64_t live_bytes = 0, live_objects = 0;
	size_t count = leaks->slices.count;
	struct trend trend;

	for (size_t i = 0; i < count; i++) {
		uint64_t slice_end = slices_end(&leaks->slices, i, analysis->window_end);

		live_bytes += series->bytes[i];
		live_objects += series->objects[i];
		seconds[i] = (double)(slice_end - leaks->slices.begin) / NSEC_PER_SEC;
		bytes[i] = (double)live_bytes;
		objects[i] = (double)live_objects;
	}
	trend = trend_line(seconds, bytes, count);
	row[LEAK_GROWTH].decimal = trend.slope;
	row[LEAK_FIT].decimal = trend.fit_percent;
	row[LEAK_GROWTH_OBJECTS].decimal = trend_line(seconds, objects, count).slope;
}

static uint64_t age(const struct analysis *analysis, const struct slab_object *survivor)
{
	return analysis->window_end > survivor->time ? analysis->window_end - survivor->time : 0;
}

/* list: objects of one group, the oldest first. times: an array of count for scratch. */
static void add_ages(const struct analysis *analysis, const struct slab_object *const *list,
		     size_t count, uint64_t *times, struct cell *row)
{
	const struct group *group = &analysis->groups[list[0]->group];
	uint64_t ordinary = 0, younger = age(analysis, list[count / 2]);
	size_t old = 0;
	double steady;

	if (group->lifetimes)
		ordinary = lifetimes_percentile(group->lifetimes, ORDINARY_PERCENT);
	for (; old < count && (!group->lifetimes || age(analysis, list[old]) > ordinary); old++)
		times[old] = list[old]->time;
	steady = trend_steady(times, old, analysis->window_begin, analysis->window_end);
	row[LEAK_AGE_MIN].number = age(analysis, list[count - 1]);
	row[LEAK_AGE_MEDIAN].number = younger;
	if (count % 2 == 0)
		row[LEAK_AGE_MEDIAN].number += (age(analysis, list[count / 2 - 1]) - younger) / 2;
	row[LEAK_AGE_MAX].number = age(analysis, list[0]);
	row[LEAK_OLD].number = old;
	/* missed frees look like a steady leak: weigh with the coverage */
	row[LEAK_STEADY].number = (uint64_t)(steady * row[LEAK_COVERAGE].decimal / 1000 + 0.5) * 10;
}

static void add_caches(const struct report *report, const struct slab_object *const *list,
		       size_t count, struct cell *row)
{
	const struct analysis *analysis = &report->analysis;
	uint32_t name = list[0]->cache;
	double lowest = 100;

	for (size_t i = 0; i < count; i++) {
		const struct analysis_cache *cache = &analysis->caches[list[i]->cache];
		double coverage = analysis_coverage(cache->frees, cache->missed_frees);

		if (list[i]->cache != name)
			name = CACHE_SEVERAL;
		if (coverage < lowest)
			lowest = coverage;
	}
	row[LEAK_CACHE].text = strdup(cache_name(report, name));
	row[LEAK_COVERAGE].decimal = lowest;
}

static int add_row(struct report *report, struct table *table,
		   const struct slab_object *const *list, size_t count, uint64_t *times)
{
	const struct analysis *analysis = &report->analysis;
	const struct group *group = &analysis->groups[list[0]->group];
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[LEAK_NAME].text = group_name(report, group);
	row[LEAK_ADDRESS].number = group_number(report, group);
	row[LEAK_OBJECTS].number = count;
	row[LEAK_ALLOCATIONS].number = group->allocations;
	for (size_t i = 0; i < count; i++)
		row[LEAK_BYTES].number += list[i]->allocated;
	add_caches(report, list, count, row);
	add_ages(analysis, list, count, times, row);
	add_growth(report->data, analysis, list[0]->group, row);
	return row[LEAK_NAME].text && row[LEAK_CACHE].text ? 0 : -ENOMEM;
}

static int make(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = report_add_table(report, columns, LEAK_COLUMNS);
	struct leaks *leaks = report->data;
	const struct slab_object **list;
	uint64_t *times;
	size_t count;
	int err = 0;

	table->key = "leaks";
	table->empty = "No object is live at the end.";
	table->sort = "steady_percent,fit_percent,growth_bytes_per_s,live_bytes";
	table->tiebreak = LEAK_ADDRESS;
	list = find_survivors(analysis, &count);
	times = calloc(count + 1, sizeof(*times));
	if (list && times && count)
		find_slice(leaks, analysis->window_end ? analysis->window_end - 1 : 0);
	else if (!list || !times)
		err = -ENOMEM;
	for (size_t i = 0, next; i < count && !err; i = next) {
		for (next = i + 1; next < count && list[next]->group == list[i]->group;)
			next++;
		err = add_row(report, table, list + i, next - i, times);
	}
	free(times);
	free(list);
	return err;
}

const struct view view_leaks = {
	.name = "leaks",
	.summary = "objects that are live at the end, by call site: age and growth",
	.columns = columns,
	.column_count = LEAK_COLUMNS,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.begin = begin,
	.make = make,
	.end = end,
};
