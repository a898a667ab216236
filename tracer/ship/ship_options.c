// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --ship-to. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "tracer/ship/ship_options.h"

enum {
	KEY_SHIP_TO = 0x8000,
	KEY_USER,
	KEY_CREDENTIALS,
	KEY_CA,
	KEY_MAX_WAIT,
};

static const struct argp_option table[] = {
	{ "ship-to", KEY_SHIP_TO, "URL", 0,
	  "Send the summaries to clickhouse://HOST[:PORT]/DATABASE, or clickhouses:// for TLS, with kmemtrace-ship(1) in a process without privileges",
	  5 },
	{ "ship-user", KEY_USER, "USER", 0,
	  "Let this process be USER, who owns what it remembers (default: 65534)", 5 },
	{ "ship-credentials", KEY_CREDENTIALS, "FILE", 0,
	  "Lines \"user NAME\" and \"password TEXT\" for the server, in a file that only its owner can read (default: KMEMTRACE_CLICKHOUSE_USER and KMEMTRACE_CLICKHOUSE_PASSWORD of the environment)",
	  5 },
	{ "ship-ca", KEY_CA, "FILE", 0,
	  "Trust the authorities whose certificates are in FILE (default: those of the system)",
	  5 },
	{ "ship-max-wait", KEY_MAX_WAIT, "DURATION", 0,
	  "While the server cannot be reached, try it again after 1 s, 2 s, ... and at most DURATION (default: 60)",
	  5 },
	{ 0 },
};

/* kmemtrace-ship checks the rest. The text is not repeated: it may have a password. */
static const char *parse_url(struct argp_state *state, const char *text)
{
	if (strncmp(text, "clickhouse://", strlen("clickhouse://")) != 0 &&
	    strncmp(text, "clickhouses://", strlen("clickhouses://")) != 0)
		option_error(
			state,
			"--ship-to: the address of a server begins with clickhouse:// or clickhouses://, as in clickhouse://HOST:8123/DATABASE");
	if (strchr(text, '@'))
		option_error(
			state,
			"--ship-to: a user and a password do not belong into the address: --ship-credentials=FILE has them");
	return text;
}

static const struct value_range ship_max_wait = {
	"ship-max-wait", RANGE_DURATION, 1, 0, false, "a duration: use " DURATION_UNITS
};

void ship_options_complete(struct argp_state *state, struct ship_options *options,
			   bool has_summaries)
{
	const char *option = options->user	    ? "--ship-user"
			     : options->credentials ? "--ship-credentials"
			     : options->ca	    ? "--ship-ca"
			     : options->max_wait    ? "--ship-max-wait"
						    : NULL;

	if (options->url && !has_summaries)
		option_error(state, "--ship-to: needs --summaries");
	if (!options->url && option)
		option_error(state, "%s: needs --ship-to", option);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct ship_options *options = state->input;

	switch (key) {
	case KEY_SHIP_TO:
		options->url = parse_url(state, argument);
		return 0;
	case KEY_USER:
		options->user = argument;
		return 0;
	case KEY_CREDENTIALS:
		options->credentials = parse_path(state, "--ship-credentials", argument);
		return 0;
	case KEY_CA:
		options->ca = parse_path(state, "--ship-ca", argument);
		return 0;
	case KEY_MAX_WAIT:
		value_of_option(state, &ship_max_wait, argument);
		options->max_wait = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp ship_argp = { .options = table, .parser = parse_option };
