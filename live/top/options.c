// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line of kmemtrace-top: one argp table. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "live/top/options.h"

#define DELAY_NS 2000000000ULL
#define DELAY_MIN_NS 100000000ULL
#define DELAY_MAX_NS 86400000000000ULL
#define LINES 20

enum {
	OPTION_FILTER = 0x100,
	OPTION_FORMAT,
	OPTION_COLOR,
	OPTION_START,
};

static const struct argp_option option_table[] = {
	{ "input", 'i', "FILE", 0,
	  "Show what a kmemtraced publishes in FILE (default: " STATS_FILE_PATH
	  " if something is published there, else a kmemtraced of its own, as --start)",
	  0 },
	{ "start", OPTION_START, NULL, 0,
	  "Start a kmemtraced that publishes for this program only, and end it at the end; needs its privileges",
	  0 },
	{ "wait", 'w', NULL, 0, "Wait until a kmemtraced publishes; start none", 0 },
	{ "by", 'k', "KEY", 0,
	  "Show a row for each KEY: site, function, cache, comm, process, cgroup, or, estimated from samples, stack or syscall (default: site)",
	  0 },
	{ "sort", 's', "COLUMN", 0,
	  "Sort by COLUMN: live, error, objects, growth, since, allocations, frees, bytes or name (default: live)",
	  0 },
	{ "reverse", 'r', NULL, 0, "Sort the other way round", 0 },
	{ "filter", OPTION_FILTER, "REGEX", 0,
	  "Show rows whose name matches the extended regular expression REGEX", 0 },
	{ "delay", 'd', "SECONDS", 0,
	  "Show new figures every SECONDS: from 0.1 on, or with a unit, as in 500ms (default: 2); kmemtraced publishes details once a second",
	  0 },
	{ "batch", 'b', NULL, 0, "Print text instead of filling the screen, until -n or a signal",
	  1 },
	{ "iterations", 'n', "N", 0, "End after N moments", 1 },
	{ "lines", 'l', "N", 0, "With -b or --format=json: at most N rows, 0: all (default: 20)",
	  1 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text, or json: implies -b, and prints an object in a line for each moment", 1 },
	{ "color", OPTION_COLOR, "WHEN", 0,
	  "Use colors: auto, if the terminal has some and NO_COLOR is not set; or never", 1 },
	{ 0 },
};

static void parse_filter(struct argp_state *state, struct top_options *options, const char *text)
{
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

static void parse_delay(struct argp_state *state, struct top_options *options, const char *text)
{
	if (!duration_parse(text, strlen(text), &options->delay_ns) ||
	    options->delay_ns < DELAY_MIN_NS || options->delay_ns > DELAY_MAX_NS)
		argp_error(state, "-d %s: must be %s, from 0.1 s to 24 h", text, DURATION_UNITS);
}

static void parse_sort(struct argp_state *state, struct top_options *options, const char *text)
{
	const char *names[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		names[i] = columns[i].option;
	options->sort = parse_choice(state, "--sort", text, names, COLUMNS);
}

static void check_options(struct argp_state *state, const struct top_options *options)
{
	if (options->start == START_ALWAYS && options->input)
		argp_error(
			state,
			"--start: cannot be used with -i, which names the file of another kmemtraced");
	if (!options->batch && !isatty(STDOUT_FILENO))
		argp_error(state,
			   "standard output is not a terminal: use -b for text, or --format=json");
}

static error_t parse_top_option(int key, char *argument, struct argp_state *state)
{
	static const char *const formats[] = { "text", "json" };
	static const char *const colors[] = { "auto", "never" };
	struct top_options *options = state->input;

	switch (key) {
	case 'i':
		options->input = parse_path(state, "-i", argument);
		break;
	case OPTION_START:
		options->start = START_ALWAYS;
		break;
	case 'w':
		options->start = START_NEVER;
		break;
	case 'k':
		options->key = parse_choice(state, "--by", argument, top_keys, KEYS);
		options->has_key = true;
		break;
	case 's':
		parse_sort(state, options, argument);
		break;
	case 'r':
		options->reverse = true;
		break;
	case OPTION_FILTER:
		parse_filter(state, options, argument);
		break;
	case 'd':
		parse_delay(state, options, argument);
		break;
	case 'b':
		options->batch = true;
		break;
	case 'n':
		options->moments = parse_number(state, "-n", argument, 1, UINT32_MAX, "moments");
		break;
	case 'l':
		options->lines = parse_number(state, "-l", argument, 0, UINT32_MAX, "rows");
		break;
	case OPTION_FORMAT:
		options->json = parse_choice(state, "--format", argument, formats, 2) == 1;
		options->batch |= options->json;
		break;
	case OPTION_COLOR:
		options->no_color = parse_choice(state, "--color", argument, colors, 2) == 1;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: not an option: -i names a statistics file", argument);
		break;
	case ARGP_KEY_SUCCESS:
		check_options(state, options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void top_options_parse(struct top_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_top_option,
		.doc = "Show who allocates the kernel's memory, who holds it, and who grows, while it happens.\vOn the screen, h lists the keys.\n\n"
		       "Exit status: 0; 2 if the figures cannot be read.\n\n"
		       "See kmemtraced(8), which counts, and kmemtrace-report(1), which explains a capture.",
	};
	const char *no_color = getenv("NO_COLOR");

	*options = (struct top_options){ .delay_ns = DELAY_NS,
					 .lines = LINES,
					 .no_color = no_color && *no_color };
	parse_command_line(&argp, argc, argv, 0, options);
}

void top_options_deinit(struct top_options *options)
{
	if (options->filter)
		regfree(&options->regex);
}
