// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds one event to what its group, its cache and the whole have, and tells those who watch. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/counters.h"
#include "analysis/heap_rules.h"

/* The sums alone. */

void counters_flush(struct analysis *analysis, struct group *group)
{
	struct pending_counters pending = group->pending;
	struct analysis_totals *totals = &analysis->totals;
	uint64_t objects =
		pending.allocations - pending.frees; /* modulo 2^64, as all that follows */
	struct analysis_cache *cache;

	if (!pending.allocations && !pending.frees)
		return;
	cache = &analysis->caches[pending.cache];
	group->pending = (struct pending_counters){ .cache = pending.cache };
	group->allocations += pending.allocations;
	group->frees += pending.frees;
	group->bytes_requested += pending.requested;
	group->bytes_allocated += pending.allocated;
	group->live_objects += objects;
	if (group->cache != pending.cache)
		group->cache = group->cache == CACHE_NONE ? pending.cache : CACHE_SEVERAL;
	cache->allocations += pending.allocations;
	cache->frees += pending.frees;
	cache->bytes_requested += pending.requested;
	cache->bytes_allocated += pending.allocated;
	cache->live_objects += objects;
	cache->live_bytes += pending.allocated - pending.freed;
	totals->allocations += pending.allocations;
	totals->frees += pending.frees;
	totals->bytes_requested += pending.requested;
	totals->bytes_allocated += pending.allocated;
	totals->live_objects += objects;
}

void counters_settle_all(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->group_count; i++)
		counters_flush(analysis, &analysis->groups[i]);
}

static void add_allocated(struct analysis *analysis, uint64_t time,
			  const struct slab_object *object)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];
	struct analysis_cache *cache = &analysis->caches[object->cache];

	group->allocations++;
	group->bytes_requested += object->requested;
	group->bytes_allocated += object->allocated;
	group->live_objects++;
	if (group->cache != object->cache)
		group->cache = group->cache == CACHE_NONE ? object->cache : CACHE_SEVERAL;
	cache->allocations++;
	cache->bytes_requested += object->requested;
	cache->bytes_allocated += object->allocated;
	cache->live_objects++;
	cache->live_bytes += object->allocated;
	totals->allocations++;
	totals->bytes_requested += object->requested;
	totals->bytes_allocated += object->allocated;
	totals->live_objects++;
	counters_raise_live(analysis, group, object->allocated, time);
}

static void forget_live(struct analysis *analysis, struct group *group,
			struct analysis_cache *cache, const struct slab_object *object)
{
	group->live_objects--;
	group->live_bytes -= object->allocated;
	cache->live_objects--;
	cache->live_bytes -= object->allocated;
	analysis->totals.live_objects--;
	analysis->totals.live_bytes -= object->allocated;
}

int counters_add_lifetime(struct group *group, uint64_t ns, uint64_t by)
{
	if (!group->lifetimes)
		group->lifetimes = calloc(1, sizeof(*group->lifetimes));
	if (!group->lifetimes)
		return -ENOMEM;
	group->lifetimes->counts[lifetime_bucket(ns)] += by;
	return 0;
}

/* by: 1, or -1 to take it back. is_last: nothing was allocated on the free's CPU between. */
static int add_free(struct analysis *analysis, struct group *group, struct analysis_cache *cache,
		    const struct event *event, const struct slab_object *object, bool is_last,
		    uint64_t by)
{
	struct analysis_totals *totals = &analysis->totals;

	group->frees += by;
	cache->frees += by;
	totals->frees += by;
	if (object->cpu != event->cpu) {
		group->cross_cpu_frees += by;
		totals->cross_cpu_frees += by;
	} else if (object->task == event->task && is_last) {
		group->temporary += by;
		totals->temporary += by;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	return counters_add_lifetime(group, event->time - object->time, by);
}

/* The sums, and whoever watches is told. */

int counters_tell_all(const struct matcher *matcher, const struct transition *transition)
{
	const struct analysis_settings *settings = &matcher->analysis->settings;
	int err = 0;

	for (size_t i = 0; i < settings->observer_count && !err; i++)
		err = settings->observers[i].on_transition(settings->observers[i].data,
							   matcher->analysis, transition);
	return err;
}

/* Of an object of its own: without observers not even the step is put together. */
static inline int tell(const struct matcher *matcher, enum outcome outcome,
		       const struct event *event, const struct slab_object *object)
{
	const struct transition transition = { outcome,	      event,	     object,
					       object->group, object->cache, NULL };

	return counters_tell_all(matcher, &transition);
}

static inline bool has_observers(const struct matcher *matcher)
{
	return matcher->analysis->settings.observer_count;
}

int counters_allocated(const struct matcher *matcher, const struct event *event,
		       const struct slab_object *object)
{
	int err;

	if (has_observers(matcher)) {
		err = tell(matcher, OUTCOME_ALLOCATED, event, object);
		if (err)
			return err;
	}
	add_allocated(matcher->analysis, event ? event->time : object->time, object);
	return 0;
}

static bool is_latest(const struct matcher *matcher, const struct event *event)
{
	return matcher->last_allocation[event->cpu] == event->pointer;
}

int counters_freed(const struct matcher *matcher, const struct event *event,
		   const struct slab_object *object)
{
	struct analysis *analysis = matcher->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	if (has_observers(matcher)) {
		err = tell(matcher, OUTCOME_FREED, event, object);
		if (err)
			return err;
	}
	group = &analysis->groups[object->group];
	cache = &analysis->caches[object->cache];
	forget_live(analysis, group, cache, object);
	return add_free(analysis, group, cache, event, object, is_latest(matcher, event), 1);
}

int counters_found(const struct matcher *matcher, const struct event *event,
		   const struct slab_object *object, bool is_last)
{
	struct analysis *analysis = matcher->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = tell(matcher, OUTCOME_MISSED_FREE_MATCHED, event, object);
	if (err)
		return err;
	group = &analysis->groups[object->group];
	cache = &analysis->caches[object->cache];
	analysis->totals.missed_frees--;
	group->missed_frees--;
	cache->missed_frees--;
	return add_free(analysis, group, cache, event, object, is_last, 1);
}

int counters_freed_instead(const struct matcher *matcher, const struct event *event,
			   const struct slab_object *object, const struct event *told,
			   bool was_last)
{
	const struct transition transition = { OUTCOME_FREE_REASSIGNED, event,	       object,
					       object->group,		object->cache, told };
	struct analysis *analysis = matcher->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = counters_emit(matcher, &transition);
	if (err)
		return err;
	group = &analysis->groups[object->group];
	cache = &analysis->caches[object->cache];
	err = add_free(analysis, group, cache, told, object, was_last, (uint64_t)-1);
	if (err)
		return err;
	return add_free(analysis, group, cache, event, object, is_latest(matcher, event), 1);
}

int counters_missed(const struct matcher *matcher, const struct event *event,
		    const struct slab_object *object)
{
	struct analysis *analysis = matcher->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = tell(matcher, OUTCOME_MISSED, event, object);
	if (err)
		return err;
	group = &analysis->groups[object->group];
	cache = &analysis->caches[object->cache];
	analysis->totals.missed_frees++;
	group->missed_frees++;
	cache->missed_frees++;
	forget_live(analysis, group, cache, object);
	return 0;
}

/* An event of no object that the figures know. */
int counters_other(const struct matcher *matcher, const struct event *event, enum outcome outcome,
		   uint32_t cache)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	const struct transition transition = { outcome, event, NULL, GROUP_NONE, cache, NULL };
	int err;

	err = counters_emit(matcher, &transition);
	if (err)
		return err;
	if (outcome == OUTCOME_NO_OBJECT) {
		totals->null_frees++;
		return 0;
	}
	totals->frees++;
	totals->frees_unmatched++;
	if (cache != CACHE_NONE)
		matcher->analysis->caches[cache].frees_unmatched++;
	return 0;
}

int counters_failed(struct matcher *matcher, const struct event *event, uint32_t site,
		    uint32_t cache)
{
	struct analysis *analysis = matcher->analysis;
	int64_t group = grouping_group(&matcher->grouping, event, site, cache);
	struct transition transition = {
		OUTCOME_FAILED, event, NULL, (uint32_t)group, cache, NULL
	};
	int err;

	if (group < 0)
		return (int)group;
	err = counters_emit(matcher, &transition);
	if (err)
		return err;
	analysis->groups[group].failed++;
	analysis->caches[cache].failed++;
	analysis->totals.failed++;
	return matcher->heap_rules ? heap_rules_failure(matcher->heap_rules, event, cache) : 0;
}
