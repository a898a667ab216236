// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of kmemtrace-fleet in one argp table, and its commands. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/utc.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "fleet/options.h"

#define ERROR_RATE 0.01
#define COMMANDS_MAX 20
#define LINES_MAX 1000000000
#define TIMEOUT 600 /* s */
#define CREDENTIALS "KMEMTRACE_CLICKHOUSE_USER and KMEMTRACE_CLICKHOUSE_PASSWORD"

const char *const fleet_by_names[BY_COUNT] = {
	[BY_FUNCTION] = "function", [BY_CACHE] = "cache", [BY_MODULE] = "module",
	[BY_CGROUP] = "cgroup",	    [BY_COMM] = "comm",
};

const char *const fleet_figure_names[FIGURE_COUNT] = {
	[FIGURE_ALLOCATED] = "allocated", [FIGURE_ALLOCATIONS] = "allocations",
	[FIGURE_GROWTH] = "growth",	  [FIGURE_FAILED] = "failed",
	[FIGURE_CROSS_CPU] = "cross-cpu",
};

enum option_key {
	OPTION_DB = 0x100,
	OPTION_CREDENTIALS,
	OPTION_CA,
	OPTION_TIMEOUT,
	OPTION_CLUSTER,
	OPTION_REPLICATED,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_TIME,
	OPTION_HOST,
	OPTION_KERNEL,
	OPTION_ROLE,
	OPTION_EXPECT,
	OPTION_PARTIAL,
	OPTION_BY,
	OPTION_FIGURE,
	OPTION_ERROR_RATE,
	OPTION_FORMAT,
	OPTION_LEGEND,
	OPTION_NO_PAGER,
};

static const struct argp_option option_table[] = {
	{ "db", OPTION_DB, "FILE|URL", 0,
	  "The store: a file of SQLite, or ClickHouse servers: clickhouse://HOST[:PORT][,HOST[:PORT]...]/DATABASE, or clickhouses:// for TLS",
	  1 },
	{ "credentials", OPTION_CREDENTIALS, "FILE", 0,
	  "Lines \"user NAME\" and \"password TEXT\", in a file that only its owner can read (default: " CREDENTIALS
	  " of the environment)",
	  1 },
	{ "ca", OPTION_CA, "FILE", 0,
	  "Trust the authorities whose certificates are in FILE (default: those of the system)",
	  1 },
	{ "timeout", OPTION_TIMEOUT, "TIME", 0,
	  "Wait so long for a server that sends nothing (default: 10m)", 1 },
	{ "cluster", OPTION_CLUSTER, "NAME", 0,
	  "The command init: make tables that are distributed over this cluster of the servers' configuration",
	  1 },
	{ "replicated", OPTION_REPLICATED, NULL, 0,
	  "With --cluster: make tables that the replicas of the cluster share", 1 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 1 },
	MEMORY_LIMIT_OPTION(1),
	{ NULL, 0, NULL, 0, "The time and the hosts of an answer:", 2 },
	{ "since", OPTION_SINCE, "TIME", 0,
	  "Intervals that end after TIME: a date in UTC, such as " DATE_EXAMPLE
	  ", or an age, such as 24h, before the end of the store, to which 5 % of the hosts come",
	  2 },
	{ "until", OPTION_UNTIL, "TIME", 0, "Intervals that end at TIME or before", 2 },
	{ "time", OPTION_TIME, "A,B", 0, "As --since=A --until=B; either may be empty", 2 },
	{ "host", OPTION_HOST, "NAME[,NAME...]", 0, "These hosts", 2 },
	{ "kernel", OPTION_KERNEL, "VERSION[,VERSION...]", 0, "Hosts with these kernels", 2 },
	{ "role", OPTION_ROLE, "NAME[,NAME...]", 0, "Hosts with these roles", 2 },
	{ "expect", OPTION_EXPECT, "FILE", 0,
	  "The hosts that should be there, a name in each line (default: those that the store knows in this time and in the week before)",
	  2 },
	{ "partial", OPTION_PARTIAL, NULL, 0, "Exit with 0 although hosts or intervals are missing",
	  2 },
	{ NULL, 0, NULL, 0, "The answer:", 3 },
	{ "by", OPTION_BY, "GROUP", 0, "By function (the default), cache, module, cgroup or comm",
	  3 },
	{ "figure", OPTION_FIGURE, "FIGURE", 0,
	  "The question outliers: compare allocated (bytes, the default), allocations, growth, failed or cross-cpu",
	  3 },
	{ "error-rate", OPTION_ERROR_RATE, "P", 0,
	  "Print a row only if chance makes one of all with a probability of at most P (default: 0.01)",
	  3 },
	{ "lines", 'l', "N", 0, "Print the first N rows, 0 for all (default: 20 in text, else all)",
	  3 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "Print text, json or csv", 3 },
	{ "legend", OPTION_LEGEND, NULL, 0, "End a text with what its columns mean", 3 },
	{ "no-pager", OPTION_NO_PAGER, NULL, 0,
	  "Print a long text to the terminal as it is, without $PAGER", 3 },
	{ 0 },
};

static void parse_time(struct argp_state *state, const char *option, const char *text,
		       size_t length, struct fleet_time *time)
{
	char *copy = strndup(text, length);

	*time = (struct fleet_time){ .given = true };
	if (!copy)
		argp_failure(state, EXIT_TROUBLE, ENOMEM, "%s", option);
	if (!utc_parse(text, length, &time->ns)) {
		time->is_age = true;
		if (!age_parse(copy, &time->ns))
			argp_error(state,
				   "%s: \"%s\" is neither a date, such as " DATE_EXAMPLE
				   ", nor an age, such as 24h or 7d",
				   option, copy);
	}
	free(copy);
}

static unsigned int parse_timeout(struct argp_state *state, const char *text)
{
	uint64_t ns;

	if (!duration_parse(text, strlen(text), &ns) || !ns || ns / 1000000000 >= INT32_MAX)
		argp_error(state, "--timeout: \"%s\" is not a time (" DURATION_UNITS ")", text);
	return (unsigned int)((ns + 999999999) / 1000000000);
}

static void parse_span(struct argp_state *state, const char *text, struct fleet_options *options)
{
	const char *comma = strchr(text, ',');

	if (!comma || strlen(text) == 1)
		argp_error(state, "--time: \"%s\" is not A,B: two times with a comma between",
			   text);
	if (comma > text)
		parse_time(state, "--time", text, (size_t)(comma - text), &options->since);
	if (comma[1])
		parse_time(state, "--time", comma + 1, strlen(comma + 1), &options->until);
}

static const char *parse_list(struct argp_state *state, const char *option, const char *text)
{
	if (!*text)
		argp_error(state, "%s: the list is empty", option);
	return text;
}

static double parse_rate(struct argp_state *state, const char *text)
{
	char *end;
	double rate = strtod(text, &end);

	if (end == text || *end || !(rate > 0 && rate < 1))
		argp_error(state, "--error-rate: \"%s\" is not a probability between 0 and 1",
			   text);
	return rate;
}

static const struct renderer *parse_format(struct argp_state *state, const char *text)
{
	static const char *const names[] = { "text", "json", "csv" };

	parse_choice(state, "--format", text, names, 3);
	return renderer_find(text, false);
}

static const struct fleet_command *find_command(struct argp_state *state, const char *name)
{
	const char *names[COMMANDS_MAX];
	char suggestion[80];

	for (size_t i = 0; i < fleet_command_count; i++) {
		if (strcmp(fleet_commands[i].name, strcmp(name, "diff") ? name : "versions") == 0)
			return &fleet_commands[i];
		names[i] = fleet_commands[i].name;
	}
	argp_error(state, "%s: there is no such command%s", name,
		   suggest_text(name, names, fleet_command_count, suggestion, sizeof(suggestion)));
	return NULL;
}

static void parse_fleet_arguments(struct argp_state *state, struct fleet_options *options)
{
	const struct fleet_command *command = find_command(state, state->argv[state->next]);
	int count = state->argc - state->next - 1;

	options->command = command;
	options->arguments = state->argv + state->next + 1;
	options->argument_count = count;
	if (count < command->arguments_min ||
	    (command->arguments_max >= 0 && count > command->arguments_max))
		argp_error(state, "%s takes %s%s", command->name,
			   *command->arguments ? "these arguments: " : "no argument",
			   command->arguments);
	if (command->takes_time)
		parse_time(state, "drop", options->arguments[0], strlen(options->arguments[0]),
			   &options->drop_before);
}

static void check_together(struct argp_state *state, const struct fleet_options *options)
{
	const struct fleet_command *command = options->command;

	if (!options->db)
		argp_error(state, "--db is missing: name the store, such as --db=fleet.db");
	if ((options->store.cluster || options->store.replicated) && command->mode != STORE_INIT)
		argp_error(state, "--cluster and --replicated are for the command init");
	if (options->store.replicated && !options->store.cluster)
		argp_error(state, "--replicated needs --cluster=NAME");
	if (command->arguments_max == 2 && options->argument_count == 1)
		argp_error(state, "versions takes two versions of the kernel, or none");
	if (options->by_given && !command->has_by)
		argp_error(state, "--by: %s has no groups", command->name);
	if (options->figure != FIGURE_ALLOCATED && !command->has_figure)
		argp_error(state, "--figure is for the question outliers");
	if (!command->ask &&
	    (options->since.given || options->until.given || options->hosts || options->kernels ||
	     options->roles || options->expect || options->partial || options->lines_given))
		argp_error(state, "%s: filters and formats are for questions", command->name);
	if (command->takes_host && options->hosts)
		argp_error(state, "history: the host is its argument: leave out --host");
}

static error_t parse_fleet_option(int key, char *argument, struct argp_state *state)
{
	struct fleet_options *options = state->input;

	switch (key) {
	case OPTION_DB:
		options->db = parse_path(state, "--db", argument);
		break;
	case OPTION_CREDENTIALS:
		options->store.credentials = parse_path(state, "--credentials", argument);
		break;
	case OPTION_CA:
		options->store.ca_file = parse_path(state, "--ca", argument);
		break;
	case OPTION_TIMEOUT:
		options->store.timeout_s = parse_timeout(state, argument);
		break;
	case OPTION_CLUSTER:
		options->store.cluster = parse_path(state, "--cluster", argument);
		break;
	case OPTION_REPLICATED:
		options->store.replicated = true;
		break;
	case OPTION_SINCE:
		parse_time(state, "--since", argument, strlen(argument), &options->since);
		break;
	case OPTION_UNTIL:
		parse_time(state, "--until", argument, strlen(argument), &options->until);
		break;
	case OPTION_TIME:
		parse_span(state, argument, options);
		break;
	case OPTION_HOST:
		options->hosts = parse_list(state, "--host", argument);
		break;
	case OPTION_KERNEL:
		options->kernels = parse_list(state, "--kernel", argument);
		break;
	case OPTION_ROLE:
		options->roles = parse_list(state, "--role", argument);
		break;
	case OPTION_EXPECT:
		options->expect = parse_path(state, "--expect", argument);
		break;
	case OPTION_PARTIAL:
		options->partial = true;
		break;
	case OPTION_BY:
		options->by = parse_choice(state, "--by", argument, fleet_by_names, BY_COUNT);
		options->by_given = true;
		break;
	case OPTION_FIGURE:
		options->figure =
			parse_choice(state, "--figure", argument, fleet_figure_names, FIGURE_COUNT);
		break;
	case OPTION_ERROR_RATE:
		options->error_rate = parse_rate(state, argument);
		break;
	case 'l':
		options->lines = parse_number(state, "-l", argument, 0, LINES_MAX, "rows");
		options->lines_given = true;
		break;
	case OPTION_FORMAT:
		options->renderer = parse_format(state, argument);
		break;
	case OPTION_LEGEND:
		options->legend = true;
		break;
	case OPTION_NO_PAGER:
		options->no_pager = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case MEMORY_LIMIT_KEY:
		options->max_memory = memory_limit_parse(state, argument);
		break;
	case ARGP_KEY_ARGS:
		parse_fleet_arguments(state, options);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a command is missing: load FILE, or a question, such as growth");
		break;
	case ARGP_KEY_SUCCESS:
		check_together(state, options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static char *help_filter(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *file;

	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA)
		return (char *)text;
	file = open_memstream(&list, &size);
	if (!file)
		return NULL;
	fputs("Commands:\n", file);
	for (size_t i = 0; i < fleet_command_count; i++) {
		const struct fleet_command *command = &fleet_commands[i];

		fprintf(file, "  %s%s%-*s %s\n", command->name, *command->arguments ? " " : "",
			(int)(16 - strlen(command->name) - (*command->arguments ? 1 : 0)),
			command->arguments, command->summary);
	}
	fputs("\nExit status: 0: done; 1: done, but hosts or intervals are missing, or a part of the files was not loaded; or a server does not answer a question; 2: it could not be done.",
	      file);
	return fclose(file) ? NULL : list;
}

void fleet_options_parse(struct fleet_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_fleet_option,
		.args_doc = "--db=FILE|URL COMMAND [ARGUMENT...]",
		.doc = "Stores the summaries of many hosts, and answers questions about all of them: what leaks, where, and since which kernel.",
		.help_filter = help_filter,
	};

	*options = (struct fleet_options){ .error_rate = ERROR_RATE,
					   .store.timeout_s = TIMEOUT,
					   .renderer = &renderer_text,
					   .max_memory = MEMORY_LIMIT_DEFAULT };
	parse_command_line(&argp, argc, argv, 0, options);
	if (options->command->takes_host)
		options->hosts = options->arguments[0];
}
