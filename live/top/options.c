// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line of kmemtrace-top: one argp table. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_table.h"
#include "live/top/options.h"

#define NSEC_PER_SEC 1000000000ULL
#define DELAY_NS (2 * NSEC_PER_SEC)
#define LINES 20

static void parse_filter(struct argp_state *state, const char *text)
{
	struct top_options *options = state->input;
	char errmsg[200];
	int err;

	if (options->filter)
		regfree(&options->regex);
	err = regcomp(&options->regex, text, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &options->regex, errmsg, sizeof(errmsg));
		argp_error(state, "--filter %s: %s", text, errmsg);
	}
	options->filter = text;
}

static const char *key_name(size_t index)
{
	return index < KEYS ? top_keys[index] : NULL;
}

static const char *column_name(size_t index)
{
	return index < COLUMNS ? columns[index].option : NULL;
}

static const char *const formats[] = { "text", "json", NULL };
static const char *const colors[] = { "auto", "never", NULL };

#define AT(member) OPTION_AT(struct top_options, member)

static const struct option_row option_rows[] = {
	{ "input", 'i', "FILE",
	  "Show what a kmemtraced publishes in FILE (default: " STATS_FILE_PATH
	  " if something is published there, else a kmemtraced of its own, as --start)",
	  AT(input), .kind = ARGUMENT_PATH },
	{ "start", 0, NULL,
	  "Start a kmemtraced that publishes for this program only, and end it with this program; needs the privileges of kmemtraced",
	  AT(start), .value = START_ALWAYS },
	{ "wait", 'w', NULL, "Wait until a kmemtraced publishes; start none", AT(start),
	  .value = START_NEVER },
	{ "by", 'k', "KEY",
	  "Show a row for each KEY: site, function, cache, comm, process, cgroup, or, estimated from samples, stack or syscall (default: site)",
	  AT(key), OPTION_GIVEN(struct top_options, has_key), .kind = ARGUMENT_CHOICE,
	  .word = key_name },
	{ "sort", 's', "COLUMN",
	  "Sort by COLUMN: live, error, objects, growth, since, allocations, frees, bytes or name (default: live)",
	  AT(sort), .kind = ARGUMENT_CHOICE, .word = column_name },
	{ "reverse", 'r', NULL, "Reverse the order", AT(reverse) },
	{ "filter", 0, "REGEX",
	  "Show rows whose name matches the extended regular expression REGEX",
	  .parse = parse_filter },
	{ "delay", 'd', "SECONDS",
	  "Show new figures every SECONDS: from 0.1 on, or with a unit, as in 500ms (default: 2); kmemtraced publishes details once a second",
	  AT(delay_ns), .kind = ARGUMENT_DURATION, .least = NSEC_PER_SEC / 10,
	  .most = 86400 * NSEC_PER_SEC, .words = "1|2|5|10" },
	{ 0 },
};

static const struct option_row batch_rows[] = {
	{ "batch", 'b', NULL, "Print text instead of filling the screen, until -n or a signal",
	  AT(batch) },
	{ "iterations", 'n', "N", "End after N refreshes", AT(moments), .kind = ARGUMENT_NUMBER,
	  .least = 1, .most = UINT32_MAX, .unit = "refreshes", .words = "1|10|60" },
	{ "lines", 'l', "N", "With -b or --format=json: at most N rows, 0: all (default: 20)",
	  AT(lines), .kind = ARGUMENT_NUMBER, .most = UINT32_MAX, .unit = "rows",
	  .words = "0|10|20|50" },
	{ "format", 0, "FORMAT",
	  "text, or json: implies -b, and prints an object in a line for each refresh", AT(json),
	  .kind = ARGUMENT_CHOICE, .choices = formats },
	{ "color", 0, "WHEN",
	  "Use colors: auto, if the terminal has some and NO_COLOR is not set; or never",
	  AT(no_color), .kind = ARGUMENT_CHOICE, .choices = colors },
	{ 0 },
};

static const struct option_table option_tables[] = { { .rows = option_rows },
						     { .rows = batch_rows, .group = 1 },
						     { 0 } };

static void check_top_options(struct argp_state *state, const struct top_options *options)
{
	if (options->start == START_ALWAYS && options->input)
		argp_error(
			state,
			"--start: cannot be used with -i, which names the file of another kmemtraced");
	if (!options->batch && !isatty(STDOUT_FILENO))
		argp_error(state,
			   "standard output is not a terminal: use -b for text, or --format=json");
}

static error_t parse_top_arguments(int key, char *argument, struct argp_state *state)
{
	struct top_options *options = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		argp_error(state, "%s: not an option: -i names a statistics file", argument);
		break;
	case ARGP_KEY_SUCCESS:
		options->batch |= options->json;
		check_top_options(state, options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void top_options_parse(struct top_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_top_arguments,
		.doc = "Show who allocates the kernel's memory, who holds it, and who grows, while it happens.\vOn the screen, h lists the keys.\n\n"
		       "Exit status: 0; 2 if the figures cannot be read.\n\n"
		       "See kmemtraced(8), which counts, and kmemtrace-report(1), which explains a capture.",
	};
	const char *no_color = getenv("NO_COLOR");

	*options = (struct top_options){ .delay_ns = DELAY_NS,
					 .lines = LINES,
					 .no_color = no_color && *no_color };
	option_tables_parse(&argp, option_tables, argc, argv, 0, options);
}

void top_options_deinit(struct top_options *options)
{
	if (options->filter)
		regfree(&options->regex);
}
