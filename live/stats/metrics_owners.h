/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live bytes by task name and by container, for a monitoring system: those with the most have a
 * series each, and one series has all others, so that each of the two adds up to the total.
 */
#ifndef LIVE_STATS_METRICS_OWNERS_H
#define LIVE_STATS_METRICS_OWNERS_H

#include <stddef.h>
#include <stdio.h>

#include "live/stats/details.h"

#define METRICS_OWNERS_MAX 1000 /* series of each */

enum metrics_owner {
	METRICS_COMM,
	METRICS_CONTAINER,
	METRICS_OWNERS
};

/* The names that the last text had. All zero: there was none. */
struct metrics_owners {
	char **shown[METRICS_OWNERS];
	size_t count[METRICS_OWNERS];
};

void metrics_owners_deinit(struct metrics_owners *owners);

/*
 * Writes both tables, after details_flush(). As in metrics.h, `top` names have a series, and as
 * many of those that had one in the last text. 0 or -ENOMEM; errors of the file are those of the
 * file.
 */
int metrics_owners_write(struct metrics_owners *owners, const struct details *details, size_t top,
			 FILE *file);

#endif
