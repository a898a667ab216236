/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a pass counts. */
#ifndef TRACE_FIGURES_H
#define TRACE_FIGURES_H

#include "trace/pass.h"

/*
 * What usual events add to the sums waits in group.due until figures_settle(). Of all sums only the
 * live bytes of groups and totals are right at each moment, for their peaks; nobody reads the
 * others before the pass is over, since where somebody watches, nothing is usual. The long way adds
 * to them directly, so that one may lie below 0, modulo 2^64, until all is settled.
 */
void figures_settle(struct analysis *analysis, struct group *group);
void figures_settle_all(struct analysis *analysis);

/* Where an event of an object of this group and cache adds. */
static inline struct group_due *figures_due(struct analysis *analysis, struct group *group,
					    uint32_t cache)
{
	if (group->due.cache != cache) {
		figures_settle(analysis, group);
		group->due.cache = cache;
	}
	return &group->due;
}

/* Of an object that was allocated now. */
static inline void figures_raise_live(struct analysis *analysis, struct group *group,
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
int figures_add_lifetime(struct group *group, uint64_t ns, uint64_t by);

/* The sums, and whoever watches is told first. All: 0 or -errno. */

int figures_tell_all(const struct pass *pass, const struct step *step);

static inline int figures_tell(const struct pass *pass, const struct step *step)
{
	return pass->analysis->settings.observer_count ? figures_tell_all(pass, step) : 0;
}

/* event may be NULL: of an object that still lives at the end. */
int figures_allocated(const struct pass *pass, const struct event *event,
		      const struct heap_block *block);
int figures_freed(const struct pass *pass, const struct event *event,
		  const struct heap_block *block);
int figures_missed(const struct pass *pass, const struct event *event,
		   const struct heap_block *block);

/*
 * What was told to be missed: event freed it, with the time at which it was told missed. is_last:
 * nothing was allocated on the event's CPU between.
 */
int figures_found(const struct pass *pass, const struct event *event,
		  const struct heap_block *block, bool is_last);

/* What the event told freed is freed by this event; was_last: what is_last was of that one. */
int figures_freed_instead(const struct pass *pass, const struct event *event,
			  const struct heap_block *block, const struct event *told, bool was_last);

/* An event of no object that is known: fate is FATE_UNMATCHED or FATE_NO_OBJECT. */
int figures_other(const struct pass *pass, const struct event *event, enum fate fate,
		  uint32_t cache);
int figures_failed(struct pass *pass, const struct event *event, uint32_t site, uint32_t cache);

#endif
