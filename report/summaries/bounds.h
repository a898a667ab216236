/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live objects are counted since tracing began: they are exact only if a file has all summaries of
 * a run, and these have all events.
 */
#ifndef REPORT_SUMMARIES_BOUNDS_H
#define REPORT_SUMMARIES_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/summaries/summaries.h"

/* May frees be missing, so that live figures are upper bounds? Of all summaries of the file. */
bool summaries_lack_frees(const struct summaries *summaries);

/* The same for each interval, which are in order: sets is_bound. */
void summaries_set_bounds(struct summaries *summaries);

/* Hosts that lack summaries between others of a run. */
struct summaries_gaps {
	const char *host; /* the first of them; NULL: none */
	size_t hosts;
};

struct summaries_gaps summaries_find_gaps(const struct summaries *summaries);

#endif
