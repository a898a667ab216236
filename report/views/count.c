// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view count: the number of events, and statistics of their values, by the groups of --by. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "analysis/missing.h"
#include "report/render/header.h"
#include "report/render/render.h"
#include "report/views/count.h"

/*
 * Columns of the first table: the keys, count, the statistics, and whether they are bounds; of
 * estimates also those of their intervals.
 */

static const char *const statistic_headers[] = {
	[STATISTIC_COUNT] = "known", [STATISTIC_SUM] = "sum", [STATISTIC_AVG] = "avg",
	[STATISTIC_MIN] = "min",     [STATISTIC_MAX] = "max",
};

static const char *const statistic_legends[] = {
	[STATISTIC_COUNT] = "events whose value is known",
	[STATISTIC_SUM] = "sum of the values that are known",
	[STATISTIC_AVG] = "average of the values that are known",
	[STATISTIC_MIN] = "the least value that is known",
	[STATISTIC_MAX] = "the largest value that is known",
};

static bool has_column(const struct statistic *statistic)
{
	return statistic->function != STATISTIC_HIST && statistic->function != STATISTIC_LINEAR;
}

static enum column_type statistic_type(const struct statistic *statistic)
{
	const struct expression *expression = &statistic->expression;
	bool is_bytes = expression->type == VALUE_BYTES && expression->field &&
			!event_field_may_be_negative(expression->field);

	if (statistic->function == STATISTIC_COUNT)
		return COLUMN_NULLABLE;
	if (statistic->function == STATISTIC_AVG && expression->type != VALUE_DURATION)
		return COLUMN_DECIMAL;
	return is_bytes ? COLUMN_NULLABLE : value_column_type(expression);
}

/* Sums that cannot get smaller by another event. */
static bool never_shrinks(const struct statistic *statistic)
{
	return statistic->function == STATISTIC_COUNT ||
	       (statistic->function == STATISTIC_SUM && statistic->expression.field &&
		!event_field_may_be_negative(statistic->expression.field) &&
		(statistic->expression.type == VALUE_BYTES ||
		 statistic->expression.type == VALUE_DURATION));
}

static int set_columns(struct report *report)
{
	const struct query *query = report->query;
	struct column *column =
		calloc(query->by_count + 3 * query->statistic_count + 6, sizeof(*column));

	if (!column)
		return -ENOMEM;
	report->columns = column;
	for (size_t i = 0; i < query->by_count; i++)
		*column++ = value_column(&query->by[i]);
	*column++ = (struct column){ "count", "count",	     "events",		 COLUMN_NULLABLE,
				     0,	      COLUMN_ALWAYS, "number of events", true };
	for (size_t i = 0; i < query->statistic_count; i++) {
		const struct statistic *statistic = &query->statistics[i];

		if (!has_column(statistic))
			continue;
		*column++ = (struct column){ statistic->name,
					     statistic_headers[statistic->function],
					     statistic->expression.text,
					     statistic_type(statistic),
					     2,
					     COLUMN_ALWAYS,
					     statistic_legends[statistic->function],
					     never_shrinks(statistic) };
	}
	*column++ = (struct column){ "lower_bound",	 "bound", "",	COLUMN_BOUND, 0,
				     COLUMN_NOT_IN_TEXT, NULL,	  false };
	report->column_count = (size_t)(column - report->columns);
	return 0;
}

/* If each allocation was sampled, the figures are exact. */
static bool has_intervals(const struct report *report)
{
	return report->settings.estimate && report->capture->status.sampling.interval > 1;
}

static struct column interval_column(const char *key, const char *header, const char *unit)
{
	return (struct column){ .key = key,
				.header = header,
				.unit = unit,
				.type = COLUMN_NULLABLE,
				.where = COLUMN_NOT_IN_TEXT };
}

/* Behind the others; returns the number of all columns. */
static size_t add_interval_columns(struct report *report)
{
	const struct query *query = report->query;
	struct column *column = report->columns + report->column_count;

	*column++ = interval_column("samples", "samples", "");
	*column++ = (struct column){
		.key = "error_percent",
		.header = "+-",
		.unit = "%",
		.type = COLUMN_DECIMAL,
		.legend =
			"the true number of events is this near to the estimate, in 95 of 100 cases"
	};
	*column++ = interval_column("count_low", "count", "low");
	*column++ = interval_column("count_high", "count", "high");
	for (size_t i = 0; i < query->statistic_count; i++) {
		if (!never_shrinks(&query->statistics[i]))
			continue;
		*column++ = interval_column(query->statistics[i].low_name, "sum", "low");
		*column++ = interval_column(query->statistics[i].high_name, "sum", "high");
	}
	return (size_t)(column - report->columns);
}

/* Says in the legends what is not a sum of the weighted samples. */
static void set_estimate_legends(struct report *report)
{
	struct column *column = report->columns + report->query->by_count + 1;

	for (size_t i = 0; i < report->query->statistic_count; i++) {
		enum statistic_function function = report->query->statistics[i].function;

		if (!has_column(&report->query->statistics[i]))
			continue;
		if (function == STATISTIC_AVG)
			column->legend =
				"average of the values that are known: the ratio of two estimates, the sum and the number";
		else if (function == STATISTIC_MIN)
			column->legend = "the least value of the samples";
		else if (function == STATISTIC_MAX)
			column->legend = "the largest value of the samples";
		column++;
	}
}

static int aggregate_transition(void *data, const struct analysis *analysis,
				const struct transition *transition)
{
	struct count *count = data;
	const struct report *report = count->report;
	struct sampled_object object = { 0 };

	if (!value_source_take(&count->source, analysis, transition))
		return 0;
	if (has_intervals(report) && transition->object)
		object = (struct sampled_object){
			.address = transition->object->address,
			.time = transition->object->time,
			.variance =
				estimate_object_variance(analysis->estimates, transition->object),
			.allocated = transition->object->allocated,
		};
	return aggregate_add(&count->aggregate, &count->source, transition,
			     report->weigh ? report->weigh(report->weigh_data, transition) : 1,
			     object.allocated ? &object : NULL);
}

static int begin_count(struct report *report)
{
	struct count *count;
	int err;

	if (report->settings.select && report->settings.select->older)
		return error_set(
			&report->error, -EINVAL,
			"--older selects objects, but the view count counts events: write --where='age >= 10ms' instead");
	count = calloc(1, sizeof(*count));
	if (!count)
		return -ENOMEM;
	report->data = count;
	count->report = report;
	err = value_source_init(&count->source);
	if (!err)
		err = aggregate_init(&count->aggregate, report->query);
	if (!err)
		err = report_bind_query(report, &count->source);
	report->settings.observers[report->settings.observer_count++] =
		(struct observer){ aggregate_transition, count };
	return err;
}

bool count_is_bound(const struct report *report)
{
	const struct missing missing = missing_of_capture(&report->analysis);

	return missing_events(&missing) || missing.skipped_partial ||
	       status_probes_lack_skips(&report->capture->status.probes) || report->ungrouped;
}

static void set_statistic(const struct count *count, struct cell *cell,
			  const struct statistic *statistic, const struct accumulator *accumulator)
{
	enum column_type type = statistic_type(statistic);
	struct value value = { accumulator->number,
			       accumulator->values && !accumulator->overflowed };

	if (statistic->function == STATISTIC_COUNT)
		value = value_of((int64_t)accumulator->values);
	if (type == COLUMN_DECIMAL)
		cell->decimal = value.known ? (double)value.number / (double)accumulator->values
					    : NAN;
	else if (statistic->function == STATISTIC_AVG && value.known)
		value_set_cell(&count->source.texts, cell, type,
			       value_of(value.number / (int64_t)accumulator->values));
	else
		value_set_cell(&count->source.texts, cell, type, value);
}

/* Conditions and keys may use the age of an object, or its free. */
static enum estimate_of estimate_of(const struct query *query)
{
	return query->has_where || query->by_count ? ESTIMATE_CHOSEN : ESTIMATE_EVENTS;
}

static struct estimate_range find_range(const struct estimates *estimates, enum estimate_of of,
					const struct aggregate_group *group,
					const struct statistic *statistic,
					const struct accumulator *accumulator)
{
	uint64_t sum = (uint64_t)accumulator->number;
	/* events without a sample are taken to have values as those with one */
	double share = group->bytes ? (double)sum / (double)group->bytes : 0;
	struct estimate_margin margin = estimate_margin_bytes(estimates, of);

	if (statistic->function == STATISTIC_COUNT)
		return estimate_range_objects(estimates, accumulator->values, group->bytes,
					      accumulator->variance, of);
	if (accumulator->overflowed)
		return (struct estimate_range){ CELL_UNKNOWN, CELL_UNKNOWN };
	if (statistic->expression.type == VALUE_BYTES)
		return estimate_range_bytes(estimates, sum, accumulator->variance, of);
	/* an event that was not sampled has any duration */
	margin.hidden *= share;
	margin.above *= share;
	margin.above_variance *= share * share;
	margin.below *= share;
	return sum ? estimate_range(sum, accumulator->variance, &margin)
		   : (struct estimate_range){ 0, CELL_UNKNOWN };
}

/* row: the cells of add_interval_columns(). */
static void set_count_intervals(const struct report *report, struct cell *row,
				const struct aggregate_group *group)
{
	const struct query *query = report->query;
	const struct estimates *estimates = report->analysis.estimates;
	enum estimate_of of = estimate_of(query);
	struct estimate_range range =
		estimate_range_objects(estimates, group->events, group->bytes, group->variance, of);

	row++->number = group->samples;
	row++->decimal = estimate_error(range, group->events);
	row++->number = range.low;
	row++->number = range.high;
	for (size_t i = 0; i < query->statistic_count; i++) {
		if (!never_shrinks(&query->statistics[i]))
			continue;
		range = find_range(estimates, of, group, &query->statistics[i],
				   &group->statistics[i]);
		row++->number = range.low;
		row++->number = range.high;
	}
}

static int add_count_row(const struct count *count, struct table *table,
			 const struct aggregate_group *group)
{
	const struct query *query = count->report->query;
	struct cell *row = table_add(table);
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < query->by_count && !err; i++)
		err = value_set_cell(&count->source.texts, row++, value_column_type(&query->by[i]),
				     group->keys[i]);
	if (err)
		return err;
	row++->number = group->events;
	for (size_t i = 0; i < query->statistic_count; i++)
		if (has_column(&query->statistics[i]))
			set_statistic(count, row++, &query->statistics[i], &group->statistics[i]);
	row++->truth = count_is_bound(count->report);
	if (has_intervals(count->report))
		set_count_intervals(count->report, row, group);
	return 0;
}

/* Without groups there is one row, even if there is no event. */
static int add_count_rows(const struct count *count, struct table *table)
{
	const struct query *query = count->report->query;
	struct accumulator none[QUERY_STATISTICS_MAX] = { 0 };
	const struct aggregate_group no_events = { .statistics = none };
	int err = 0;

	for (size_t i = 0; i < count->aggregate.count && !err; i++)
		err = add_count_row(count, table, count->aggregate.groups[i]);
	return err || query->by_count || count->aggregate.count
		       ? err
		       : add_count_row(count, table, &no_events);
}

static bool has_histogram(const struct query *query)
{
	for (size_t i = 0; i < query->statistic_count; i++)
		if (!has_column(&query->statistics[i]))
			return true;
	return false;
}

static int make_count(struct report *report)
{
	struct count *count = report->data;
	bool histogram = has_histogram(report->query);
	size_t columns = report->column_count;
	struct table *table;
	int err;

	report->counted = count->aggregate.events;
	report->excluded = count->aggregate.excluded;
	/* formats that print one table only print the histograms, if there are any */
	if (histogram && !report->renderer->has_header)
		return count_add_histogram(report, count);
	if (has_intervals(report)) {
		columns = add_interval_columns(report);
		set_estimate_legends(report);
	}
	table = report_add_table_of(report, report->columns, columns);
	table->key = "count";
	table->title = "Events";
	table->empty = "No event was selected.";
	table->sort = "count";
	err = add_count_rows(count, table);
	return err || !histogram ? err : count_add_histogram(report, count);
}

int count_add_header(const struct report *report, struct header *header)
{
	const struct query *query = report->query;
	int err;

	header_add_section(header, "query");
	header_add_number(header, "counted", report->counted);
	header_add_number(header, "excluded", report->excluded);
	header_add_text(header, "where", query->has_where ? query->where.text : NULL);
	header_add_text(header, "probes", report->probes);
	err = header_add_line(header, "counted", false, "%" PRIu64 " event%s%s%s%s%s",
			      report->counted, report->counted == 1 ? "" : "s",
			      report->probes ? " of " : "", report->probes ? report->probes : "",
			      query->has_where ? " where " : "",
			      query->has_where ? query->where.text : "");
	if (!err && (query->has_where || report->probes))
		err = header_add_line(
			header, "", false, "%s for %" PRIu64 " event%s",
			!report->probes ? "the expression is false or null"
			: query->has_where
				? "the probe is another, or the expression is false or null,"
				: "the probe is another",
			report->excluded, report->excluded == 1 ? "" : "s");
	return err;
}

static void end_count(struct report *report)
{
	struct count *count = report->data;

	if (!count)
		return;
	aggregate_deinit(&count->aggregate);
	value_source_deinit(&count->source);
	free(count);
}

const struct view view_count = {
	.name = "count",
	.summary = "events by fields, with sums, averages and histograms of fields",
	.shows_events = true,
	.has_query = true,
	.by = GROUP_BY_SITE,
	.rows = 100,
	.set_columns = set_columns,
	.begin = begin_count,
	.make = make_count,
	.add_header = count_add_header,
	.end = end_count,
};
