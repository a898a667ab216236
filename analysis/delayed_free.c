// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds delayed reports of frees, and assigns each free to the object that it freed. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/delayed_free.h"
#include "base/array.h"

struct delayed_free_case {
	struct slab_object first;	/* when its address was allocated again */
	struct event second_allocation; /* the event that did so */
	struct event first_free;	/* KMT_NONE: it has not come yet */
	struct slab_object second;	/* when the first free came */
	bool check;			/* report the missed free as a finding */
	/* Was nothing else allocated on the first free's CPU since the second allocation? */
	bool no_allocation_between;
};

int delayed_free_init(struct delayed_frees *delayed)
{
	return object_table_init(&delayed->addresses);
}

void delayed_free_deinit(struct delayed_frees *delayed)
{
	object_table_deinit(&delayed->addresses);
	free(delayed->list);
}

static struct delayed_free_case *find_case(const struct delayed_frees *delayed, uint64_t address)
{
	const struct slab_object *entry =
		delayed->count ? object_table_find(&delayed->addresses, address) : NULL;

	return entry ? &delayed->list[entry->group] : NULL;
}

static void remove_case(struct delayed_frees *delayed, const struct delayed_free_case *removed)
{
	size_t index = (size_t)(removed - delayed->list);
	struct delayed_free_case *last = &delayed->list[--delayed->count];

	object_table_remove(&delayed->addresses,
			    object_table_find(&delayed->addresses, removed->first.address));
	if (removed == last)
		return;
	object_table_find(&delayed->addresses, last->first.address)->group = (uint32_t)index;
	delayed->list[index] = *last;
}

static int check_missed(struct matcher *matcher, const struct delayed_free_case *missed)
{
	return missed->check ? subscribers_check_missed(&matcher->subscribers,
							&missed->second_allocation, &missed->first)
			     : 0;
}

int delayed_free_add(struct matcher *matcher, const struct event *event,
		     const struct slab_object *old, bool check)
{
	struct delayed_frees *delayed = &matcher->delayed;
	struct slab_object *entry;
	struct delayed_free_case *list;

	list = array_grow(delayed->list, delayed->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	delayed->list = list;
	entry = object_table_add(&delayed->addresses, event->pointer);
	if (!entry)
		return -ENOMEM;
	entry->group = (uint32_t)delayed->count;
	list[delayed->count++] = (struct delayed_free_case){
		.first = *old,
		.second_allocation = *event,
		.check = check,
	};
	return 0;
}

bool delayed_free_expects(const struct delayed_frees *delayed, const struct event *event)
{
	const struct delayed_free_case *found =
		event_is_cache_free(event) ? find_case(delayed, event->pointer) : NULL;

	return found && found->first_free.id != KMT_NONE;
}

/* Does select.older exclude an object with this lifetime? */
static bool is_too_short(const struct matcher *matcher, uint64_t begin, uint64_t end)
{
	return end - begin < matcher_older(matcher);
}

/* The first free freed the first object, when its address was allocated again or before. */
static int end_first(struct matcher *matcher, const struct event *event,
		     const struct delayed_free_case *found)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	const struct slab_object *object = &found->first;
	bool in_window = matcher_is_in_window(matcher, event->time);
	struct event first_free = found->first_free;
	uint64_t begin = object->time;
	struct transition transition;
	int64_t cache;

	first_free.time = found->second_allocation.time;
	/* lifetimes that began before the window are unknown: do not let select.older select them
	 */
	if (object->flags & OBJECT_PREWINDOW)
		begin = first_free.time;
	if (in_window && object->flags & OBJECT_OWN) {
		totals->own_frees++;
		totals->own_frees_by_others += !matcher_is_own(matcher, first_free.task);
		return 0;
	}
	if (!in_window || object->flags & OBJECT_LEFT_OUT ||
	    is_too_short(matcher, begin, first_free.time)) {
		totals->left_out++;
		return 0;
	}
	if (object->flags & OBJECT_PREWINDOW) {
		cache = cache_table_find(&matcher->caches, event);
		return cache < 0 ? (int)cache
				 : matcher_emit_event(matcher, OUTCOME_UNMATCHED, event, GROUP_NONE,
						      (uint32_t)cache);
	}
	transition = matcher_transition(matcher, OUTCOME_MISSED_FREE_MATCHED, &first_free, object);
	transition.no_allocation_between = found->no_allocation_between &&
					   object->cpu != found->second_allocation.cpu;
	return matcher_emit(matcher, &transition);
}

static int end_second(struct matcher *matcher, const struct event *event,
		      const struct delayed_free_case *found)
{
	const struct slab_object *object = &found->second;
	struct transition transition;
	int err;

	if (object->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW))
		return 0;
	if (!is_too_short(matcher, object->time, found->first_free.time)) {
		transition = matcher_transition(matcher, OUTCOME_FREE_REASSIGNED, event, object);
		transition.earlier_free = &found->first_free;
		transition.earlier_no_allocation_between = found->no_allocation_between;
		return matcher_emit(matcher, &transition);
	}
	if (is_too_short(matcher, object->time, event->time))
		return 0;
	/* its allocation and the first free were left out, as its lifetime seemed too short */
	matcher->analysis->totals.left_out -= 2;
	err = matcher_emit_object(matcher, OUTCOME_ALLOCATED, event, object);
	return err ? err : matcher_emit_object(matcher, OUTCOME_FREED, event, object);
}

int delayed_free_match(struct matcher *matcher, const struct event *event)
{
	struct delayed_free_case *found = find_case(&matcher->delayed, event->pointer), copy;
	int err;

	if (!found)
		return 0;
	if (event_is_cache_free(event) && found->first_free.id == KMT_NONE) {
		found->second = *object_table_find(&matcher->analysis->objects, event->pointer);
		found->first_free = *event;
		found->no_allocation_between = matcher->last_allocation[event->cpu] ==
					       event->pointer;
		return 0;
	}
	copy = *found;
	remove_case(&matcher->delayed, found);
	if (!event_is_cache_free(event))
		return check_missed(matcher, &copy);
	err = end_first(matcher, event, &copy);
	/* end_first() counted the event as the free of an object from before the window: count the
	 * event once */
	if (!err && !(copy.first.flags & OBJECT_PREWINDOW))
		err = end_second(matcher, event, &copy);
	return err ? err : 1;
}

int delayed_free_finish(struct matcher *matcher)
{
	int err = 0;

	for (size_t i = 0; i < matcher->delayed.count && !err; i++)
		err = check_missed(matcher, &matcher->delayed.list[i]);
	return err;
}
