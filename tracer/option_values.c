// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Durations and sizes, with the limits of each option. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "kernel/sampling.h"
#include "tracer/option_values.h"

#define NSEC_PER_SEC 1000000000ULL
#define DURATION_MAX 1000000000ULL /* seconds */
#define MIB (1024 * 1024ULL)
#define INTERVAL_MIN 10000000 /* ns between two readings of --proc-mem */

/* A number in a spelling of strtod(), such as 1e3, means seconds. */
uint64_t parse_duration(struct argp_state *state, const char *text)
{
	uint64_t ns = 0;
	double seconds;
	char *end;

	if (!duration_parse(text, strlen(text), &ns)) {
		seconds = strtod(text, &end);
		if (end == text || *end || !(seconds > 0) || seconds > DURATION_MAX)
			seconds = 0;
		ns = (uint64_t)(seconds * NSEC_PER_SEC);
		if (!ns && seconds > 0)
			ns = 1;
	}
	if (!ns || ns > DURATION_MAX * NSEC_PER_SEC)
		option_error(state, "-d: \"%s\" is not a duration above 0: use " DURATION_UNITS,
			     text);
	return ns;
}

const struct value_range proc_mem_interval = {
	"proc-mem", RANGE_DURATION, INTERVAL_MIN,
	0,	    false,	    "a duration of at least 10ms: use " DURATION_UNITS
};

unsigned int parse_ring_mib(struct argp_state *state, const char *text)
{
	uint64_t bytes = 0;

	if (!size_parse(text, MIB, &bytes) || bytes % MIB || bytes < MIB || bytes > 512 * MIB)
		option_error(
			state,
			"-m: \"%s\" is not a number of mebibytes from 1 to 512, nor a size such as 64M",
			text);
	return (unsigned int)(bytes / MIB);
}

uint32_t parse_sampling(struct argp_state *state, const char *option, const char *text)
{
	uint64_t bytes;

	if (!text)
		return SAMPLE_DEFAULT;
	if (!strcmp(text, "all"))
		return SAMPLING_EACH;
	if (!size_parse(text, 1, &bytes) || bytes < SAMPLING_LEAST || bytes > SAMPLING_MOST)
		option_error(state,
			     "%s: \"%s\" is not a size from 64 to 1G, such as 64k, nor \"all\"",
			     option, text);
	return (uint32_t)bytes;
}
