/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which parts of an event a query needs, where the kernel counts events by key: bpf/count.bpf.h. */
#ifndef ANALYSIS_FIELDS_COUNTED_H
#define ANALYSIS_FIELDS_COUNTED_H

#include <stdint.h>

#include "analysis/fields/query.h"

/*
 * Adds the parts that the query needs. 0, or -EINVAL with query->error set: it needs more than one
 * event.
 */
int counted_query(struct query *query, uint32_t *parts);

#endif
