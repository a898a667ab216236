// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses what a user asks about events. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/expression_nodes.h"
#include "analysis/fields/field_table.h"
#include "analysis/fields/labels.h"
#include "analysis/fields/query.h"

static const char *const function_names[] = {
	[STATISTIC_COUNT] = "count",   [STATISTIC_SUM] = "sum", [STATISTIC_AVG] = "avg",
	[STATISTIC_MIN] = "min",       [STATISTIC_MAX] = "max", [STATISTIC_HIST] = "hist",
	[STATISTIC_LINEAR] = "linear",
};

static void statistic_deinit(struct statistic *statistic)
{
	expression_deinit(&statistic->expression);
	free(statistic->name);
	free(statistic->low_name);
	free(statistic->high_name);
}

static void clear_by(struct query *query)
{
	for (size_t i = 0; i < query->by_count; i++)
		expression_deinit(&query->by[i]);
	query->by_count = query->hidden_count = 0;
}

static void clear_columns(struct query *query)
{
	for (size_t i = 0; i < query->column_count; i++)
		expression_deinit(&query->columns[i]);
	query->column_count = 0;
}

static void clear_probes(struct query *query)
{
	if (query->probes)
		probe_filter_deinit(query->probes);
	free(query->probes);
	query->probes = NULL;
}

void query_deinit(struct query *query)
{
	clear_probes(query);
	expression_deinit(&query->where);
	clear_by(query);
	clear_columns(query);
	for (size_t i = 0; i < query->statistic_count; i++)
		statistic_deinit(&query->statistics[i]);
}

__attribute__((format(printf, 4, 5))) static int
refuse_expression(struct query *query, const char *option, size_t column, const char *format, ...)
{
	char text[sizeof(query->error.text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_format(&query->error, -EINVAL, "%s: character %zu: %s", option, column, text);
}

/* Parses one expression; the caller frees it if this succeeds. */
static int parse_expression(struct query *query, const char *option, struct expression *expression,
			    const char *text, const char **at)
{
	struct expression_error error;
	int err = expression_parse(expression, text, at, &error);

	if (err == -EINVAL)
		return refuse_expression(query, option, error.column, "%s", error.text);
	return err;
}

int query_probes(struct query *query, const char *option, const char *text)
{
	int err;

	clear_probes(query);
	query->probes = calloc(1, sizeof(*query->probes));
	if (!query->probes)
		return -ENOMEM;
	err = probe_filter_parse(query->probes, text);
	if (err == -EINVAL)
		error_format(&query->error, err, "%s: %s", option, query->probes->globs.error.text);
	return err;
}

int query_where(struct query *query, const char *option, const char *text)
{
	struct expression where;
	const char *at = text;
	int err = parse_expression(query, option, &where, text, &at);

	if (err)
		return err;
	if (*at || where.type != VALUE_BOOL) {
		bool is_flags = where.type == VALUE_FLAGS;

		refuse_expression(
			query, option, *at ? (size_t)(at - text) + 1 : 1,
			*at ? "one expression is needed, not a list"
			    : "the expression is a value of type %s: compare it with another%s%s%s",
			value_type_name(where.type), is_flags ? ", as in " : "",
			is_flags ? where.text : "", is_flags ? " != 0" : "");
		expression_deinit(&where);
		return -EINVAL;
	}
	expression_deinit(&query->where);
	query->where = where;
	query->has_where = true;
	return 0;
}

int query_by(struct query *query, const char *option, const char *text)
{
	const char *at = text;
	int err;

	clear_by(query);
	for (;;) {
		if (query->by_count == QUERY_BY_MAX)
			return refuse_expression(query, option, (size_t)(at - text) + 1,
						 "more than %d expressions", QUERY_BY_MAX);
		err = parse_expression(query, option, &query->by[query->by_count], text, &at);
		if (err)
			return err;
		if (query->by[query->by_count++].type == VALUE_NULL)
			return refuse_expression(query, option, 1, "null makes no groups");
		if (!*at)
			return 0;
		at++;
	}
}

int query_hide(struct query *query, const char *text)
{
	const char *at = text;
	int err;

	if (query->hidden_count == QUERY_HIDDEN_MAX)
		return refuse_expression(query, text, 1, "more than %d hidden expressions",
					 QUERY_HIDDEN_MAX);
	err = parse_expression(query, text, &query->by[query->by_count], text, &at);
	if (!err) {
		query->by_count++;
		query->hidden_count++;
	}
	return err;
}

static bool takes_type(enum statistic_function function, enum value_type type)
{
	bool is_amount = type == VALUE_NUMBER || type == VALUE_BYTES || type == VALUE_DURATION;

	if (function == STATISTIC_COUNT)
		return type != VALUE_NULL;
	if (function == STATISTIC_MIN || function == STATISTIC_MAX)
		return is_amount || type == VALUE_TIME || type == VALUE_ADDRESS;
	return is_amount;
}

/* The new statistic is not counted yet. */
static int parse_statistic(struct query *query, const char *option, const char *text,
			   const char **at)
{
	struct statistic *statistic = &query->statistics[query->statistic_count];
	const char *begin = *at, *name = function_names[statistic->function];
	int err = parse_expression(query, option, &statistic->expression, text, at);

	if (err)
		return err;
	if (!takes_type(statistic->function, statistic->expression.type)) {
		refuse_expression(query, option, (size_t)(begin - text) + 1,
				  "%s does not take a value of type %s", name,
				  value_type_name(statistic->expression.type));
		expression_deinit(&statistic->expression);
		return -EINVAL;
	}
	statistic->name = label_new(statistic->expression.field ? "%s_%s" : "%s(%s)", name,
				    statistic->expression.text);
	if (statistic->name) {
		statistic->low_name = label_new("%s_low", statistic->name);
		statistic->high_name = label_new("%s_high", statistic->name);
	}
	if (statistic->low_name && statistic->high_name)
		return 0;
	statistic_deinit(statistic);
	return -ENOMEM;
}

/* ",NUMBER": a constant of the kind of the statistic's expression. */
static int parse_bound(struct query *query, const char *option, const char *text, const char **at,
		       const struct statistic *statistic, int64_t *number)
{
	struct expression expression;
	const char *begin = *at;
	struct value value = { 0 };
	bool is_constant = true;
	int err;

	if (*begin != ',')
		return refuse_expression(
			query, option, (size_t)(begin - text) + 1,
			"give EXPRESSION,LOW,HIGH,STEP, such as bytes_req,0,1k,64");
	begin = ++*at;
	err = parse_expression(query, option, &expression, text, at);
	if (err)
		return err;
	for (size_t i = 0; i < expression.count; i++)
		is_constant &= expression.nodes[i].operation != OPERATION_FIELD &&
			       expression.nodes[i].operation != OPERATION_CALL &&
			       !expression.nodes[i].text;
	if (is_constant &&
	    (type_is_time(statistic->expression.type)
		     ? expression.type == VALUE_DURATION
		     : expression.type == VALUE_NUMBER || expression.type == VALUE_BYTES))
		value = expression_value(&expression, NULL, NULL);
	expression_deinit(&expression);
	*number = value.number;
	return value.known ? 0
			   : refuse_expression(query, option, (size_t)(begin - text) + 1,
					       "a constant of type %s is needed",
					       value_type_name(statistic->expression.type));
}

static int parse_bounds(struct query *query, const char *option, const char *text, const char **at)
{
	struct statistic *statistic = &query->statistics[query->statistic_count];
	int err = parse_bound(query, option, text, at, statistic, &statistic->low);

	if (!err)
		err = parse_bound(query, option, text, at, statistic, &statistic->high);
	if (!err)
		err = parse_bound(query, option, text, at, statistic, &statistic->step);
	if (err)
		return err;
	if (statistic->step < 1 || statistic->high <= statistic->low)
		return refuse_expression(query, option, 1,
					 "HIGH must be above LOW, and STEP above 0");
	if (((uint64_t)statistic->high - (uint64_t)statistic->low - 1) /
		    (uint64_t)statistic->step >=
	    QUERY_BUCKETS_MAX)
		return refuse_expression(query, option, 1, "more than %d steps from LOW to HIGH",
					 QUERY_BUCKETS_MAX);
	if (**at)
		return refuse_expression(query, option, (size_t)(*at - text) + 1,
					 "give EXPRESSION,LOW,HIGH,STEP only");
	return 0;
}

int query_statistic(struct query *query, const char *option, enum statistic_function function,
		    const char *text)
{
	const char *at = text;
	int err;

	for (;;) {
		struct statistic *statistic = &query->statistics[query->statistic_count];

		if (query->statistic_count == QUERY_STATISTICS_MAX)
			return refuse_expression(query, option, (size_t)(at - text) + 1,
						 "more than %d statistics", QUERY_STATISTICS_MAX);
		*statistic = (struct statistic){ .function = function };
		err = parse_statistic(query, option, text, &at);
		if (err)
			return err;
		if (function == STATISTIC_LINEAR)
			err = parse_bounds(query, option, text, &at);
		if (err) {
			statistic_deinit(statistic);
			return err;
		}
		query->statistic_count++;
		if (!*at)
			return 0;
		at++;
	}
}

int query_columns(struct query *query, const char *option, const char *text)
{
	const char *at = text;
	int err;

	clear_columns(query);
	for (;;) {
		if (query->column_count == QUERY_COLUMNS_MAX)
			return refuse_expression(query, option, (size_t)(at - text) + 1,
						 "more than %d expressions", QUERY_COLUMNS_MAX);
		err = parse_expression(query, option, &query->columns[query->column_count], text,
				       &at);
		if (err)
			return err;
		query->column_count++;
		if (!*at)
			return 0;
		at++;
	}
}

static int check_allocation(struct query *query, const char *option,
			    const struct expression *expression)
{
	char list[600];

	for (size_t i = 0; i < expression->count; i++) {
		const struct expression_node *node = &expression->nodes[i];

		if (node->operation != OPERATION_FIELD || node->field->at_allocation)
			continue;
		event_field_list_at_allocation(list, sizeof(list));
		return refuse_expression(
			query, option, node->column,
			"an allocation has no %s: objects are selected and grouped by fields of their allocation, which are %s",
			node->field->name, list);
	}
	return 0;
}

static bool uses_fields(const struct expression *expression, uint32_t flag)
{
	for (size_t i = 0; i < expression->count; i++)
		if (expression->nodes[i].operation == OPERATION_FIELD &&
		    expression->nodes[i].field->parts & flag)
			return true;
	return false;
}

static bool query_uses_fields(const struct query *query, uint32_t flag)
{
	bool uses = query->has_where && uses_fields(&query->where, flag);

	for (size_t i = 0; i < query->by_count; i++)
		uses |= uses_fields(&query->by[i], flag);
	for (size_t i = 0; i < query->statistic_count; i++)
		uses |= uses_fields(&query->statistics[i].expression, flag);
	return uses;
}

bool query_needs_samples(const struct query *query)
{
	return query_uses_fields(query, FIELD_OF_SAMPLES);
}

bool query_needs_contexts(const struct query *query)
{
	return query_uses_fields(query, FIELD_OF_TASK);
}

int query_check_allocation(struct query *query)
{
	int err = check_allocation(query, "--where", &query->where);

	for (size_t i = 0; i < query->by_count && !err; i++)
		err = check_allocation(query, "--by", &query->by[i]);
	return err;
}

static int bind_expression(struct query *query, const char *option, struct expression *expression,
			   struct value_source *source, const struct gfp_table *gfp)
{
	struct expression_error error;
	int err = expression_bind(expression, source, gfp, &error);

	if (err == -EINVAL)
		return refuse_expression(query, option, error.column, "%s", error.text);
	return err;
}

int query_bind(struct query *query, struct value_source *source, const struct gfp_table *gfp)
{
	int err = bind_expression(query, "--where", &query->where, source, gfp);

	for (size_t i = 0; i < query->by_count && !err; i++)
		err = bind_expression(query, "--by", &query->by[i], source, gfp);
	for (size_t i = 0; i < query->column_count && !err; i++)
		err = bind_expression(query, "-F", &query->columns[i], source, gfp);
	for (size_t i = 0; i < query->statistic_count && !err; i++) {
		char option[20];

		snprintf(option, sizeof(option), "--%s",
			 function_names[query->statistics[i].function]);
		err = bind_expression(query, option, &query->statistics[i].expression, source, gfp);
	}
	return err;
}
