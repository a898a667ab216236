// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The growth over the intervals, and the totals of each interval. Time that no summary covers does
 * not count: neither for the slope nor for the steadiness.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/utc.h"
#include "report/summaries/tables.h"
#include "report/views/estimate_columns.h"
#include "report/views/trend.h"

#define NSEC_PER_SEC 1e9
#define DATE_LENGTH 19 /* of "2026-11-25T12:00:00" */

static const struct column_choice leak_columns[] = {
	{ .name = COLUMN_function },
	{ .name = COLUMN_live_objects,
	  .unit = "objects",
	  .legend = "objects with no recorded free at the end of the last interval" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_growth_objects,
	  .where = COLUMN_NOT_IN_TEXT,
	  .unit = "objects",
	  .legend = "allocations - frees in all intervals" },
	{ .name = COLUMN_growth_bytes },
	{ .name = COLUMN_growth_bytes_per_s,
	  .legend =
		  "slope of the straight line that fits the growth over time best (least squares)" },
	{ .name = COLUMN_fit_percent, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_steady_percent,
	  .type = COLUMN_NULLABLE,
	  .legend =
		  "how evenly the growth is spread over the intervals: near 100 is a steady leak; with few intervals it is never near 100, with one not known" },
	{ .name = COLUMN_steady_growth_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_allocations, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_coverage_percent,
	  .header = "cov",
	  .decimals = COLUMN_WHOLE,
	  .legend =
		  "coverage: frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed" },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const struct column_choice interval_columns[] = {
	{ .name = COLUMN_time_ns, .legend = "begin of the interval, since the begin of the first" },
	{ .name = COLUMN_begin, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_duration_ns, .legend = "length of the interval" },
	{ .name = COLUMN_summaries },
	{ .name = COLUMN_allocations, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_frees, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_missed_frees, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_failed, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_allocations_per_s },
	{ .name = COLUMN_frees_per_s, .legend = "frees of these objects, a second" },
	{ .name = COLUMN_bytes_allocated, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_freed, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects,
	  .unit = "objects",
	  .legend = "at the end of the interval, of the hosts that have a summary with that end" },
	{ .name = COLUMN_live_bytes },
	{ .name = COLUMN_lost, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_bar },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The bytes that each interval added to one group, and scratch memory for the line. */
struct growth_series {
	double *bytes;		/* by interval */
	double *seconds, *live; /* points: one more than intervals */
	size_t count;
	double whole; /* seconds */
};

static int series_init(struct growth_series *series, const struct summaries *summaries)
{
	size_t count = summaries->interval_count;

	*series = (struct growth_series){
		.bytes = calloc(count, sizeof(double)),
		.seconds = calloc(count + 1, sizeof(double)),
		.live = calloc(count + 1, sizeof(double)),
		.count = count,
	};
	if (!series->bytes || !series->seconds || !series->live)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		series->whole += (double)summaries->intervals[i].covered / NSEC_PER_SEC;
		series->seconds[i + 1] = series->whole;
	}
	return 0;
}

static void series_deinit(struct growth_series *series)
{
	free(series->bytes);
	free(series->seconds);
	free(series->live);
}

/*
 * 100 minus the largest difference, at any end of an interval, between the share of the growth so
 * far and that of the time, minus the share of one interval, as trend_steady() of single times.
 */
static uint64_t steady_percent(const struct growth_series *series)
{
	double all = series->live[series->count], farthest = 0, one = 1 / (double)series->count;

	if (series->count < 2 || series->whole <= 0)
		return CELL_UNKNOWN;
	if (all <= 0)
		return 0;
	for (size_t i = 1; i <= series->count; i++)
		farthest = MAX(farthest,
			       fabs(series->live[i] / all - series->seconds[i] / series->whole));
	return farthest + one < 1 ? (uint64_t)(100 * (1 - farthest - one) + 0.5) : 0;
}

static int compare_growth(const void *left, const void *right, void *of_row)
{
	const uint32_t *groups = of_row;
	const struct summaries_growth *a = left, *b = right;

	return (groups[a->row] > groups[b->row]) - (groups[a->row] < groups[b->row]);
}

/* Takes what belongs to the group, from *next on. */
static void series_fill(struct growth_series *series, const struct summaries_view *view,
			size_t group, size_t *next)
{
	const struct summaries *summaries = &view->summaries;

	memset(series->bytes, 0, series->count * sizeof(*series->bytes));
	for (; *next < summaries->growth_count; ++*next) {
		const struct summaries_growth *growth = &summaries->growth[*next];

		if (view->groups.of_row[growth->row] != group)
			break;
		series->bytes[summaries->order[growth->interval]] += growth->bytes;
	}
	for (size_t i = 0; i < series->count; i++)
		series->live[i + 1] = series->live[i] + series->bytes[i];
}

static int64_t limit_difference(uint64_t more, uint64_t less)
{
	if (more >= less)
		return (int64_t)MIN(more - less, (uint64_t)INT64_MAX);
	return -(int64_t)MIN(less - more, (uint64_t)INT64_MAX);
}

/* A cache that fills once grows more than a leak, but not for long. */
static uint64_t steady_growth(uint64_t bytes, uint64_t percent)
{
	if (percent == CELL_UNKNOWN)
		return bytes;
	return (uint64_t)((double)bytes * (double)percent / 100);
}

static int add_leak(const struct summaries_view *view, const struct growth_series *series,
		    size_t group, struct table *table)
{
	const struct summary_counts *counts = &view->groups.list.rows[group].counts;
	struct trend trend;

	if (!table_add(table))
		return -ENOMEM;
	trend = trend_line(series->seconds, series->live, series->count + 1);
	table_cell(table, COLUMN_function)->text = summaries_group_name(&view->groups, group);
	table_cell(table, COLUMN_live_objects)->number = counts->live_objects;
	table_cell(table, COLUMN_live_bytes)->number = counts->live_bytes;
	table_cell(table, COLUMN_growth_objects)->change =
		limit_difference(counts->allocations, counts->frees);
	table_cell(table, COLUMN_growth_bytes)->number = counts->allocated - counts->freed;
	table_cell(table, COLUMN_growth_bytes_per_s)->decimal = trend.slope;
	table_cell(table, COLUMN_fit_percent)->decimal = trend.fit_percent;
	table_cell(table, COLUMN_steady_percent)->number = steady_percent(series);
	table_cell(table, COLUMN_steady_growth_bytes)->number =
		steady_growth(table_cell(table, COLUMN_growth_bytes)->number,
			      table_cell(table, COLUMN_steady_percent)->number);
	table_cell(table, COLUMN_allocations)->number = counts->allocations;
	table_cell(table, COLUMN_coverage_percent)->decimal =
		summaries_coverage(&view->groups, group, &view->by_cache);
	table_cell(table, COLUMN_live_upper_bound)->truth = view->groups.facts[group].is_bound;
	summaries_set_estimates(view, table, counts, true);
	return table_cell(table, COLUMN_function)->text ? 0 : -ENOMEM;
}

int summaries_add_leaks(struct report *report, const struct summaries_view *view)
{
	struct table *table = summaries_add_table(report, view, &view->groups, leak_columns);
	struct growth_series series;
	size_t next = 0;
	int err;

	if (view->summaries.sum.missing.sampling)
		estimate_of_live(table);
	table->key = "leaks";
	table->title = "What grew (view leaks)";
	table->empty = "Nothing grew in these intervals.";
	table->sort = "steady_growth_bytes,growth_bytes,live_bytes";
	table->tiebreak = table_column(table, COLUMN_function);
	if (view->summaries.growth_count) /* a group that no row has is last */
		qsort_r(view->summaries.growth, view->summaries.growth_count,
			sizeof(*view->summaries.growth), compare_growth, view->groups.of_row);
	err = series_init(&series, &view->summaries);
	for (size_t i = 0; i < view->groups.list.row_count && !err; i++) {
		const struct summary_counts *counts = &view->groups.list.rows[i].counts;

		series_fill(&series, view, i, &next);
		if (counts->allocated > counts->freed)
			err = add_leak(view, &series, i, table);
	}
	series_deinit(&series);
	return err;
}

/* most: live bytes of an interval */
static int add_interval(const struct summaries_view *view, const struct summaries_interval *of,
			uint64_t most, struct table *table)
{
	const struct summary *interval = &of->sum;
	const struct summary_counts *counts = &interval->rows[0].counts;
	double seconds = (double)(interval->end - interval->begin) / NSEC_PER_SEC;
	char begin[40];

	if (!table_add(table))
		return -ENOMEM;
	utc_text(interval->begin, begin, sizeof(begin));
	table_cell(table, COLUMN_begin)->text = strndup(begin, DATE_LENGTH);
	table_cell(table, COLUMN_time_ns)->time =
		(int64_t)(interval->begin - view->summaries.sum.begin);
	table_cell(table, COLUMN_duration_ns)->number = interval->end - interval->begin;
	table_cell(table, COLUMN_summaries)->number = summaries_count(interval);
	table_cell(table, COLUMN_allocations)->number = counts->allocations;
	table_cell(table, COLUMN_frees)->number = summaries_frees(counts);
	table_cell(table, COLUMN_missed_frees)->number = counts->missed;
	table_cell(table, COLUMN_failed)->number = counts->failed;
	table_cell(table, COLUMN_allocations_per_s)->decimal =
		seconds > 0 ? (double)counts->allocations / seconds : NAN;
	table_cell(table, COLUMN_frees_per_s)->decimal =
		seconds > 0 ? (double)summaries_frees(counts) / seconds : NAN;
	table_cell(table, COLUMN_bytes_allocated)->number = counts->allocated;
	table_cell(table, COLUMN_bytes_freed)->number = counts->freed;
	table_cell(table, COLUMN_live_objects)->number = counts->live_objects;
	table_cell(table, COLUMN_live_bytes)->number = counts->live_bytes;
	table_cell(table, COLUMN_lost)->number = missing_events(&interval->missing);
	table_cell(table, COLUMN_bar)->decimal = most ? (double)counts->live_bytes / (double)most
						      : 0;
	table_cell(table, COLUMN_live_upper_bound)->truth = counts->live_objects && of->is_bound;
	return table_cell(table, COLUMN_begin)->text ? 0 : -ENOMEM;
}

int summaries_add_timeline(struct report *report, const struct summaries_view *view)
{
	const struct summaries *summaries = &view->summaries;
	struct table *table = report_add_table(report, interval_columns);
	uint64_t most = 0;
	int err = 0;

	table->key = "timeline";
	table->sort = "time_ns";
	table->tiebreak = table_column(table, COLUMN_time_ns);
	for (size_t i = 0; i < summaries->interval_count; i++)
		most = MAX(most, summaries->intervals[i].sum.rows[0].counts.live_bytes);
	for (size_t i = 0; i < summaries->interval_count && !err; i++)
		err = add_interval(view, &summaries->intervals[i], most, table);
	return err;
}
