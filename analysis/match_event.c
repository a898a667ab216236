// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls the match function for the kind of the event. */
#include "config.h"

#include <string.h>

#include "analysis/fastpath.h"
#include "analysis/match_allocation.h"
#include "analysis/match_event.h"
#include "analysis/match_free.h"

/*
 * delayed_free_match() assigned the earlier free of this address to an older object. So this event
 * is the free of the object in the table, which the earlier free has marked as freed already.
 */
static int match_reassigned_free(struct matcher *matcher, const struct event *event)
{
	struct slab_object *object = object_table_find(&matcher->analysis->objects, event->pointer);

	/* no object: it was kmemtraced's own */
	if (!object || freed_objects_is_forgotten(matcher, object))
		return 0;
	object->flags &= (uint16_t)~OBJECT_FROM_BACKUP;
	return freed_objects_keep(matcher, event, object,
				  event_is_from_backup(event) ? OBJECT_FROM_BACKUP : 0);
}

/* krealloc(): an object that is not moved has a new requested size. */
static int match_resize(struct matcher *matcher, const struct event *event,
			struct slab_object *object)
{
	bool counts;
	int err = 0;

	if (object && object->flags & OBJECT_FREED)
		object = NULL;
	if (matcher->checkpoint_end) {
		if (object && event->requested <= object_usable(matcher->analysis, object))
			object->requested = event->requested;
		return 0;
	}
	counts = object ? !(object->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW))
			: !matcher->is_partial && !matcher_older(matcher);
	if (!counts || !matcher_is_in_window(matcher, event->time))
		matcher->analysis->totals.left_out++;
	else if (object)
		err = matcher_emit_object(matcher, OUTCOME_RESIZED, event, object);
	else
		err = matcher_emit_event(matcher, OUTCOME_RESIZED, event, GROUP_NONE, CACHE_NONE);
	if (object && event->requested <= object_usable(matcher->analysis, object))
		object->requested = event->requested;
	return err;
}

/* An event that is not about a slab object goes to the observers as it is. */
static int match_other(struct matcher *matcher, const struct event *event)
{
	int64_t site = 0;

	/* an OOM kill is never own: the kernel chose another task */
	if (event->id != KMT_OOM_KILL && matcher_is_own(matcher, event->task)) {
		matcher->analysis->totals.own_process_events++;
		return 0;
	}
	/* a process has many instructions: only a filter needs to know the site */
	if (matcher->is_partial)
		site = grouping_site(&matcher->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (matcher_older(matcher) || !matcher_is_in_window(matcher, event->time) ||
	    !matcher_is_selected(matcher, event, (uint32_t)site, CACHE_NONE)) {
		matcher->analysis->totals.left_out++;
		return 0;
	}
	return matcher_emit_event(matcher, OUTCOME_OTHER, event, GROUP_NONE, CACHE_NONE);
}

/* The call sites have other symbols from this time on. */
static void matcher_advance(struct matcher *matcher, uint64_t time)
{
	grouping_advance(&matcher->grouping, time);
	matcher->fastpath_end = fastpath_end(matcher);
}

/* The objects that were live at the begin of the piece are all in the object table. */
static void matcher_end_checkpoint(struct matcher *matcher)
{
	const struct checkpoint_state *state = &matcher->analysis->capture->checkpoint;

	matcher->checkpoint_end = 0;
	memset(matcher->last_allocation, 0, sizeof(matcher->last_allocation));
	for (size_t i = 0; i < state->cpu_count; i++)
		matcher->last_allocation[state->cpus[i].cpu] = state->cpus[i].address;
	matcher->fastpath_end = fastpath_end(matcher);
}

int match_event(struct matcher *matcher, const struct event *event)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	struct slab_object *object = NULL;
	int delayed;

	if (matcher->checkpoint_end && event->time >= matcher->checkpoint_end)
		matcher_end_checkpoint(matcher);
	if (matcher->is_before_window && event->time >= matcher->analysis->window_begin) {
		matcher->is_before_window = false;
		matcher->fastpath_end = fastpath_end(matcher);
	}
	if (matcher_is_in_window(matcher, event->time))
		totals->from_backup += event_is_from_backup(event);
	if (event->id == KMT_STACK) {
		totals->stacks += !matcher->checkpoint_end;
		return samples_add(&matcher->samples, event);
	}
	if (event->time >= matcher->analysis->window_end) {
		totals->left_out++;
		return 0;
	}
	if (event->time >= audit_begin(matcher->analysis) &&
	    audit_note(&matcher->analysis->audit, event))
		return -ENOMEM;
	if (event->time >= matcher->grouping.until)
		matcher_advance(matcher, event->time);
	if (event_is_other(event))
		return match_other(matcher, event);
	matcher->analysis->sample =
		event_is_allocation(event) ? samples_find(&matcher->samples, event) : NULL;
	delayed = matcher->delayed.count ? delayed_free_match(matcher, event) : 0;
	if (delayed)
		return delayed < 0 ? delayed : match_reassigned_free(matcher, event);
	if (event_has_object(event))
		object = object_table_find_hashed(&matcher->analysis->objects, event->pointer,
						  event->hash);
	if (event_is_allocation(event))
		return match_allocation(matcher, event, object, false);
	if (event_is_resize(event))
		return match_resize(matcher, event, object);
	return match_free(matcher, event, object, false);
}
