/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state that the parts of the matcher share, and functions that several of them need. */
#ifndef ANALYSIS_MATCHER_STATE_H
#define ANALYSIS_MATCHER_STATE_H

#include "analysis/cache_table.h"
#include "analysis/grouping.h"
#include "analysis/model.h"
#include "analysis/object_table.h"
#include "analysis/samples.h"
#include "analysis/select.h"
#include "analysis/subscribers.h"

#define MATCHER_SAME_TIME_MAX 64
#define MATCHER_WAITING_MAX 16
#define MATCHER_FREED_MAX 65536 /* recent frees that are remembered to detect a second free */

/* Result of a fast body: nothing was done, and the general path must match the event. */
#define MATCH_NOT_FAST 1

struct delayed_free_case;

/* See delayed_free.h. */
struct delayed_frees {
	struct object_table addresses; /* group: index in list */
	struct delayed_free_case *list;
	size_t count;
};

struct matcher {
	struct analysis *analysis;
	struct subscribers subscribers;
	const struct status *status;
	const struct select *select; /* NULL: everything */
	bool is_partial;	     /* select takes some objects only */
	struct grouping grouping;
	struct cache_table caches;
	struct delayed_frees delayed;
	struct samples samples;
	bool is_before_window;	 /* all events so far */
	uint64_t checkpoint_end; /* ns: until then, events are of a checkpoint; 0: none (more) */
	uint64_t fastpath_end;	 /* ns: see fastpath.h; 0: no fast path */
	uint64_t last_allocation[UINT16_MAX + 1];      /* by CPU: its address */
	uint32_t last_task;			       /* the last task of matcher_is_own() */
	bool last_own;				       /* its result for last_task */
	struct event same_time[MATCHER_SAME_TIME_MAX]; /* see same_time.h */
	size_t same_time_count;
	struct event waiting[MATCHER_WAITING_MAX]; /* see repeated_kmalloc.h */
	size_t waiting_count;
	uint64_t freed_count; /* with findings: objects freed so far */
	uint64_t sweep_at;    /* the freed_count at which to remove forgotten objects */
};

static inline bool matcher_is_in_window(const struct matcher *matcher, uint64_t time)
{
	return time >= matcher->analysis->window_begin && time < matcher->analysis->window_end;
}

/* Is the task one of kmemtraced's own tasks, whose objects are not counted? */
static inline bool matcher_is_own(struct matcher *matcher, uint32_t task)
{
	if (task != matcher->last_task) {
		matcher->last_task = task;
		matcher->last_own = !matcher->status->include_self &&
				    status_is_own(matcher->status, task);
	}
	return matcher->last_own;
}

static inline enum outcome matcher_outcome_without_object(const struct event *event)
{
	bool has_object = event_has_object(event);

	if (event_is_other(event))
		return OUTCOME_OTHER;
	if (event_is_allocation(event))
		return has_object ? OUTCOME_ALLOCATED : OUTCOME_FAILED;
	return has_object ? OUTCOME_UNMATCHED : OUTCOME_NO_OBJECT;
}

/* Does the caller of the analysis select the event? */
static inline bool matcher_caller_takes(const struct matcher *matcher, const struct event *event,
					uint32_t cache)
{
	const struct analysis_choice *choice = &matcher->analysis->settings.choice;
	const struct transition transition = {
		.outcome = matcher_outcome_without_object(event),
		.event = event,
		.group = GROUP_NONE,
		.cache = cache,
	};

	return !choice->takes || choice->takes(choice->data, matcher->analysis, &transition);
}

/* Is an allocation, or a free whose allocation is unknown, selected? */
static inline bool matcher_is_selected(const struct matcher *matcher, const struct event *event,
				       uint32_t site, uint32_t cache)
{
	const struct select *select = matcher->select;
	const struct analysis *analysis = matcher->analysis;
	const struct capture *capture = analysis->capture;

	if (analysis->estimates && !analysis->sample && !event_is_other(event)) {
		estimates_skip(analysis->estimates, event->allocated);
		return false;
	}
	if (!matcher->is_partial)
		return true;
	return analysis->sites[site].selected &&
	       (cache == CACHE_NONE ? !select->leaves_unknown_cache
				    : analysis->caches[cache].selected) &&
	       select_takes_size(select, event->requested) &&
	       select_takes_cpu(select, &capture->topology, event->cpu) &&
	       select_takes_task(select, &capture->tasks, event) &&
	       matcher_caller_takes(matcher, event, cache);
}

/* ns: only objects that live this long are counted, and only at their end; 0: all objects. */
static inline uint64_t matcher_older(const struct matcher *matcher)
{
	return matcher->select ? matcher->select->older : 0;
}

static inline int matcher_emit(const struct matcher *matcher, const struct transition *transition)
{
	return subscribers_emit(&matcher->subscribers, transition, false);
}

/* A transition of a counted object. event: NULL for an object that is still live at the end. */
__attribute__((always_inline)) static inline struct transition
matcher_transition(const struct matcher *matcher, enum outcome outcome, const struct event *event,
		   const struct slab_object *object)
{
	return (struct transition){
		.outcome = outcome,
		.event = event,
		.object = object,
		.group = object->group,
		.cache = object->cache,
		.no_allocation_between = event &&
					 matcher->last_allocation[event->cpu] == event->pointer,
	};
}

static inline int matcher_emit_object(const struct matcher *matcher, enum outcome outcome,
				      const struct event *event, const struct slab_object *object)
{
	const struct transition transition = matcher_transition(matcher, outcome, event, object);

	return matcher_emit(matcher, &transition);
}

/* An event without a counted object. */
static inline int matcher_emit_event(const struct matcher *matcher, enum outcome outcome,
				     const struct event *event, uint32_t group, uint32_t cache)
{
	const struct transition transition = {
		.outcome = outcome, .event = event, .group = group, .cache = cache
	};

	return matcher_emit(matcher, &transition);
}

/* The time at which the piece begins: older objects are of its checkpoint; 0: it has none. */
static inline uint64_t matcher_piece_begin(const struct matcher *matcher)
{
	return matcher->analysis->capture->checkpoint.begin;
}

/* OUTCOME_ALLOCATED or OUTCOME_INITIAL. fast: a constant; true in the fast path. */
__attribute__((always_inline)) static inline int
matcher_emit_begin(const struct matcher *matcher, const struct event *event,
		   const struct slab_object *object, const bool fast)
{
	bool is_initial = !fast && object->time < matcher_piece_begin(matcher);
	const struct transition transition = matcher_transition(
		matcher, is_initial ? OUTCOME_INITIAL : OUTCOME_ALLOCATED, event, object);

	return subscribers_emit(&matcher->subscribers, &transition, fast);
}

/* OUTCOME_FREED or OUTCOME_MISSED. With select.older, the object is counted now, if it lived that
 * long. fast: a constant; true where select is NULL. */
__attribute__((always_inline)) static inline int
matcher_emit_end(struct matcher *matcher, enum outcome outcome, const struct event *event,
		 const struct slab_object *object, const bool fast)
{
	const struct transition transition = matcher_transition(matcher, outcome, event, object);
	int err = 0;

	if (!fast && matcher_older(matcher)) {
		if (event->time - object->time < matcher_older(matcher)) {
			/* the allocation, and the free if there is one */
			matcher->analysis->totals.left_out += outcome == OUTCOME_FREED ? 2 : 1;
			return 0;
		}
		err = matcher_emit_begin(matcher, event, object, false);
	}
	return err ? err : subscribers_emit(&matcher->subscribers, &transition, fast);
}

#endif
