/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --count: what is counted, by which groups, and how it is printed. */
#ifndef TRACER_COUNT_OPTIONS_H
#define TRACER_COUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option_table.h"

struct query;
struct renderer;

struct count_options {
	bool enabled;
	struct query *query;
	uint32_t parts;	 /* that the query needs, as counted_query() */
	uint32_t groups; /* room for keys in the kernel */
	const struct renderer *renderer;
	const char *sort; /* NULL: by the number of events */
	bool lines_given;
	size_t lines; /* rows; 0: all */
};

extern const struct option_row count_rows[];

/*
 * When all options are known: finds what the query needs. probes_text: of --probes, or NULL.
 */
void count_options_complete(struct argp_state *state, struct count_options *options,
			    const char *probes_text);

void count_options_deinit(struct count_options *options);

#endif
