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
#include "report/views/trend.h"

#define NSEC_PER_SEC 1e9
#define DATE_LENGTH 19 /* of "2026-11-25T12:00:00" */

enum leak_column {
	LEAK_NAME,
	LEAK_OBJECTS,
	LEAK_BYTES,
	LEAK_GROWN_OBJECTS,
	LEAK_GROWN,
	LEAK_GROWTH,
	LEAK_FIT,
	LEAK_STEADY,
	LEAK_STEADY_GROWN,
	LEAK_ALLOCATIONS,
	LEAK_COVERAGE,
	LEAK_BOUND,
	LEAK_COLUMNS
};

static const struct column leak_columns[LEAK_COLUMNS + SUMMARIES_ESTIMATES] = {
	[LEAK_NAME] = { "function", "function", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[LEAK_OBJECTS] = { "live_objects", "live", "objects", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			   "objects with no recorded free at the end of the last interval" },
	[LEAK_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			 "bytes allocated to the live objects" },
	[LEAK_GROWN_OBJECTS] = { "growth_objects", "growth", "objects", COLUMN_CHANGE, 0,
				 COLUMN_NOT_IN_TEXT, "allocations - frees in all intervals" },
	[LEAK_GROWN] = { "growth_bytes", "growth", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			 "bytes allocated - bytes freed in all intervals" },
	[LEAK_GROWTH] = { "growth_bytes_per_s", "growth", "B/s", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			  "slope of the straight line that fits the growth over time best (least squares)" },
	[LEAK_FIT] = { "fit_percent", "fit", "%", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT,
		       "how well the straight line fits (the square of the correlation)" },
	[LEAK_STEADY] = { "steady_percent", "steady", "%", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			  "how evenly the growth is spread over the intervals: near 100 is a steady leak; with few intervals it is never near 100, with one not known" },
	[LEAK_STEADY_GROWN] = { "steady_growth_bytes", "steady", "growth", COLUMN_NUMBER, 0,
				COLUMN_NOT_IN_TEXT,
				"the share of the growth that is steady: growth * steady; of one interval all of it" },
	[LEAK_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			       NULL },
	[LEAK_COVERAGE] = { "coverage_percent", "cov", "%", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,
			    "coverage: frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed" },
	[LEAK_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			 NULL },
	SUMMARIES_ESTIMATE_ROWS(LEAK_COLUMNS, "number of live bytes"),
};

enum interval_column {
	INTERVAL_TIME,
	INTERVAL_BEGIN,
	INTERVAL_DURATION,
	INTERVAL_SUMMARIES,
	INTERVAL_ALLOCATIONS,
	INTERVAL_FREES,
	INTERVAL_MISSED,
	INTERVAL_FAILED,
	INTERVAL_ALLOCATION_RATE,
	INTERVAL_FREE_RATE,
	INTERVAL_ALLOCATED,
	INTERVAL_FREED,
	INTERVAL_LIVE_OBJECTS,
	INTERVAL_LIVE_BYTES,
	INTERVAL_LOST,
	INTERVAL_BAR,
	INTERVAL_BOUND,
	INTERVAL_COLUMNS
};

static const struct column interval_columns[INTERVAL_COLUMNS] = {
	[INTERVAL_TIME] = { "time_ns", "time", "s", COLUMN_TIME, 0, COLUMN_ALWAYS,
			    "begin of the interval, since the begin of the first" },
	[INTERVAL_BEGIN] = { "begin", "begin", "UTC", COLUMN_TEXT, 0, COLUMN_IF_ROOM, NULL },
	[INTERVAL_DURATION] = { "duration_ns", "for", "", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL },
	[INTERVAL_SUMMARIES] = { "summaries", "summa-", "ries", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "summaries that end with the interval, of all hosts: fewer than in other rows, if some are missing" },
	[INTERVAL_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0,
				   COLUMN_NOT_IN_TEXT, NULL },
	[INTERVAL_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL },
	[INTERVAL_MISSED] = { "missed_frees", "missed", "frees", COLUMN_NUMBER, 0,
			      COLUMN_IN_TEXT_IF_USED,
			      "frees that were not recorded: the address was allocated again while the object was live" },
	[INTERVAL_FAILED] = { "failed", "failed", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			      "allocations that failed" },
	[INTERVAL_ALLOCATION_RATE] = { "allocations_per_s", "allocs", "per s", COLUMN_DECIMAL, 0,
				       COLUMN_ALWAYS, NULL },
	[INTERVAL_FREE_RATE] = { "frees_per_s", "frees", "per s", COLUMN_DECIMAL, 0, COLUMN_ALWAYS,
				 NULL },
	[INTERVAL_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
				 COLUMN_NOT_IN_TEXT, NULL },
	[INTERVAL_FREED] = { "bytes_freed", "freed", "bytes", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT,
			     NULL },
	[INTERVAL_LIVE_OBJECTS] = { "live_objects", "live", "objects", COLUMN_LIVE, 0,
				    COLUMN_ALWAYS,
				    "at the end of the interval, of the hosts that have a summary with that end" },
	[INTERVAL_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				  "bytes allocated to the live objects" },
	[INTERVAL_LOST] = { "lost", "lost", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED,
			    "events that were lost, skipped or not counted" },
	[INTERVAL_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
	[INTERVAL_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			     NULL },
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

static int compare_growth(const void *left, const void *right)
{
	const struct summaries_growth *a = left, *b = right;

	return (a->row > b->row) - (a->row < b->row);
}

/* From here on, growth is by group: a number that no group has is last. */
static void sort_growth(struct summaries_view *view)
{
	struct summaries *summaries = &view->summaries;

	for (size_t i = 0; i < summaries->growth_count; i++) {
		struct summaries_growth *growth = &summaries->growth[i];

		growth->row = view->groups.of_row[growth->row];
		growth->interval = summaries->order[growth->interval];
	}
	if (summaries->growth_count)
		qsort(summaries->growth, summaries->growth_count, sizeof(*summaries->growth),
		      compare_growth);
}

/* Takes what belongs to the group, from *next on. */
static void series_fill(struct growth_series *series, const struct summaries *summaries,
			size_t group, size_t *next)
{
	memset(series->bytes, 0, series->count * sizeof(*series->bytes));
	for (; *next < summaries->growth_count && summaries->growth[*next].row == group; ++*next)
		series->bytes[summaries->growth[*next].interval] += summaries->growth[*next].bytes;
	for (size_t i = 0; i < series->count; i++)
		series->live[i + 1] = series->live[i] + series->bytes[i];
}

static int64_t difference(uint64_t more, uint64_t less)
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
	struct cell *row = table_add(table);
	struct trend trend;

	if (!row)
		return -ENOMEM;
	trend = trend_line(series->seconds, series->live, series->count + 1);
	row[LEAK_NAME].text = summaries_group_name(&view->groups, group);
	row[LEAK_OBJECTS].number = counts->live_objects;
	row[LEAK_BYTES].number = counts->live_bytes;
	row[LEAK_GROWN_OBJECTS].change = difference(counts->allocations, counts->frees);
	row[LEAK_GROWN].number = counts->allocated - counts->freed;
	row[LEAK_GROWTH].decimal = trend.slope;
	row[LEAK_FIT].decimal = trend.fit_percent;
	row[LEAK_STEADY].number = steady_percent(series);
	row[LEAK_STEADY_GROWN].number =
		steady_growth(row[LEAK_GROWN].number, row[LEAK_STEADY].number);
	row[LEAK_ALLOCATIONS].number = counts->allocations;
	row[LEAK_COVERAGE].decimal = summaries_coverage(&view->groups, group, &view->by_cache);
	row[LEAK_BOUND].truth = view->groups.facts[group].is_bound;
	summaries_set_estimates(view, &row[LEAK_COLUMNS], counts, true);
	return row[LEAK_NAME].text ? 0 : -ENOMEM;
}

int summaries_add_leaks(struct report *report, struct summaries_view *view)
{
	size_t count = summaries_column_count(view, LEAK_COLUMNS), next = 0;
	struct column *own = summaries_make_columns(view, leak_columns, count, &view->groups);
	struct growth_series series;
	struct table *table;
	int err = own ? 0 : -ENOMEM;

	if (err)
		return err;
	table = report_add_table(report, own, count);
	table->key = "leaks";
	table->title = "What grew (view leaks)";
	table->empty = "Nothing grew in these intervals.";
	table->sort = "steady_growth_bytes,growth_bytes,live_bytes";
	table->tiebreak = LEAK_NAME;
	sort_growth(view);
	err = series_init(&series, &view->summaries);
	for (size_t i = 0; i < view->groups.list.row_count && !err; i++) {
		const struct summary_counts *counts = &view->groups.list.rows[i].counts;

		series_fill(&series, &view->summaries, i, &next);
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
	const struct summary_bound *bound = &interval->bound;
	double seconds = (double)(interval->end - interval->begin) / NSEC_PER_SEC;
	struct cell *row = table_add(table);
	char begin[40];

	if (!row)
		return -ENOMEM;
	utc_text(interval->begin, begin, sizeof(begin));
	row[INTERVAL_BEGIN].text = strndup(begin, DATE_LENGTH);
	row[INTERVAL_TIME].time = (int64_t)(interval->begin - view->summaries.sum.begin);
	row[INTERVAL_DURATION].number = interval->end - interval->begin;
	row[INTERVAL_SUMMARIES].number = summaries_count(interval);
	row[INTERVAL_ALLOCATIONS].number = counts->allocations;
	row[INTERVAL_FREES].number = summaries_frees(counts);
	row[INTERVAL_MISSED].number = counts->missed;
	row[INTERVAL_FAILED].number = counts->failed;
	row[INTERVAL_ALLOCATION_RATE].decimal = seconds > 0 ? (double)counts->allocations / seconds
							    : NAN;
	row[INTERVAL_FREE_RATE].decimal = seconds > 0 ? (double)summaries_frees(counts) / seconds
						      : NAN;
	row[INTERVAL_ALLOCATED].number = counts->allocated;
	row[INTERVAL_FREED].number = counts->freed;
	row[INTERVAL_LIVE_OBJECTS].number = counts->live_objects;
	row[INTERVAL_LIVE_BYTES].number = counts->live_bytes;
	row[INTERVAL_LOST].number = bound->lost + bound->skipped + bound->uncounted;
	row[INTERVAL_BAR].decimal = most ? (double)counts->live_bytes / (double)most : 0;
	row[INTERVAL_BOUND].truth = counts->live_objects && of->is_bound;
	return row[INTERVAL_BEGIN].text ? 0 : -ENOMEM;
}

int summaries_add_timeline(struct report *report, struct summaries_view *view)
{
	const struct summaries *summaries = &view->summaries;
	struct table *table = report_add_table(report, interval_columns, INTERVAL_COLUMNS);
	uint64_t most = 0;
	int err = 0;

	table->key = "timeline";
	table->sort = "time_ns";
	table->tiebreak = INTERVAL_TIME;
	for (size_t i = 0; i < summaries->interval_count; i++)
		most = MAX(most, summaries->intervals[i].sum.rows[0].counts.live_bytes);
	for (size_t i = 0; i < summaries->interval_count && !err; i++)
		err = add_interval(view, &summaries->intervals[i], most, table);
	return err;
}
