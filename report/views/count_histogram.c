// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The histograms of the view count: a row for each bucket, from the first to the last one used. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/count.h"

/* Behind the columns of the keys. */
enum histogram_column {
	HISTOGRAM_VALUE,
	HISTOGRAM_FROM,
	HISTOGRAM_TO,
	HISTOGRAM_COUNT,
	HISTOGRAM_PERCENT,
	HISTOGRAM_BAR,
	HISTOGRAM_GROUP,
	HISTOGRAM_BOUND,
	HISTOGRAM_COLUMNS
};

static const struct column columns[HISTOGRAM_COLUMNS] = {
	[HISTOGRAM_VALUE] = { "value", "value", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			      "the expression whose values are counted", false },
	[HISTOGRAM_FROM] = { "from", "from", "", COLUMN_SIGNED, 0, COLUMN_ALWAYS,
			     "the least value that the row counts; - without an end", false },
	[HISTOGRAM_TO] = { "to", "to", "", COLUMN_SIGNED, 0, COLUMN_ALWAYS,
			   "the largest value that the row counts; - without an end", false },
	[HISTOGRAM_COUNT] = { "count", "count", "events", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			      "number of events", true },
	[HISTOGRAM_PERCENT] = { "percent", "share", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
				"of the events of the group whose value is known", false },
	[HISTOGRAM_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL, false },
	[HISTOGRAM_GROUP] = { "group_count", "", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL,
			      false },
	[HISTOGRAM_BOUND] = { "lower_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT, NULL,
			      false },
};

struct histogram {
	const struct count *count;
	const struct query *query;
	struct table *table;
	enum column_type range; /* of from and to */
	bool is_bound;
};

/* If all values are durations, the text shows them as such; JSON and CSV always show ns. */
static enum column_type find_range(const struct query *query)
{
	for (size_t i = 0; i < query->statistic_count; i++) {
		const struct statistic *statistic = &query->statistics[i];

		if ((statistic->function == STATISTIC_HIST ||
		     statistic->function == STATISTIC_LINEAR) &&
		    value_column_type(&statistic->expression) != COLUMN_DURATION)
			return COLUMN_SIGNED;
	}
	return COLUMN_DURATION;
}

static struct value open_end(int64_t number, int64_t open)
{
	return number == open ? value_unknown() : value_of(number);
}

static int add_bucket_row(const struct histogram *histogram, const struct aggregate_group *group,
			  size_t statistic_number, size_t bucket)
{
	const struct statistic *statistic = &histogram->query->statistics[statistic_number];
	const struct accumulator *accumulator = &group->statistics[statistic_number];
	struct cell *row = table_add(histogram->table);
	uint64_t events = accumulator->buckets[bucket];
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < histogram->query->by_count && !err; i++)
		err = value_set_cell(&histogram->count->source.texts, row++,
				     value_column_type(&histogram->query->by[i]), group->keys[i]);
	if (err)
		return err;
	row[HISTOGRAM_VALUE].text = strdup(statistic->expression.text);
	value_set_cell(&histogram->count->source.texts, &row[HISTOGRAM_FROM], histogram->range,
		       open_end(aggregate_first(statistic, bucket), INT64_MIN));
	value_set_cell(&histogram->count->source.texts, &row[HISTOGRAM_TO], histogram->range,
		       open_end(aggregate_last(statistic, bucket), INT64_MAX));
	row[HISTOGRAM_COUNT].number = events;
	row[HISTOGRAM_BAR].decimal = (double)events / (double)accumulator->values;
	row[HISTOGRAM_PERCENT].decimal = 100 * row[HISTOGRAM_BAR].decimal;
	row[HISTOGRAM_GROUP].number = group->events;
	row[HISTOGRAM_BOUND].truth = histogram->is_bound;
	return row[HISTOGRAM_VALUE].text ? 0 : -ENOMEM;
}

/* Empty buckets between others show gaps. */
static int add_buckets(const struct histogram *histogram, const struct aggregate_group *group,
		       size_t statistic)
{
	const uint64_t *buckets = group->statistics[statistic].buckets;
	size_t first = 0, end;
	int err = 0;

	if (!buckets)
		return 0;
	end = aggregate_buckets(&histogram->query->statistics[statistic]);
	while (!buckets[end - 1])
		end--;
	while (!buckets[first])
		first++;
	for (size_t i = first; i < end && !err; i++)
		err = add_bucket_row(histogram, group, statistic, i);
	return err;
}

/* The first group of a count is the first row: large groups first, then in order of appearance. */
static int compare_groups(const void *left, const void *right, void *data)
{
	struct aggregate_group *const *groups = data;
	size_t i = *(const size_t *)left, k = *(const size_t *)right;
	uint64_t a = groups[i]->events, b = groups[k]->events;

	return a == b ? (i > k) - (i < k) : (a < b) - (a > b);
}

static int set_columns(const struct histogram *histogram, struct report *report)
{
	const size_t keys = histogram->query->by_count;
	struct column *list = calloc(keys + HISTOGRAM_COLUMNS, sizeof(*list));

	if (!list)
		return -ENOMEM;
	report->second_columns = list;
	memcpy(list, report->columns, keys * sizeof(*list));
	memcpy(list + keys, columns, sizeof(columns));
	list[keys + HISTOGRAM_FROM].type = list[keys + HISTOGRAM_TO].type = histogram->range;
	return 0;
}

int count_add_histogram(struct report *report, struct count *count)
{
	const struct aggregate *aggregate = &count->aggregate;
	struct histogram histogram = { count, report->query, NULL, find_range(report->query),
				       count_is_bound(report) };
	size_t *order = calloc(aggregate->count + 1, sizeof(*order));
	int err = order ? set_columns(&histogram, report) : -ENOMEM;

	if (!err) {
		histogram.table = report_add_table_of(report, report->second_columns,
						      report->query->by_count + HISTOGRAM_COLUMNS);
		histogram.table->key = "histogram";
		histogram.table->title = "Histogram";
		histogram.table->empty = "No event has the value.";
		/* equal rows keep their order: the rows of a group stay together */
		histogram.table->sort = "group_count";
		histogram.table->tiebreak = report->query->by_count + HISTOGRAM_BOUND;
	}
	for (size_t i = 0; i < aggregate->count && !err; i++)
		order[i] = i;
	if (!err && aggregate->count)
		qsort_r(order, aggregate->count, sizeof(*order), compare_groups, aggregate->groups);
	for (size_t i = 0; i < aggregate->count && !err; i++)
		for (size_t k = 0; k < report->query->statistic_count && !err; k++)
			err = add_buckets(&histogram, aggregate->groups[order[i]], k);
	free(order);
	return err;
}
