/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values of kmemtraced's options. A wrong one ends the program, as all in cli/command_line.h.
 */
#ifndef TRACER_OPTION_VALUES_H
#define TRACER_OPTION_VALUES_H

#include <argp.h>
#include <stdint.h>

#include "cli/value_range.h"

#define SAMPLE_DEFAULT (512 * 1024) /* bytes */

uint64_t parse_duration(struct argp_state *state, const char *text); /* ns, above 0 */
extern const struct value_range proc_mem_interval;
unsigned int parse_ring_mib(struct argp_state *state, const char *text);

/* Bytes, or SAMPLING_EACH. option: as a message names it. text NULL: the default. */
uint32_t parse_sampling(struct argp_state *state, const char *option, const char *text);

#endif
