/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a pass counts: each tells the observers first, then adds. All return 0 or -errno. */
#ifndef TRACE_FIGURES_H
#define TRACE_FIGURES_H

#include <errno.h>
#include <stdlib.h>

#include "trace/pass.h"

/* The sums alone. */

static inline void figures_add_allocated(struct analysis *analysis, uint64_t time,
					 const struct heap_block *block)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[block->group];
	struct analysis_cache *cache = &analysis->caches[block->cache];

	group->allocations++;
	group->bytes_requested += block->requested;
	group->bytes_allocated += block->allocated;
	group->live_objects++;
	group->live_bytes += block->allocated;
	if (group->live_bytes > group->peak_bytes)
		group->peak_bytes = group->live_bytes;
	if (group->cache != block->cache)
		group->cache = group->cache == CACHE_NONE ? block->cache : CACHE_SEVERAL;
	cache->allocations++;
	cache->bytes_requested += block->requested;
	cache->bytes_allocated += block->allocated;
	cache->live_objects++;
	cache->live_bytes += block->allocated;
	totals->allocations++;
	totals->bytes_requested += block->requested;
	totals->bytes_allocated += block->allocated;
	totals->live_objects++;
	totals->live_bytes += block->allocated;
	if (totals->live_bytes > totals->peak_bytes) {
		totals->peak_bytes = totals->live_bytes;
		totals->peak_time = time;
	}
}

static inline void figures_forget_live(struct analysis *analysis, struct group *group,
				       struct analysis_cache *cache, const struct heap_block *block)
{
	group->live_objects--;
	group->live_bytes -= block->allocated;
	cache->live_objects--;
	cache->live_bytes -= block->allocated;
	analysis->totals.live_objects--;
	analysis->totals.live_bytes -= block->allocated;
}

/* by: 1, or -1 to take it back. is_last: nothing was allocated on the free's CPU between. */
static inline int figures_add_free(struct analysis *analysis, struct group *group,
				   struct analysis_cache *cache, const struct event *event,
				   const struct heap_block *block, bool is_last, uint64_t by)
{
	struct analysis_totals *totals = &analysis->totals;

	group->frees += by;
	cache->frees += by;
	totals->frees += by;
	if (block->cpu != event->cpu) {
		group->cross_cpu_frees += by;
		totals->cross_cpu_frees += by;
	} else if (block->task == event->task && is_last) {
		group->temporary += by;
		totals->temporary += by;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	if (!group->lifetimes)
		group->lifetimes = calloc(1, sizeof(*group->lifetimes));
	if (!group->lifetimes)
		return -ENOMEM;
	group->lifetimes->counts[lifetime_bucket(event->time - block->time)] += by;
	return 0;
}

static inline int figures_add_freed(const struct pass *pass, const struct event *event,
				    const struct heap_block *block)
{
	struct analysis *analysis = pass->analysis;
	struct group *group = &analysis->groups[block->group];
	struct analysis_cache *cache = &analysis->caches[block->cache];

	figures_forget_live(analysis, group, cache, block);
	return figures_add_free(analysis, group, cache, event, block,
				pass->last_allocation[event->cpu] == event->pointer, 1);
}

/* The sums, and whoever watches is told. */

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
