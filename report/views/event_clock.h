/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures without times, whose clock counts events: nanoseconds become numbers of events, and
 * rates per second become rates per event, in all output formats.
 */
#ifndef REPORT_VIEWS_EVENT_CLOCK_H
#define REPORT_VIEWS_EVENT_CLOCK_H

#include <stdbool.h>

#include "report/views/view.h"

static inline bool event_clock_is(const struct capture *capture)
{
	return capture->metadata.clock == METADATA_CLOCK_EVENTS;
}

/*
 * Replaces the columns of a sorted table by copies with other names and units, which the caller
 * frees. NULL: no memory.
 */
struct column *event_clock_convert(struct table *table);

#endif
