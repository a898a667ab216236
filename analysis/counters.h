/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a pass counts. */
#ifndef ANALYSIS_COUNTERS_H
#define ANALYSIS_COUNTERS_H

#include "analysis/matcher.h"

/*
 * What usual events add to the sums waits in group.due until counters_flush(). Of all sums only the
 * live bytes of groups and totals are right at each moment, for their peaks; nobody reads the
 * others before the pass is over, since where somebody watches, nothing is usual. The long way adds
 * to them directly, so that one may lie below 0, modulo 2^64, until all is settled.
 */
void counters_flush(struct analysis *analysis, struct group *group);
void counters_settle_all(struct analysis *analysis);

/* Where an event of an object of this group and cache adds. */
static inline struct pending_counters *counters_due(struct analysis *analysis, struct group *group,
						    uint32_t cache)
{
	if (group->pending.cache != cache) {
		counters_flush(analysis, group);
		group->pending.cache = cache;
	}
	return &group->pending;
}

/* Of an object that was allocated now. */
static inline void counters_raise_live(struct analysis *analysis, struct group *group,
				       uint64_t bytes, uint64_t time)
{
	struct analysis_totals *totals = &analysis->totals;

	group->live_bytes += bytes;
	if (group->live_bytes > group->peak_bytes)
		group->peak_bytes = group->live_bytes;
	totals->live_bytes += bytes;
	if (totals->live_bytes > totals->peak_bytes) {
		totals->peak_bytes = totals->live_bytes;
		totals->peak_time = time;
	}
}

/* ns: what was freed lived so long. by: 1, or -1 to take it back. 0 or -ENOMEM. */
int counters_add_lifetime(struct group *group, uint64_t ns, uint64_t by);

/* The sums, and whoever watches is told first. All: 0 or -errno. */

int counters_tell_all(const struct matcher *matcher, const struct transition *transition);

static inline int counters_emit(const struct matcher *matcher, const struct transition *transition)
{
	return matcher->analysis->settings.observer_count ? counters_tell_all(matcher, transition)
							  : 0;
}

/* event may be NULL: of an object that still lives at the end. */
int counters_allocated(const struct matcher *matcher, const struct event *event,
		       const struct slab_object *object);
int counters_freed(const struct matcher *matcher, const struct event *event,
		   const struct slab_object *object);
int counters_missed(const struct matcher *matcher, const struct event *event,
		    const struct slab_object *object);

/*
 * What was told to be missed: event freed it, with the time at which it was told missed. is_last:
 * nothing was allocated on the event's CPU between.
 */
int counters_found(const struct matcher *matcher, const struct event *event,
		   const struct slab_object *object, bool is_last);

/* What the event told freed is freed by this event; was_last: what is_last was of that one. */
int counters_freed_instead(const struct matcher *matcher, const struct event *event,
			   const struct slab_object *object, const struct event *told,
			   bool was_last);

/* An event of no object that is known: fate is OUTCOME_UNMATCHED or OUTCOME_NO_OBJECT. */
int counters_other(const struct matcher *matcher, const struct event *event, enum outcome outcome,
		   uint32_t cache);
int counters_failed(struct matcher *matcher, const struct event *event, uint32_t site,
		    uint32_t cache);

#endif
