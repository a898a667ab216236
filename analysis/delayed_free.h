/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delayed reports of frees. Before Linux 5.16, kmem_cache_free() reports an object after it
 * returned it to its slab: another CPU can allocate the address again and report that first. So in
 * the sequence allocation, allocation, free, free of one address, the first free frees the first
 * object, and no free was missed. A release number does not show the fix, which can be backported.
 * So this applies to every kernel whose allocations name no cache: all before 6.0.
 *
 * Until the second free comes, the first object counts as missed, and the first free as the free of
 * the second object. Live counters are not corrected.
 */
#ifndef ANALYSIS_DELAYED_FREE_H
#define ANALYSIS_DELAYED_FREE_H

#include "analysis/matcher_state.h"

int delayed_free_init(struct delayed_frees *delayed); /* 0 or -ENOMEM */
void delayed_free_deinit(struct delayed_frees *delayed);

/*
 * The event allocated the address of the live object old; neither names its cache. check: report
 * the missed free as a finding, unless the second free comes. 0 or -ENOMEM.
 */
int delayed_free_add(struct matcher *matcher, const struct event *event,
		     const struct slab_object *old, bool check);

/* Is the event the second free of such a sequence? */
bool delayed_free_expects(const struct delayed_frees *delayed, const struct event *event);

/*
 * Called for each event before it is matched. 1: it is the second free of such a sequence, and is
 * counted; 0: it is still to be matched; or -errno.
 */
int delayed_free_match(struct matcher *matcher, const struct event *event);

/* No more events come. 0 or -ENOMEM. */
int delayed_free_finish(struct matcher *matcher);

#endif
