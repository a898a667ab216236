/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Matches a free: which live object it frees, if any. The general path and the fast path compile
 * the same body; fast is a constant.
 */
#ifndef ANALYSIS_MATCH_FREE_H
#define ANALYSIS_MATCH_FREE_H

#include "analysis/audit.h"
#include "analysis/freed_objects.h"
#include "analysis/matcher_state.h"

/* A free of a live object. */
__attribute__((always_inline)) static inline int
match_live_object(struct matcher *matcher, const struct event *event, uint32_t cache,
		  struct slab_object *object, const bool fast)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	bool in_window = fast || matcher_is_in_window(matcher, event->time);
	int err = 0;

	if (!fast && object->flags & OBJECT_OWN) {
		if (in_window) {
			totals->own_frees++;
			totals->own_frees_by_others += !matcher_is_own(matcher, event->task);
			matcher->analysis->caches[object->cache].own_frees++;
		} else {
			totals->left_out++;
		}
		object_table_remove(&matcher->analysis->objects, object);
		return 0;
	}
	if (!fast && (object->flags & OBJECT_LEFT_OUT || !in_window)) {
		totals->left_out++;
	} else if (!fast && object->flags & OBJECT_PREWINDOW) {
		if (matcher_older(matcher))
			totals->left_out++;
		else
			err = matcher_emit_event(matcher, OUTCOME_UNMATCHED, event, GROUP_NONE,
						 cache);
	} else {
		err = matcher_emit_end(matcher, OUTCOME_FREED, event, object, fast);
		if (!err)
			err = subscribers_check_free(&matcher->subscribers, event, cache, object,
						     fast);
	}
	if (err)
		return err;
	/* the fast path takes no records of the backup programs */
	if (matcher->subscribers.heap_rules)
		return freed_objects_keep(matcher, event, object,
					  !fast && event_is_from_backup(event) ? OBJECT_FROM_BACKUP
									       : 0);
	object_table_remove(&matcher->analysis->objects, object);
	return 0;
}

/* freed: the object that was freed at this address before, or NULL. */
static inline int match_no_object(struct matcher *matcher, const struct event *event,
				  uint32_t cache, const struct slab_object *freed)
{
	bool has_object = event_has_object(event);
	int64_t site = grouping_site(&matcher->grouping, event->call_site, event->time);
	int err;

	if (site < 0)
		return (int)site;
	if (has_object) {
		err = audit_note_unmatched(matcher->analysis, event);
		if (err)
			return err;
	}
	if (matcher_older(matcher) || !matcher_is_in_window(matcher, event->time) ||
	    !matcher_is_selected(matcher, event, (uint32_t)site, cache)) {
		matcher->analysis->totals.left_out++;
		return 0;
	}
	err = matcher_emit_event(matcher, has_object ? OUTCOME_UNMATCHED : OUTCOME_NO_OBJECT, event,
				 GROUP_NONE, cache);
	if (!err && has_object)
		err = subscribers_check_unmatched(&matcher->subscribers, event, cache, freed);
	return err;
}

/*
 * object: the object at the event's address in the object table, live or freed; or NULL. 0 or
 * -errno; the fast body also MATCH_NOT_FAST: there is no live object, or it is not counted. The
 * caller of the fast body knows that the event is in the window, and that no object is left out.
 */
__attribute__((always_inline)) static inline int match_free(struct matcher *matcher,
							    const struct event *event,
							    struct slab_object *object,
							    const bool fast)
{
	int64_t cache;

	if (fast && (!object || object->flags & (OBJECT_FREED | OBJECT_OWN | OBJECT_LEFT_OUT |
						 OBJECT_PREWINDOW)))
		return MATCH_NOT_FAST;
	cache = cache_table_find(&matcher->caches, event);
	if (cache < 0)
		return (int)cache;
	if (fast || (object && !(object->flags & OBJECT_FREED)))
		return match_live_object(matcher, event, (uint32_t)cache, object, fast);
	if (object && freed_objects_is_forgotten(matcher, object))
		object = NULL;
	return match_no_object(matcher, event, (uint32_t)cache, object);
}

#endif
