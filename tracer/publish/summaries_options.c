// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --summaries. */
#include "config.h"

#include <string.h>

#include "fleet/summary/summary_file.h"
#include "tracer/publish/summaries_options.h"

#define SECOND 1000000000ULL /* ns */
#define DAY (86400 * SECOND)
#define ROLE_MAX 200	    /* bytes */
#define MAX_LEAST (1 << 20) /* bytes */

static void check_role(struct argp_state *state, const char *text)
{
	if (!*text || !strcmp(text, "-") || strlen(text) > ROLE_MAX)
		option_error(state, "--role: \"%s\" is not a name of 1 to %d bytes, such as web",
			     text, ROLE_MAX);
}

static void parse_by(struct argp_state *state, const char *text)
{
	struct summaries_options *options = state->input;
	bool *by = options->by;
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

#define AT(member) OPTION_AT(struct summaries_options, member)

const struct option_row summaries_rows[] = {
	{ .help = "Summaries for a fleet of machines:" },
	{ "summaries", 0, "SECONDS",
	  "Every SECONDS, 1 to 1d, append a summary of the events since the last one to a file: what each function allocated and freed of each slab cache, for kmemtrace-fleet(1) (default: 60)",
	  AT(interval_ns), .kind = ARGUMENT_DURATION, .least = SECOND, .most = DAY,
	  .optional = "60", .words = "60|10|5m" },
	{ "summaries-dir", 0, "DIR",
	  "Write a file for each host and day, HOST.DATE" SUMMARY_FILE_SUFFIX
	  ", in DIR (default: " SUMMARIES_DIRECTORY ")",
	  AT(directory), .kind = ARGUMENT_PATH, .needs = "summaries" },
	{ "summaries-keep", 0, "AGE",
	  "Remove the files of this host whose day is older than AGE, such as 7d; all: remove none (default: 30d)",
	  AT(keep_ns), .kind = ARGUMENT_AGE, .least = DAY, .all = UINT64_MAX, .needs = "summaries",
	  .reloads = true, .words = "7d|30d|all" },
	{ "summaries-max-disk", 0, "SIZE",
	  "Remove the oldest files of this host when all have more than SIZE bytes, at least 1M; all: remove none (default: 1G with --ship-to, else all)",
	  AT(max_bytes), .kind = ARGUMENT_SIZE, .least = MAX_LEAST, .all = UINT64_MAX,
	  .needs = "summaries", .reloads = true, .words = "100M|1G|all" },
	{ "role", 0, "NAME",
	  "Store NAME, such as web or db, in the summaries, to compare hosts with the same role",
	  AT(role), .parse = check_role, .needs = "summaries" },
	{ "summaries-by", 0, "LIST",
	  "Also count by cgroup, by comm (the name of the task that allocated), or by cgroup,comm",
	  .parse = parse_by, .needs = "summaries", .words = "cgroup|comm|cgroup,comm" },
	{ 0 },
};
