/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call sites by address, and the group that an allocation counts for. */
#ifndef TRACE_GROUPING_H
#define TRACE_GROUPING_H

#include "trace/analysis.h"
#include "trace/index.h"

struct grouping {
	struct analysis *analysis;
	struct index sites, groups;
	uint32_t *same_task; /* by task: the first of the same process and name */
};

int grouping_init(struct grouping *grouping, struct analysis *analysis); /* 0 or -ENOMEM */
void grouping_deinit(struct grouping *grouping);

/* The index in analysis->sites of a call site, a new one if need be; or -ENOMEM. */
int64_t grouping_site(struct grouping *grouping, uint64_t address, uint64_t time);

/* The index in analysis->groups for an allocation at that site from that cache; or -ENOMEM. */
int64_t grouping_group(struct grouping *grouping, const struct event *event, uint32_t site,
		       uint32_t cache);

#endif
