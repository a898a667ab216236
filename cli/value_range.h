/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The durations, ages and sizes that an option takes. Each option has one row, for the command
 * line, for a configuration file that is read again, and for the message about a wrong value.
 */
#ifndef CLI_VALUE_RANGE_H
#define CLI_VALUE_RANGE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum range_unit {
	RANGE_DURATION, /* ns; a number without a unit: seconds */
	RANGE_AGE,	/* ns; the text has a unit */
	RANGE_SIZE	/* bytes */
};

struct value_range {
	const char *option; /* without its dashes */
	enum range_unit unit;
	uint64_t least, most; /* most 0: no limit */
	bool has_all;	      /* the word "all" is UINT64_MAX */
	const char *is; /* what is right, after "is not": "a duration up to 24h: use s, m or h" */
};

/* False: the text is wrong, or NULL; why then has the sentence, which begins with the value. */
bool value_parse(const struct value_range *range, const char *text, uint64_t *value, char *why,
		 size_t why_size);

/* The same, of an option; a wrong value ends the program, as all in command_line.h. */
uint64_t value_of_option(const struct argp_state *state, const struct value_range *range,
			 const char *text);

#endif
