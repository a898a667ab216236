// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --count. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/counted.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "report/render/render.h"
#include "tracer/count_options.h"
#include "tracer/live_counts.h"

#define GROUPS_MAX (1U << 24)

enum {
	KEY_COUNT = 0x1000, /* to KEY_LINEAR: in the order of enum statistic_function */
	KEY_SUM,
	KEY_AVG,
	KEY_MIN,
	KEY_MAX,
	KEY_HIST,
	KEY_LINEAR,
	KEY_BY,
	KEY_WHERE,
	KEY_GROUPS,
	KEY_FORMAT,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Counting instead of recording:", 10 },
	{ "count", KEY_COUNT, "EXPRESSION[,...]", OPTION_ARG_OPTIONAL,
	  "Count events in the kernel and print the counts at the end, as kmemtrace-report count does; write no capture; with EXPRESSION: also the events for which it is known",
	  10 },
	{ "by", KEY_BY, "EXPRESSION[,...]", 0,
	  "Groups, by fields as comm or cache, which kmemtrace-report(1) lists (default: one group of all events)",
	  10 },
	{ "where", KEY_WHERE, "EXPRESSION", 0,
	  "Only events for which it is true, as in 'bytes_req > 4k && comm == \"sh\"'", 10 },
	{ "sum", KEY_SUM, "EXPRESSION[,...]", 0, "Sum of its values", 10 },
	{ "avg", KEY_AVG, "EXPRESSION[,...]", 0, "Average of its values", 10 },
	{ "min", KEY_MIN, "EXPRESSION[,...]", 0, "The least of its values", 10 },
	{ "max", KEY_MAX, "EXPRESSION[,...]", 0, "The largest of its values", 10 },
	{ "hist", KEY_HIST, "EXPRESSION[,...]", 0, "Histogram by powers of two", 10 },
	{ "linear", KEY_LINEAR, "EXPRESSION,LOW,HIGH,STEP", 0, "Histogram from LOW to HIGH by STEP",
	  10 },
	{ "count-groups", KEY_GROUPS, "N", 0,
	  "Make room for N keys in the kernel (default: 16384); events without room are counted without a group",
	  10 },
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "With --count or --status: print text, json or csv (default: text)", 10 },
	{ 0 },
};

static const char *const function_options[] = { "--count", "--sum",  "--avg",	"--min",
						"--max",   "--hist", "--linear" };

static struct query *query_of(struct argp_state *state, struct count_options *options)
{
	if (!options->query)
		options->query = calloc(1, sizeof(*options->query));
	if (!options->query)
		argp_failure(state, EXIT_TROUBLE, ENOMEM, "the query");
	return options->query;
}

static void check(struct argp_state *state, const struct count_options *options, int err)
{
	if (err == -EINVAL)
		option_error(state, "%s", options->query->errmsg);
	if (err)
		argp_failure(state, EXIT_TROUBLE, -err, "the query");
}

static void parse_statistic(struct argp_state *state, struct count_options *options, int key,
			    const char *argument)
{
	size_t function = (size_t)(key - KEY_COUNT);

	check(state, options,
	      query_statistic(query_of(state, options), function_options[function],
			      (enum statistic_function)function, argument));
}

#define NAME(name) #name,
static const char *const formats[] = { TABLE_RENDERERS(NAME) };
#undef NAME

static void parse_format(struct argp_state *state, struct count_options *options,
			 const char *argument)
{
	size_t format = parse_choice(state, "--format", argument, formats,
				     sizeof(formats) / sizeof(*formats));

	options->renderer = renderer_find(formats[format], false);
}

void count_options_check_disabled(struct argp_state *state, const struct count_options *options,
				  bool has_format)
{
	if (options->query || options->groups)
		option_error(
			state,
			"--by, --where, --sum, --avg, --min, --max, --hist, --linear, --count-groups: need --count");
	if (options->renderer && !has_format)
		option_error(state, "--format: needs --count or --status");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct count_options *options = state->input;

	switch (key) {
	case KEY_COUNT:
		options->enabled = true;
		query_of(state, options);
		if (argument)
			parse_statistic(state, options, key, argument);
		return 0;
	case KEY_SUM ... KEY_LINEAR:
		parse_statistic(state, options, key, argument);
		return 0;
	case KEY_BY:
		check(state, options, query_by(query_of(state, options), "--by", argument));
		return 0;
	case KEY_WHERE:
		check(state, options, query_where(query_of(state, options), "--where", argument));
		return 0;
	case KEY_GROUPS:
		options->groups = (uint32_t)parse_number(state, "--count-groups", argument, 1,
							 GROUPS_MAX, "keys");
		return 0;
	case KEY_FORMAT:
		parse_format(state, options, argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp count_argp = { .options = table, .parser = parse_option };

void count_options_complete(struct argp_state *state, struct count_options *options,
			    const char *probes_text)
{
	if (probes_text)
		check(state, options, query_probes(options->query, "--probes", probes_text));
	check(state, options, counted_query(options->query, &options->parts));
	if (!options->groups)
		options->groups = LIVE_COUNTS_GROUPS;
	if (!options->renderer)
		options->renderer = &renderer_text;
}

void count_options_deinit(struct count_options *options)
{
	if (options->query)
		query_deinit(options->query);
	free(options->query);
}
