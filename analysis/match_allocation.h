/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Matches an allocation: which object is live at its address from now on, and which object's free
 * was missed. The general path and the fast path compile the same body; fast is a constant.
 */
#ifndef ANALYSIS_MATCH_ALLOCATION_H
#define ANALYSIS_MATCH_ALLOCATION_H

#include <errno.h>

#include "analysis/delayed_free.h"
#include "analysis/estimate.h"
#include "analysis/live_stacks.h"
#include "analysis/matcher_state.h"

/* The address of a live object was allocated again. */
static inline int match_replaced(struct matcher *matcher, const struct event *event,
				 const struct slab_object *old)
{
	bool counts = !(old->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW));
	bool check = counts && subscribers_check(&matcher->subscribers, event, false);
	int err = 0;

	if (counts)
		err = matcher_emit_end(matcher, OUTCOME_MISSED, event, old, false);
	if (!err && event_is_anonymous(event) && old->flags & OBJECT_CACHE_ANONYMOUS)
		return delayed_free_add(matcher, event, old, check);
	return !err && check ? subscribers_check_missed(&matcher->subscribers, event, old) : err;
}

/*
 * Is the event the second report of a large kmalloc() that came too late for repeated_kmalloc.h?
 * Then the first report is counted already, and stays. flags: of the event's object.
 */
static inline bool match_is_second_report(const struct slab_object *first,
					  const struct event *event, uint16_t flags)
{
	const unsigned int ignored = OBJECT_REUSED_ADDRESS | OBJECT_MATCHES_PAGE |
				     OBJECT_IN_INTERRUPT | OBJECT_DOUBLINGS;

	return (first->flags & ~ignored) == OBJECT_FROM_ALLOCATOR &&
	       (flags & ~ignored) != OBJECT_FROM_ALLOCATOR && first->task == event->task &&
	       first->requested == event->requested && first->allocated == event->allocated;
}

/*
 * Puts the event's object into *slot, a new one if that is NULL. *slot can hold a freed object, or,
 * unless fast, a live one. 0 or -errno.
 */
__attribute__((always_inline)) static inline int
match_put_object(struct matcher *matcher, const struct event *event, struct slab_object **slot,
		 uint32_t group, uint32_t cache, uint16_t flags, const bool fast)
{
	struct slab_object *object = *slot, old;
	int err = 0;

	if (!fast && event_is_anonymous(event))
		flags |= OBJECT_CACHE_ANONYMOUS;
	if (!fast && matcher->analysis->estimates)
		flags |= estimates_note_interval(matcher->analysis->estimates,
						 matcher->analysis->sample);
	else if (!fast && matcher->analysis->settings.mark_sampled && matcher->analysis->sample)
		flags |= OBJECT_SAMPLED;
	if (!object) {
		object = object_table_add_hashed(&matcher->analysis->objects, event->pointer,
						 event->hash);
		if (!object)
			return -ENOMEM;
		*slot = object;
	} else if (!fast && !(object->flags & OBJECT_FREED)) {
		old = *object;
		err = match_replaced(matcher, event, &old);
		if (old.flags & OBJECT_CACHE_ANONYMOUS)
			flags |= OBJECT_REUSED_ADDRESS;
	}
	object->time = event->time;
	object->requested = event->requested;
	object->allocated = event->allocated;
	object->group = group;
	object->task = event->task;
	object->cache = cache;
	object->cpu = event->cpu;
	object->flags = flags | (event->context ? OBJECT_IN_INTERRUPT : 0);
	matcher->last_allocation[event->cpu] = event->pointer;
	if (!fast && !err && matcher->analysis->live_stacks && matcher->analysis->sample)
		err = live_stacks_add(matcher->analysis->live_stacks, &matcher->analysis->objects,
				      event, matcher->analysis->sample);
	return err;
}

static inline int match_own_allocation(struct matcher *matcher, const struct event *event,
				       struct slab_object *slot, uint32_t cache)
{
	struct analysis_totals *totals = &matcher->analysis->totals;

	if (matcher->checkpoint_end) {
		/* counted in an earlier piece */
	} else if (matcher_is_in_window(matcher, event->time)) {
		totals->own_allocations++;
		matcher->analysis->caches[cache].own_allocations += event_has_object(event);
	} else {
		totals->left_out++;
	}
	if (!event_has_object(event))
		return 0;
	return match_put_object(matcher, event, &slot, GROUP_NONE, cache,
				OBJECT_OWN | OBJECT_LEFT_OUT, false);
}

static inline int match_failed_allocation(struct matcher *matcher, const struct event *event,
					  uint32_t site, uint32_t cache)
{
	int64_t group = grouping_group(&matcher->grouping, event, site, cache);
	int err;

	if (group < 0)
		return (int)group;
	err = matcher_emit_event(matcher, OUTCOME_FAILED, event, (uint32_t)group, cache);
	return err ? err : subscribers_check_failed(&matcher->subscribers, event, cache);
}

/*
 * slot: the object at the event's address in the object table, live or freed; or NULL. 0 or -errno;
 * the fast body also MATCH_NOT_FAST: the address holds a live object, the object table is full, the
 * task is kmemtraced's own, or the call site has no group yet. The caller of the fast body knows
 * that the event is in the window, is selected, and has an object.
 */
__attribute__((always_inline)) static inline int match_allocation(struct matcher *matcher,
								  const struct event *event,
								  struct slab_object *slot,
								  const bool fast)
{
	struct analysis *analysis = matcher->analysis;
	bool is_own = matcher_is_own(matcher, event->task), counts = true, in_allocator = false;
	int64_t cache, group, site;
	uint16_t flags = 0;
	int result;

	if (fast) {
		if (is_own || (slot ? !(slot->flags & OBJECT_FREED)
				    : object_table_is_full(&analysis->objects)))
			return MATCH_NOT_FAST;
		group = grouping_fastpath_group(&matcher->grouping, event->call_site);
		if (group == GROUP_NONE)
			return MATCH_NOT_FAST;
	} else if (!slot && event_has_object(event) && object_table_is_full(&analysis->objects)) {
		analysis->totals.untracked += !matcher->checkpoint_end;
		return 0;
	}
	cache = cache_table_find(&matcher->caches, event);
	if (cache < 0)
		return (int)cache;
	if (!fast) {
		if (is_own)
			return match_own_allocation(matcher, event, slot, (uint32_t)cache);
		site = grouping_site(&matcher->grouping, event->call_site, event->time);
		if (site < 0)
			return (int)site;
		if (!matcher_is_selected(matcher, event, (uint32_t)site, (uint32_t)cache))
			flags = OBJECT_LEFT_OUT;
		else if (!matcher_is_in_window(matcher, event->time))
			flags = OBJECT_PREWINDOW;
		/* with select.older, an object is counted at its end */
		counts = !flags && !matcher_older(matcher);
		if ((flags || (!event_has_object(event) && !counts)) && !matcher->checkpoint_end)
			analysis->totals.left_out++;
		/* kmalloc(0) returns no object; known kernels record no event for it */
		if (!event_has_object(event))
			return counts ? match_failed_allocation(matcher, event, (uint32_t)site,
								(uint32_t)cache)
				      : 0;
		group = grouping_group(&matcher->grouping, event, (uint32_t)site, (uint32_t)cache);
		if (group < 0)
			return (int)group;
		in_allocator = analysis->sites[site].in_allocator &&
			       event->allocated > matcher->caches.slab_max;
	}
	if (!flags) {
		result = subscribers_check_allocation(&matcher->subscribers, event, (uint32_t)cache,
						      slot, fast);
		if (result < 0)
			return result;
		flags = (uint16_t)result;
		if (in_allocator)
			flags |= OBJECT_FROM_ALLOCATOR;
	}
	if (!fast && slot && match_is_second_report(slot, event, flags)) {
		analysis->totals.repeated++;
		return 0;
	}
	result = match_put_object(matcher, event, &slot, (uint32_t)group, (uint32_t)cache, flags,
				  fast);
	if (result || !counts)
		return result;
	return matcher_emit_begin(matcher, event, slot, fast);
}

#endif
