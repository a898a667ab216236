/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --metrics. */
#ifndef TRACER_PUBLISH_METRICS_OPTIONS_H
#define TRACER_PUBLISH_METRICS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/value_range.h"

#define METRICS_INTERVAL_DEFAULT 15000000000ULL /* ns: as often as Prometheus reads, mostly */

struct metrics_options {
	const char *path;     /* NULL: --metrics was not given */
	uint64_t interval_ns; /* between two texts */
	size_t top;	      /* rows, see live/stats/metrics.h */
};

/* A child of the table of kmemtraced's options. Its input is struct metrics_options, all zero. */
extern const struct argp metrics_argp;

extern const struct value_range metrics_interval;

/* After all options are parsed: checks them, and sets the defaults. */
void metrics_options_complete(struct argp_state *state, struct metrics_options *options);

#endif
