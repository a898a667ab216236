// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --ship-to. */
#include "config.h"

#include <string.h>

#include "tracer/ship/ship_options.h"

/* kmemtrace-ship checks the rest. The text is not repeated: it may have a password. */
static void check_url(struct argp_state *state, const char *text)
{
	if (strncmp(text, "clickhouse://", strlen("clickhouse://")) != 0 &&
	    strncmp(text, "clickhouses://", strlen("clickhouses://")) != 0)
		option_error(
			state,
			"--ship-to: the address of a server begins with clickhouse:// or clickhouses://, as in clickhouse://HOST:8123/DATABASE");
	if (strchr(text, '@'))
		option_error(
			state,
			"--ship-to: a user and a password do not belong in the address: write them into --ship-credentials=FILE");
}

static void keep_max_wait(struct argp_state *state, const char *text)
{
	struct ship_options *options = state->input;

	options->max_wait = text;
}

#define AT(member) OPTION_AT(struct ship_options, member)

const struct option_row ship_rows[] = {
	{ "ship-to", 0, "URL",
	  "Send the summaries to clickhouse://HOST[:PORT]/DATABASE, or clickhouses:// for TLS, with kmemtrace-ship(1) in a process without privileges",
	  AT(url), .parse = check_url, .needs = "summaries",
	  .words = "clickhouse://|clickhouses://" },
	{ "ship-user", 0, "USER",
	  "Run this process as USER, who owns its state files (default: 65534)", AT(user),
	  .needs = "ship-to" },
	{ "ship-credentials", 0, "FILE",
	  "Lines \"user NAME\" and \"password TEXT\" for the server, in a file that only its owner can read (default: KMEMTRACE_CLICKHOUSE_USER and KMEMTRACE_CLICKHOUSE_PASSWORD of the environment)",
	  AT(credentials), .kind = ARGUMENT_PATH, .needs = "ship-to" },
	{ "ship-ca", 0, "FILE",
	  "Trust the authorities whose certificates are in FILE (default: those of the system)",
	  AT(ca), .kind = ARGUMENT_PATH, .needs = "ship-to" },
	{ "ship-max-wait", 0, "DURATION",
	  "While the server cannot be reached, try again after 1 s, 2 s, ... and at most DURATION (default: 60)",
	  .kind = ARGUMENT_DURATION, .least = 1, .parse = keep_max_wait, .needs = "ship-to",
	  .words = "10s|1m|10m" },
	{ 0 },
};
