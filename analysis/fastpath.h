/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path: takes nearly all events where everything is selected.
 * An allocation is fast if no object is live at its address and its call site has a group already;
 * a free is fast if it frees a counted object. Allocations from anonymous caches, records of backup
 * programs, and events with the time of the next event are not fast. match_event() takes all events
 * that are not fast.
 */
#ifndef ANALYSIS_FASTPATH_H
#define ANALYSIS_FASTPATH_H

#include <sys/param.h>

#include "analysis/audit.h"
#include "analysis/matcher_state.h"

/*
 * ns: only earlier events can be fast. From the begin of the window on, events until its end need
 * no test, and each event up to check_until is checked against the heap rules. 0: none can be fast.
 */
static inline uint64_t fastpath_end(const struct matcher *matcher)
{
	uint64_t check_until = matcher->subscribers.check_until;

	/* an observer may want to know the stack of an allocation */
	if (matcher->checkpoint_end || matcher->is_before_window || matcher->is_partial ||
	    matcher_older(matcher) || matcher->analysis->settings.estimate ||
	    (matcher->subscribers.is_observed && matcher->status->sampling.interval))
		return 0;
	return MIN(MIN(check_until < UINT64_MAX ? check_until + 1 : UINT64_MAX,
		       matcher->grouping.until),
		   MIN(matcher->analysis->window_end, audit_begin(matcher->analysis)));
}

/*
 * Matches events up to the first that is not fast, and returns their number. prefetched: for each
 * event the result of object_table_prefetch_object(). It may be NULL, another address' object or an
 * object that was removed since. events[count] must exist: an event with the same time as the next
 * one is not fast. err: 0 or -ENOMEM.
 */
size_t fastpath_run(struct matcher *matcher, const struct event *events, size_t count,
		    struct slab_object *const *prefetched, int *err);

#endif
