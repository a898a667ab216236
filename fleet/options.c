// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of kmemtrace-fleet in one argp table, and its commands. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/utc.h"
#include "cli/exit_status.h"
#include "cli/memory_limit.h"
#include "cli/option_table.h"
#include "fleet/clickhouse/client.h"
#include "fleet/options.h"

#define ERROR_RATE 0.01
#define COMMANDS_MAX 20
#define TIMEOUT 600 /* s */
#define CREDENTIALS "KMEMTRACE_CLICKHOUSE_USER and KMEMTRACE_CLICKHOUSE_PASSWORD"

const char *const fleet_by_names[BY_COUNT + 1] = {
	[BY_FUNCTION] = "function", [BY_CACHE] = "cache", [BY_MODULE] = "module",
	[BY_CGROUP] = "cgroup",	    [BY_COMM] = "comm",
};

const char *const fleet_figure_names[FIGURE_COUNT + 1] = {
	[FIGURE_ALLOCATED] = "allocated", [FIGURE_ALLOCATIONS] = "allocations",
	[FIGURE_GROWTH] = "growth",	  [FIGURE_FAILED] = "failed",
	[FIGURE_CROSS_CPU] = "cross-cpu",
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

static void parse_since(struct argp_state *state, const char *text)
{
	struct fleet_options *options = state->input;

	parse_time(state, "--since", text, strlen(text), &options->since);
}

static void parse_until(struct argp_state *state, const char *text)
{
	struct fleet_options *options = state->input;

	parse_time(state, "--until", text, strlen(text), &options->until);
}

static void parse_span(struct argp_state *state, const char *text)
{
	struct fleet_options *options = state->input;
	const char *comma = strchr(text, ',');

	if (!comma || strlen(text) == 1)
		argp_error(state, "--time: \"%s\" is not A,B: two times with a comma between",
			   text);
	if (comma > text)
		parse_time(state, "--time", text, (size_t)(comma - text), &options->since);
	if (comma[1])
		parse_time(state, "--time", comma + 1, strlen(comma + 1), &options->until);
}

static void check_list(struct argp_state *state, const char *text)
{
	char name[OPTION_NAME];

	if (!*text)
		argp_error(state, "%s: the list is empty",
			   option_row_name(option_row_current(state), name));
}

static void parse_rate(struct argp_state *state, const char *text)
{
	struct fleet_options *options = state->input;
	char *end;
	double rate = strtod(text, &end);

	if (end == text || *end || !(rate > 0 && rate < 1))
		argp_error(state, "--error-rate: \"%s\" is not a probability between 0 and 1",
			   text);
	options->error_rate = rate;
}

static void parse_format(struct argp_state *state, const char *text)
{
	struct fleet_options *options = state->input;

	options->renderer = renderer_find(text, false);
}

static const char *command_name(size_t index)
{
	if (index == fleet_command_count)
		return "diff"; /* another name of versions */
	return index < fleet_command_count ? fleet_commands[index].name : NULL;
}

static const char *const formats[] = { "text", "json", "csv", NULL };

#define AT(member) OPTION_AT(struct fleet_options, member)

static const struct option_row option_rows[] = {
	{ "db", 0, "FILE|URL",
	  "The store: a file of SQLite, or ClickHouse servers: clickhouse://HOST[:PORT][,HOST[:PORT]...]/DATABASE, or clickhouses:// for TLS",
	  AT(db), .kind = ARGUMENT_PATH },
	{ "credentials", 0, "FILE",
	  "Lines \"user NAME\" and \"password TEXT\", in a file that only its owner can read (default: " CREDENTIALS
	  " of the environment)",
	  AT(store.credentials), .kind = ARGUMENT_PATH },
	{ "ca", 0, "FILE",
	  "Trust the authorities whose certificates are in FILE (default: those of the system)",
	  AT(store.ca_file), .kind = ARGUMENT_PATH },
	{ "timeout", 0, "TIME",
	  "Wait at most TIME for an answer, plus 1 s for each 1000 bytes of it (default: 10m)",
	  AT(store.timeout_s), .kind = ARGUMENT_SECONDS, .least = 1, .most = CLICKHOUSE_TIMEOUT_MAX,
	  .words = "1m|10m|1h" },
	{ "cluster", 0, "NAME",
	  "The command init: make tables that are distributed over this cluster of the servers' configuration",
	  AT(store.cluster), .kind = ARGUMENT_PATH },
	{ "replicated", 0, NULL,
	  "With --cluster: make tables that the replicas of the cluster share",
	  AT(store.replicated) },
	{ "quiet", 'q', NULL, "Print errors only", AT(quiet) },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .help = "The time and the hosts of an answer:" },
	{ "since", 0, "TIME",
	  "Intervals that end after TIME: a date in UTC, such as " DATE_EXAMPLE
	  ", or an age, such as 24h, before the end of the store, which 5 % of the hosts reach",
	  .parse = parse_since },
	{ "until", 0, "TIME", "Intervals that end at TIME or before", .parse = parse_until },
	{ "time", 0, "A,B", "As --since=A --until=B; either may be empty", .parse = parse_span },
	{ "host", 0, "NAME[,NAME...]", "These hosts; the command drop: all rows of them", AT(hosts),
	  .parse = check_list },
	{ "kernel", 0, "VERSION[,VERSION...]", "Hosts with these kernels", AT(kernels),
	  .parse = check_list },
	{ "role", 0, "NAME[,NAME...]", "Hosts with these roles", AT(roles), .parse = check_list },
	{ "expect", 0, "FILE",
	  "The hosts that should be there, a name in each line (default: those that the store knows in this time and in the week before)",
	  AT(expect), .kind = ARGUMENT_PATH },
	{ "partial", 0, NULL, "Exit with 0 although hosts or intervals are missing", AT(partial) },
	{ .help = "The answer:" },
	{ "by", 0, "GROUP", "By function (the default), cache, module, cgroup or comm", AT(by),
	  OPTION_GIVEN(struct fleet_options, by_given), .kind = ARGUMENT_CHOICE,
	  .choices = fleet_by_names },
	{ "figure", 0, "FIGURE",
	  "The question outliers: compare allocated (bytes, the default), allocations, growth, failed or cross-cpu",
	  AT(figure), .kind = ARGUMENT_CHOICE, .choices = fleet_figure_names },
	{ "error-rate", 0, "P",
	  "Print rows only if the probability that one is there by chance is at most P (default: 0.01)",
	  .parse = parse_rate, .words = "0.001|0.01|0.05" },
	{ "lines", 'l', "N", "Print the first N rows, 0 for all (default: 20 in text, else all)",
	  AT(lines), OPTION_GIVEN(struct fleet_options, lines_given), .kind = ARGUMENT_NUMBER,
	  .unit = "rows", .words = "0|10|20|50" },
	{ "format", 0, "FORMAT", "Print text, json or csv", .kind = ARGUMENT_CHOICE,
	  .choices = formats, .parse = parse_format },
	{ "legend", 0, NULL, "End a text with a legend of its columns", AT(legend) },
	{ "no-pager", 0, NULL, "Print a long text to the terminal as it is, without $PAGER",
	  AT(no_pager) },
	{ .argument = "COMMAND", .word = command_name },
	{ 0 },
};

static const struct option_table option_tables[] = { { .rows = option_rows, .group = 1 }, { 0 } };

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
	if (command->takes_time && count)
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
	if (command->takes_time && !options->drop_before.given == !options->hosts)
		argp_error(state, "drop takes a time, or else --host=NAME[,NAME...]");
	if (!command->ask && (options->since.given || options->until.given || options->kernels ||
			      options->roles || (options->hosts && !command->takes_time) ||
			      options->expect || options->partial || options->lines_given))
		argp_error(state, "%s: filters and formats are for questions", command->name);
	if (command->takes_host && options->hosts)
		argp_error(state, "history: the host is its argument: leave out --host");
}

static error_t parse_words(int key, char *argument, struct argp_state *state)
{
	struct fleet_options *options = state->input;

	(void)argument;
	switch (key) {
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
	file = text_open(&list, &size);
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
		.parser = parse_words,
		.args_doc = "--db=FILE|URL COMMAND [ARGUMENT...]",
		.doc = "Stores the summaries of many hosts, and answers questions about all of them: what leaks, where, and since which kernel.",
		.help_filter = help_filter,
	};

	*options = (struct fleet_options){ .error_rate = ERROR_RATE,
					   .store.timeout_s = TIMEOUT,
					   .renderer = &renderer_text,
					   .max_memory = MEMORY_LIMIT_DEFAULT };
	option_tables_parse(&argp, option_tables, argc, argv, 0, options);
	if (options->command->takes_host)
		options->hosts = options->arguments[0];
}
