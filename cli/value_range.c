// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"

static bool is_number(enum range_unit unit, const char *text, uint64_t *value)
{
	switch (unit) {
	case RANGE_DURATION:
		return duration_parse(text, strlen(text), value);
	case RANGE_AGE:
		return age_parse(text, value);
	default:
		return size_parse(text, 1, value);
	}
}

bool value_parse(const struct value_range *range, const char *text, uint64_t *value, char *why,
		 size_t why_size)
{
	*value = UINT64_MAX;
	if (text && range->has_all && !strcmp(text, "all"))
		return true;
	if (text && is_number(range->unit, text, value) && *value >= range->least &&
	    (!range->most || *value <= range->most))
		return true;
	snprintf(why, why_size, "\"%s\" is not %s", text ? text : "", range->is);
	return false;
}

uint64_t value_of_option(const struct argp_state *state, const struct value_range *range,
			 const char *text)
{
	char why[600];
	uint64_t value;

	if (!value_parse(range, text, &value, why, sizeof(why)))
		option_error(state, "--%s: %s", range->option, why);
	return value;
}
