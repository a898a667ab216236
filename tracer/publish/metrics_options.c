// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --metrics. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "live/stats/metrics.h"
#include "live/stats/metrics_file.h"
#include "tracer/publish/metrics_options.h"

#define INTERVAL_LEAST 100000000ULL /* as often as the publishing thread has new figures */
#define TOP_DEFAULT 50

enum {
	KEY_METRICS = 0x2000,
	KEY_INTERVAL,
	KEY_TOP,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Metrics for Prometheus:", 5 },
	{ "metrics", KEY_METRICS, "FILE", 0,
	  "Write metrics to FILE, whose name ends in " METRICS_FILE_SUFFIX
	  ", for the textfile collector of node_exporter: live bytes, allocations and frees by slab cache and by function",
	  5 },
	{ "metrics-interval", KEY_INTERVAL, "SECONDS", 0,
	  "Write them every SECONDS, at least 100ms (default: 15)", 5 },
	{ "metrics-top", KEY_TOP, "N", 0,
	  "Name the N caches and the N functions with the most live bytes, and up to N that were among them before (default: 50)",
	  5 },
	{ 0 },
};

static const char *parse_file(struct argp_state *state, const char *text)
{
	const char *path = parse_path(state, "--metrics", text);
	size_t suffix = strlen(METRICS_FILE_SUFFIX), length = strlen(path);

	if (length < suffix || strcmp(path + length - suffix, METRICS_FILE_SUFFIX) != 0)
		option_error(state,
			     "--metrics %s: the name must end in " METRICS_FILE_SUFFIX
			     ": the textfile collector reads no other file",
			     path);
	return path;
}

const struct value_range metrics_interval = { "metrics-interval",
					      RANGE_DURATION,
					      INTERVAL_LEAST,
					      0,
					      false,
					      "a duration of at least 100ms: use " DURATION_UNITS };

void metrics_options_complete(struct argp_state *state, struct metrics_options *options)
{
	if (!options->path && (options->interval_ns || options->top))
		option_error(state, "%s: needs --metrics",
			     options->interval_ns ? "--metrics-interval" : "--metrics-top");
	if (!options->interval_ns)
		options->interval_ns = METRICS_INTERVAL_DEFAULT;
	if (!options->top)
		options->top = TOP_DEFAULT;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct metrics_options *options = state->input;

	switch (key) {
	case KEY_METRICS:
		options->path = parse_file(state, argument);
		return 0;
	case KEY_INTERVAL:
		options->interval_ns = value_of_option(state, &metrics_interval, argument);
		return 0;
	case KEY_TOP:
		options->top = (size_t)parse_number(state, "--metrics-top", argument, 1,
						    METRICS_ROWS_MAX, "rows");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp metrics_argp = { .options = table, .parser = parse_option };
