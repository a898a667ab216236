/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of a summary by cgroup and by task name, from the details that are counted. */
#ifndef TRACER_PUBLISH_SUMMARY_OWNERS_H
#define TRACER_PUBLISH_SUMMARY_OWNERS_H

#include "fleet/summary/summary.h"
#include "live/stats/details.h"

struct summary_owners {
	bool kinds[SUMMARY_KINDS]; /* that are added; never SUMMARY_CODE */
	struct summary counted;	   /* since the begin, at the end of the last summary */
};

/* kinds: as above. 0 or -ENOMEM. */
int summary_owners_init(struct summary_owners *owners, const bool *kinds);
void summary_owners_deinit(struct summary_owners *owners); /* all zero is allowed */

/*
 * Adds the rows of the interval since the last call. The details have been flushed: they have all
 * events before the end of the interval, and no others. 0 or -ENOMEM.
 */
int summary_owners_add(struct summary_owners *owners, const struct details *details,
		       struct summary *summary);

#endif
