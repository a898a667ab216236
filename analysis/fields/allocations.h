/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selects and groups the objects of an analysis by expressions over the fields of their
 * allocations. A free counts with its object. A free of an unknown object is selected by its own
 * fields: a field that only an allocation has is null.
 */
#ifndef ANALYSIS_FIELDS_ALLOCATIONS_H
#define ANALYSIS_FIELDS_ALLOCATIONS_H

#include "analysis/fields/aggregate.h"

struct allocations {
	struct query *query;
	struct value_source source;
	struct aggregate groups; /* by number, which is the key of struct group: its values of by */
};

int allocations_init(struct allocations *allocations, struct query *query); /* 0 or -ENOMEM */
void allocations_deinit(struct allocations *allocations);

/*
 * Before the analysis, when the capture is known. It selects by query->where, if there is one, and
 * groups by query->by, if settings->by is GROUP_BY_CALLER. 0, -ENOMEM, or -EINVAL with the errmsg
 * of the query set. After the analysis, allocations->source.err is 0 or -ENOMEM.
 */
int allocations_request(struct allocations *allocations, struct analysis_settings *settings,
			const struct capture *capture);

#endif
