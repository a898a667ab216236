/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures without times, whose clock counts events: what the views tell in nanoseconds and per
 * second becomes a number of events and per event, in all forms of output.
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
 * Gives the table, once it is sorted, columns of its own with other names and units: free() them
 * when it is printed. NULL: no memory.
 */
struct column *event_clock_convert(struct table *table);

#endif
