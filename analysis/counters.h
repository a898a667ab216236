/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts each transition for its group, its cache and the totals. */
#ifndef ANALYSIS_COUNTERS_H
#define ANALYSIS_COUNTERS_H

#include <errno.h>
#include <stdlib.h>

#include "analysis/delta.h"
#include "analysis/lifetimes.h"
#include "analysis/model.h"
#include "analysis/peak_heap.h"

/*
 * Events of the fast path are added to group.pending, which is added to the counters when the group
 * has an event of another cache, and by counters_flush_all(). Until then only the live bytes of
 * groups and of the totals, and their peaks, are up to date. All other events are counted directly:
 * a counter can be below 0, modulo 2^64, until the flush. Observers read all counters: where there
 * are observers, nothing is pending.
 */
void counters_flush(struct analysis *analysis, struct group *group);
void counters_flush_all(struct analysis *analysis);

/* Adds to all counters of the group, its cache and the totals; but not to their live bytes. */
static inline void counters_add(struct analysis *analysis, struct group *group,
				const struct pending_counters *added)
{
	struct analysis_totals *totals = &analysis->totals;
	struct analysis_cache *cache = &analysis->caches[added->cache];
	uint64_t objects = added->allocations - added->frees; /* modulo 2^64, as all below */

	group->allocations += added->allocations;
	group->frees += added->frees;
	group->bytes_requested += added->requested;
	group->bytes_allocated += added->allocated;
	group->live_objects += objects;
	if (group->cache != added->cache)
		group->cache = group->cache == CACHE_NONE ? added->cache : CACHE_SEVERAL;
	cache->allocations += added->allocations;
	cache->frees += added->frees;
	cache->bytes_requested += added->requested;
	cache->bytes_allocated += added->allocated;
	cache->live_objects += objects;
	cache->live_bytes += added->allocated - added->freed;
	totals->allocations += added->allocations;
	totals->frees += added->frees;
	totals->bytes_requested += added->requested;
	totals->bytes_allocated += added->allocated;
	totals->live_objects += objects;
	if (cache->debug) {
		uint64_t debug = cache_debug_bytes(cache, added->allocated);

		group->bytes_debug += debug;
		cache->bytes_debug += debug;
		totals->bytes_debug += debug;
	}
}

/* The same, later: see counters_flush(). */
static inline void counters_add_pending(struct analysis *analysis, struct group *group,
					struct pending_counters added)
{
	struct pending_counters *pending = &group->pending;

	if (pending->cache != added.cache) {
		counters_flush(analysis, group);
		pending->cache = added.cache;
	}
	pending->allocations += added.allocations;
	pending->frees += added.frees;
	pending->requested += added.requested;
	pending->allocated += added.allocated;
	pending->freed += added.freed;
}

/* fast: a constant; true where there are no estimates. */
__attribute__((always_inline)) static inline struct object_weight
counters_weight(const struct analysis *analysis, const struct slab_object *object, const bool fast)
{
	return fast ? (struct object_weight){ 1, object->requested, object->allocated }
		    : weigh_object(analysis, object);
}

/* 0 or -ENOMEM. */
__attribute__((always_inline)) static inline int
counters_allocated(struct analysis *analysis, const struct slab_object *object, uint64_t time,
		   const bool fast)
{
	const struct object_weight weight = counters_weight(analysis, object, fast);
	const struct pending_counters added = {
		.allocations = weight.objects,
		.requested = weight.requested,
		.allocated = weight.allocated,
		.cache = object->cache,
	};
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];
	bool is_peak;

	if (fast)
		counters_add_pending(analysis, group, added);
	else
		counters_add(analysis, group, &added);
	group->live_bytes += weight.allocated;
	if (group->live_bytes > group->peak_bytes)
		group->peak_bytes = group->live_bytes;
	totals->live_bytes += weight.allocated;
	if (__builtin_expect(weight.requested > weight.allocated, false))
		totals->bytes_short += weight.requested - weight.allocated;
	is_peak = totals->live_bytes > totals->peak_bytes;
	if (is_peak) {
		totals->peak_bytes = totals->live_bytes;
		totals->peak_time = time;
	}
	if (analysis->peak_heap && peak_heap_allocated(analysis, object, is_peak, true))
		return -ENOMEM;
	return !fast && analysis->estimates ? estimates_add(analysis, object) : 0;
}

/*
 * Counts whether the free crossed CPUs, whether the object was temporary, and its lifetime. count:
 * the number of objects that it stands for; negative, modulo 2^64, it subtracts an earlier count. 0
 * or -ENOMEM.
 */
static inline int counters_free_kind(struct analysis *analysis, const struct event *event,
				     const struct slab_object *object, bool no_allocation_between,
				     uint64_t count)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];

	if (object->cpu != event->cpu) {
		group->cross_cpu_frees += count;
		totals->cross_cpu_frees += count;
	} else if (delta_is_temporary(object, event, no_allocation_between)) {
		group->temporary += count;
		totals->temporary += count;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	return lifetimes_count(&group->lifetimes, event->time - object->time, count);
}

__attribute__((always_inline)) static inline int
counters_freed(struct analysis *analysis, const struct transition *transition, const bool fast)
{
	const struct slab_object *object = transition->object;
	const struct object_weight weight = counters_weight(analysis, object, fast);
	const struct pending_counters added = {
		.frees = weight.objects,
		.freed = weight.allocated,
		.cache = object->cache,
	};
	struct group *group = &analysis->groups[object->group];

	if (analysis->peak_heap && peak_heap_ended(analysis, object))
		return -ENOMEM;
	if (fast)
		counters_add_pending(analysis, group, added);
	else
		counters_add(analysis, group, &added);
	group->live_bytes -= weight.allocated;
	analysis->totals.live_bytes -= weight.allocated;
	if (!fast && analysis->estimates)
		estimates_end(analysis, object);
	return counters_free_kind(analysis, transition->event, object,
				  transition->no_allocation_between, weight.objects);
}

/* Any other transition. 0 or -ENOMEM. */
int counters_count_rare(struct analysis *analysis, const struct transition *transition);

/* 0 or -ENOMEM. fast: a constant; true in the fast path, where there are no observers. */
__attribute__((always_inline)) static inline int
counters_count(struct analysis *analysis, const struct transition *transition, const bool fast)
{
	const struct event *event = transition->event;
	const struct slab_object *object = transition->object;

	switch (transition->outcome) {
	case OUTCOME_ALLOCATED:
		return counters_allocated(analysis, object, event ? event->time : object->time,
					  fast);
	case OUTCOME_FREED:
		return counters_freed(analysis, transition, fast);
	default:
		return counters_count_rare(analysis, transition);
	}
}

#endif
