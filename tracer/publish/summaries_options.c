// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --summaries. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "fleet/summary/summary_file.h"
#include "tracer/publish/summaries_options.h"

#define SECOND 1000000000ULL /* ns */
#define DAY (86400 * SECOND)
#define INTERVAL_DEFAULT (60 * SECOND)
#define ROLE_MAX 200	    /* bytes */
#define MAX_LEAST (1 << 20) /* bytes */

enum {
	KEY_SUMMARIES = 0x7000,
	KEY_DIRECTORY,
	KEY_KEEP,
	KEY_MAX,
	KEY_ROLE,
	KEY_BY,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Summaries for a fleet of machines:", 5 },
	{ "summaries", KEY_SUMMARIES, "SECONDS", OPTION_ARG_OPTIONAL,
	  "Every SECONDS, 1 to 1d, append a summary of the events since the last one to a file: what each function allocated and freed of each slab cache, for kmemtrace-fleet(1) (default: 60)",
	  5 },
	{ "summaries-dir", KEY_DIRECTORY, "DIR", 0,
	  "Write a file for each host and day, HOST.DATE" SUMMARY_FILE_SUFFIX
	  ", in DIR (default: " SUMMARIES_DIRECTORY ")",
	  5 },
	{ "summaries-keep", KEY_KEEP, "AGE", 0,
	  "Remove the files of this host whose day is older than AGE, such as 7d; all: none (default: 30d)",
	  5 },
	{ "summaries-max-disk", KEY_MAX, "SIZE", 0,
	  "Remove the oldest files of this host when all have more than SIZE bytes, at least 1M; all: none (default: 1G with --ship-to, else all)",
	  5 },
	{ "role", KEY_ROLE, "NAME", 0,
	  "Store NAME, such as web or db, in the summaries, to compare hosts with the same role",
	  5 },
	{ "summaries-by", KEY_BY, "LIST", 0,
	  "Count by cgroup, by comm (the name of the task that allocated), or by cgroup,comm, too",
	  5 },
	{ 0 },
};

static const struct value_range summaries_interval = {
	"summaries", RANGE_DURATION, SECOND,
	DAY,	     false,	     "a duration from 1 second to 1 day: use " DURATION_UNITS
};

const struct value_range summaries_keep = {
	"summaries-keep", RANGE_AGE, DAY, 0, true, "an age of at least 1d, such as 7d, nor \"all\""
};

const struct value_range summaries_max = { "summaries-max-disk",
					   RANGE_SIZE,
					   MAX_LEAST,
					   0,
					   true,
					   "a size of at least 1M, such as 500M, nor \"all\"" };

static const char *parse_role(struct argp_state *state, const char *text)
{
	if (!*text || !strcmp(text, "-") || strlen(text) > ROLE_MAX)
		option_error(state, "--role: \"%s\" is not a name of 1 to %d bytes, such as web",
			     text, ROLE_MAX);
	return text;
}

static void parse_by(struct argp_state *state, const char *text, bool *by)
{
	const char *end;

	for (; text; text = *end ? end + 1 : NULL) {
		end = strchrnul(text, ',');
		if (end - text == 6 && !strncmp(text, "cgroup", 6))
			by[SUMMARY_CGROUP] = true;
		else if (end - text == 4 && !strncmp(text, "comm", 4))
			by[SUMMARY_COMM] = true;
		else
			option_error(state, "--summaries-by: \"%.*s\" is not cgroup or comm",
				     (int)(end - text), text);
	}
}

void summaries_options_complete(struct argp_state *state, struct summaries_options *options)
{
	const char *option = options->directory	  ? "--summaries-dir"
			     : options->keep_ns	  ? "--summaries-keep"
			     : options->max_bytes ? "--summaries-max-disk"
			     : options->role	  ? "--role"
			     : options->by[SUMMARY_CGROUP] || options->by[SUMMARY_COMM]
				     ? "--summaries-by"
				     : NULL;

	if (!options->interval_ns && option)
		option_error(state, "%s: needs --summaries", option);
	if (!options->directory)
		options->directory = SUMMARIES_DIRECTORY;
	if (!options->keep_ns)
		options->keep_ns = SUMMARIES_KEEP_DEFAULT;
	if (!options->role)
		options->role = "";
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct summaries_options *options = state->input;

	switch (key) {
	case KEY_SUMMARIES:
		options->interval_ns =
			argument ? value_of_option(state, &summaries_interval, argument)
				 : INTERVAL_DEFAULT;
		*options->no_value = argument ? NULL : "--summaries";
		return 0;
	case KEY_DIRECTORY:
		options->directory = parse_path(state, "--summaries-dir", argument);
		return 0;
	case KEY_KEEP:
		options->keep_ns = value_of_option(state, &summaries_keep, argument);
		return 0;
	case KEY_MAX:
		options->max_bytes = value_of_option(state, &summaries_max, argument);
		return 0;
	case KEY_ROLE:
		options->role = parse_role(state, argument);
		return 0;
	case KEY_BY:
		parse_by(state, argument, options->by);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp summaries_argp = { .options = table, .parser = parse_option };
