/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --count: what is counted, by which groups, and how it is printed. */
#ifndef TRACER_COUNT_OPTIONS_H
#define TRACER_COUNT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct query;
struct renderer;

/* All zero: --count was not given. */
struct count_options {
	bool enabled;
	struct query *query;
	uint32_t parts;	 /* that the query needs, as counted_query() */
	uint32_t groups; /* room for keys in the kernel */
	const struct renderer *renderer;
};

/* A child of the table of kmemtraced's options. Its input is struct count_options. */
extern const struct argp count_argp;

/*
 * When all options are known: finds what the query needs. probes_text: of --probes, or NULL.
 */
void count_options_complete(struct argp_state *state, struct count_options *options,
			    const char *probes_text);

/* Without --count: no option of it may be given. has_format: --format has another use. */
void count_options_check_disabled(struct argp_state *state, const struct count_options *options,
				  bool has_format);

void count_options_deinit(struct count_options *options);

#endif
