/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --metrics. */
#ifndef TRACER_PUBLISH_METRICS_OPTIONS_H
#define TRACER_PUBLISH_METRICS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option_table.h"

#define METRICS_INTERVAL_DEFAULT 15000000000ULL /* ns: as often as Prometheus reads, mostly */
#define METRICS_TOP_DEFAULT 50
#define METRICS_OWNERS_DEFAULT 10

struct metrics_options {
	const char *path;     /* NULL: --metrics was not given */
	uint64_t interval_ns; /* between two texts */
	size_t top;	      /* rows, see live/stats/metrics.h */
	size_t owners;	      /* see live/stats/metrics_owners.h; 0: none */
};

extern const struct option_row metrics_rows[];

#endif
