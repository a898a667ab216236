/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares the live objects with a reading of the slab allocator: the last one of a capture, or
 * each one that kmemtraced takes for the figures that it publishes. An object that the events show
 * as live, while the allocator has it free, or has given its slab back, was freed by an event that
 * was missed: it counts as a missed free, at the time of the reading.
 *
 * An object that the allocator has given out can be another one: the object of the events was freed
 * without an event, and then its address was allocated again without an event. No reading shows the
 * difference, or how often it happened. But a cache with allocations that have no event shows this
 * in other objects: some are allocated at the last reading, were not at the first one, and have no
 * event; and events free some that the first reading had free. If these are more than the lost
 * events, each live object of the cache can be another one.
 */
#ifndef ANALYSIS_AUDIT_H
#define ANALYSIS_AUDIT_H

#include "analysis/matcher_state.h"
#include "capture/event.h"

/* ns: events from this time on are given to audit_note(); UINT64_MAX: none. */
static inline uint64_t audit_begin(const struct analysis *analysis)
{
	const struct heap_readings *heap = &analysis->capture->heap;

	return heap->count ? heap->list[heap->count - 1].begin : UINT64_MAX;
}

/*
 * A free of an object without an allocation: was it allocated after the first reading? A double
 * free counts, too, since events do not show the difference. 0 or -ENOMEM.
 */
int audit_note_unmatched(struct analysis *analysis, const struct event *event);

/* Are unseen allocations counted? With -p, others have no events. */
static inline bool audit_knows_unseen(const struct analysis *analysis)
{
	return analysis->audit.has_unseen && !analysis->capture->status.traced_pid_count;
}

/* Before the event is matched. 0 or -ENOMEM. */
int audit_note(struct audit *audit, const struct event *event);

/*
 * Ends the live objects that the reading has free. All events before its end were matched; later
 * ones may have been. Several readings may follow each other. 0 or -errno.
 */
int audit_take(struct matcher *matcher, const struct heap_reading *reading);

/* After the last event, if the window lasts until the reading. 0 or -errno. */
int audit_run(struct matcher *matcher);
void audit_deinit(struct audit *audit);

#endif
