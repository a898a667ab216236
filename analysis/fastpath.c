// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Nearly all of an analysis' time is spent here: each event costs what it says, once. */
#include "config.h"

#include <errno.h>

#include "analysis/counters.h"
#include "analysis/freed_objects.h"
#include "analysis/heap_rules.h"
#include "analysis/fastpath.h"

#define ALLOCATIONS (RECORD_KINDS_WITH(RECORD_ALLOCATION) & ~RECORD_KINDS_WITH(RECORD_ANONYMOUS))
#define FREES (RECORD_KINDS_WITH(RECORD_FREE) & ~RECORD_KINDS_WITH(RECORD_BACKUP))

/* 1: it was taken; 0: it is not usual, and nothing was done; or -ENOMEM. */

static inline int take_allocation(struct matcher *matcher, const struct event *event,
				  struct slab_object *object)
{
	struct analysis *analysis = matcher->analysis;
	uint16_t flags = 0;
	struct pending_counters *pending;
	struct group *group;
	uint32_t number;
	int64_t cache;

	if (pass_is_own(matcher, event->task) || (object && !(object->flags & OBJECT_FREED)))
		return 0;
	number = grouping_fastpath_group(&matcher->grouping, event->call_site);
	if (number == GROUP_NONE)
		return 0;
	cache = cache_table_find(&matcher->caches, event);
	if (cache < 0)
		return (int)cache;
	if (matcher->heap_rules) {
		if ((object && heap_rules_is_still_plain(object, event)) ||
		    heap_rules_is_plain(matcher->heap_rules, event))
			flags = OBJECT_MATCHES_PAGE;
		else if (heap_rules_unlike_allocation(matcher->heap_rules, event, (uint32_t)cache))
			return -ENOMEM;
	}
	if (!object)
		object = object_table_add_hashed(&analysis->objects, event->pointer, event->hash);
	if (!object)
		return -ENOMEM;
	object->time = event->time;
	object->requested = event->requested;
	object->allocated = event->allocated;
	object->group = number;
	object->task = event->task;
	object->cache = (uint32_t)cache;
	object->cpu = event->cpu;
	object->flags = flags;
	matcher->last_allocation[event->cpu] = event->pointer;
	group = &analysis->groups[number];
	pending = counters_due(analysis, group, (uint32_t)cache);
	pending->allocations++;
	pending->requested += event->requested;
	pending->allocated += event->allocated;
	counters_raise_live(analysis, group, event->allocated, event->time);
	return 1;
}

static inline int count_free(const struct matcher *matcher, const struct event *event,
			     const struct slab_object *object)
{
	struct analysis *analysis = matcher->analysis;
	struct group *group = &analysis->groups[object->group];
	struct pending_counters *pending = counters_due(analysis, group, object->cache);

	pending->frees++;
	pending->freed += object->allocated;
	group->live_bytes -= object->allocated;
	analysis->totals.live_bytes -= object->allocated;
	if (object->cpu != event->cpu) {
		group->cross_cpu_frees++;
		analysis->totals.cross_cpu_frees++;
	} else if (object->task == event->task &&
		   matcher->last_allocation[event->cpu] == event->pointer) {
		group->temporary++;
		analysis->totals.temporary++;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	return counters_add_lifetime(group, event->time - object->time, 1);
}

static inline int take_free(struct matcher *matcher, const struct event *event,
			    struct slab_object *object)
{
	int64_t cache;
	int err;

	if (!object ||
	    object->flags & (OBJECT_FREED | OBJECT_SELF | OBJECT_FILTERED | OBJECT_PREWINDOW))
		return 0;
	cache = cache_table_find(&matcher->caches, event);
	if (cache < 0)
		return (int)cache;
	err = count_free(matcher, event, object);
	if (!err && matcher->heap_rules)
		err = heap_rules_free(matcher->heap_rules, matcher->analysis, event,
				      (uint32_t)cache, object);
	if (!err && matcher->heap_rules)
		err = freed_objects_keep(matcher, event, object, 0); /* FREES has no rescued ones */
	else if (!err)
		object_table_remove(&matcher->analysis->objects, object);
	return err ? err : 1;
}

size_t fastpath_run(struct matcher *matcher, const struct event *events, size_t count,
		    struct slab_object *const *guesses, int *err)
{
	const struct object_table *objects = &matcher->analysis->objects;
	uint64_t end = matcher->fastpath_end;
	size_t i;

	/* only the long way makes these more */
	if (matcher->delayed.count || matcher->doubted_count)
		return 0;
	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];
		struct slab_object *object = guesses[i];
		int got = 0;

		if (event->time >= end || event->time == event[1].time || !event_has_object(event))
			break;
		if (!object || object->address != event->pointer)
			object = object_table_find_hashed(objects, event->pointer, event->hash);
		if (event_is_one_of(event, ALLOCATIONS))
			got = take_allocation(matcher, event, object);
		else if (event_is_one_of(event, FREES))
			got = take_free(matcher, event, object);
		if (got <= 0) {
			*err = got;
			break;
		}
	}
	return i;
}
