// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --count. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/counted.h"
#include "analysis/fields/field_table.h"
#include "cli/exit_status.h"
#include "report/render/render.h"
#include "report/views/view.h"
#include "tracer/count_options.h"

#define GROUPS_MAX (1U << 24)

static struct query *query_of(struct argp_state *state, struct count_options *options)
{
	if (!options->query)
		options->query = calloc(1, sizeof(*options->query));
	if (!options->query)
		argp_failure(state, EXIT_TROUBLE, ENOMEM, "the query");
	return options->query;
}

static void check_count_query(struct argp_state *state, const struct count_options *options,
			      int err)
{
	if (err == -EINVAL)
		option_error(state, "%s", options->query->error.text);
	if (err)
		argp_failure(state, EXIT_TROUBLE, -err, "the query");
}

static void parse_statistic(struct argp_state *state, const char *text)
{
	struct count_options *options = state->input;
	const struct option_row *row = option_row_current(state);
	char name[OPTION_NAME];

	check_count_query(state, options,
			  query_statistic(query_of(state, options), option_row_name(row, name),
					  (enum statistic_function)row->value, text));
}

static void parse_count_option(struct argp_state *state, const char *text)
{
	query_of(state, state->input);
	if (text)
		parse_statistic(state, text);
}

static void parse_by(struct argp_state *state, const char *text)
{
	struct count_options *options = state->input;

	check_count_query(state, options, query_by(query_of(state, options), "--by", text));
}

static void parse_where(struct argp_state *state, const char *text)
{
	struct count_options *options = state->input;

	check_count_query(state, options, query_where(query_of(state, options), "--where", text));
}

#define NAME(name) #name,
static const char *const formats[] = { TABLE_RENDERERS(NAME) NULL };
#undef NAME

static void parse_format(struct argp_state *state, const char *text)
{
	struct count_options *options = state->input;

	options->renderer = renderer_find(text, false);
}

#define AT(member) OPTION_AT(struct count_options, member)

const struct option_row count_rows[] = {
	{ .help = "Counting instead of recording:" },
	{ "count", 0, "EXPRESSION[,...]",
	  "Count events in the kernel and print the counts at the end, as kmemtrace-report count does; write no capture; with EXPRESSION: also the number of events for which it is known",
	  OPTION_GIVEN(struct count_options, enabled), .optional = "", .value = STATISTIC_COUNT,
	  .parse = parse_count_option, .word = event_field_name },
	{ "by", 0, "EXPRESSION[,...]",
	  "Count by group: by fields such as comm or cache, which kmemtrace-report(1) lists (default: one group of all events)",
	  .parse = parse_by, .word = event_field_name, .needs = "count" },
	{ "where", 0, "EXPRESSION",
	  "Count only events for which it is true, as in 'bytes_req > 4k && comm == \"sh\"'",
	  .parse = parse_where, .word = event_field_name, .needs = "count" },
	{ "sum", 0, "EXPRESSION[,...]", "Sum of its values", .value = STATISTIC_SUM,
	  .parse = parse_statistic, .word = event_field_name, .needs = "count" },
	{ "avg", 0, "EXPRESSION[,...]", "Average of its values", .value = STATISTIC_AVG,
	  .parse = parse_statistic, .word = event_field_name, .needs = "count" },
	{ "min", 0, "EXPRESSION[,...]", "The least of its values", .value = STATISTIC_MIN,
	  .parse = parse_statistic, .word = event_field_name, .needs = "count" },
	{ "max", 0, "EXPRESSION[,...]", "The largest of its values", .value = STATISTIC_MAX,
	  .parse = parse_statistic, .word = event_field_name, .needs = "count" },
	{ "hist", 0, "EXPRESSION[,...]", "Histogram by powers of two", .value = STATISTIC_HIST,
	  .parse = parse_statistic, .word = event_field_name, .needs = "count" },
	{ "linear", 0, "EXPRESSION,LOW,HIGH,STEP", "Histogram from LOW to HIGH by STEP",
	  .value = STATISTIC_LINEAR, .parse = parse_statistic, .word = event_field_name,
	  .needs = "count" },
	{ "sort", 's', "KEY[,KEY...]",
	  "With --count: sort by these columns; -KEY is descending, +KEY ascending", AT(sort),
	  .needs = "count" },
	{ "lines", 'l', "N",
	  "With --count: print the first N rows of each table, 0 for all (default: in text 100, else all)",
	  AT(lines), OPTION_GIVEN(struct count_options, lines_given), .kind = ARGUMENT_NUMBER,
	  .unit = "rows", .needs = "count", .words = "0|10|20|50" },
	{ "count-groups", 0, "N",
	  "Make room for N keys in the kernel (default: 16384); events without room are counted without a group",
	  AT(groups), .kind = ARGUMENT_NUMBER, .least = 1, .most = GROUPS_MAX, .unit = "keys",
	  .needs = "count", .words = "1000|16384|100000" },
	{ "format", 0, "FORMAT",
	  "With --count, --status or --memory: print text, json or csv (default: text)",
	  .kind = ARGUMENT_CHOICE, .choices = formats, .parse = parse_format,
	  .needs = "count|status|memory" },
	{ 0 },
};

/* The columns follow from the query: a wrong key is refused before anything is counted. */
static void check_sort(struct argp_state *state, const struct count_options *options)
{
	struct report report = { .view = &view_count, .query = options->query };
	struct table table;
	int err = view_count.set_columns(&report);

	if (!err) {
		table_init(&table, report.columns, report.column_count);
		err = table_sort(&table, options->sort);
		if (err == -EINVAL)
			option_error(state, "--sort: %s", table.error.text);
		table_deinit(&table);
	}
	free(report.columns);
	if (err)
		argp_failure(state, EXIT_TROUBLE, -err, "--sort");
}

void count_options_complete(struct argp_state *state, struct count_options *options,
			    const char *probes_text)
{
	if (probes_text)
		check_count_query(state, options,
				  query_probes(options->query, "--probes", probes_text));
	check_count_query(state, options, counted_query(options->query, &options->parts));
	if (options->sort)
		check_sort(state, options);
}

void count_options_deinit(struct count_options *options)
{
	if (options->query)
		query_deinit(options->query);
	free(options->query);
}
