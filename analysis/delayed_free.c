// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the frees that were told late, and gives each of them to its own object. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/counters.h"
#include "analysis/delayed_free.h"
#include "analysis/heap_rules.h"

struct delayed_free_case {
	struct slab_object first; /* as it was when its address was allocated again */
	struct event again;	  /* that allocation */
	struct event freed;	  /* the first free; KMT_NONE: it did not come yet */
	struct slab_object second;
	bool checked;
	bool is_last; /* nothing else was allocated on the first free's CPU in between */
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

static struct delayed_free_case *find(const struct delayed_frees *delayed, uint64_t address)
{
	const struct slab_object *slot =
		delayed->count ? object_table_find(&delayed->addresses, address) : NULL;

	return slot ? &delayed->list[slot->group] : NULL;
}

static void drop(struct delayed_frees *delayed, const struct delayed_free_case *one)
{
	size_t index = (size_t)(one - delayed->list);
	struct delayed_free_case *last = &delayed->list[--delayed->count];

	object_table_remove(&delayed->addresses,
			    object_table_find(&delayed->addresses, one->first.address));
	if (one == last)
		return;
	object_table_find(&delayed->addresses, last->first.address)->group = (uint32_t)index;
	delayed->list[index] = *last;
}

static int tell_missed(struct matcher *matcher, const struct delayed_free_case *one)
{
	return one->checked ? heap_rules_missed(matcher->heap_rules, &one->again, &one->first) : 0;
}

int delayed_free_replaced(struct matcher *matcher, const struct event *event,
			  const struct slab_object *old, bool checked)
{
	struct delayed_frees *delayed = &matcher->delayed;
	struct slab_object *slot;
	struct delayed_free_case *list;

	list = array_grow(delayed->list, delayed->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	delayed->list = list;
	slot = object_table_add(&delayed->addresses, event->pointer);
	if (!slot)
		return -ENOMEM;
	slot->group = (uint32_t)delayed->count;
	list[delayed->count++] = (struct delayed_free_case){
		.first = *old,
		.again = *event,
		.checked = checked,
	};
	return 0;
}

bool delayed_free_expects(const struct delayed_frees *delayed, const struct event *event)
{
	const struct delayed_free_case *one =
		event_is_cache_free(event) ? find(delayed, event->pointer) : NULL;

	return one && one->freed.id != KMT_NONE;
}

/* Is a life too short to be looked at? */
static bool is_short(const struct matcher *matcher, uint64_t begin, uint64_t end)
{
	return matcher->select && end - begin < matcher->select->older;
}

/* The first object was freed by the first free, when its address was allocated again or before. */
static int end_first(struct matcher *matcher, const struct event *event,
		     const struct delayed_free_case *one)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	const struct slab_object *object = &one->first;
	bool in_window = pass_is_in_window(matcher, event->time);
	struct event freed = one->freed;
	uint64_t begin = object->time;
	int64_t cache;

	freed.time = one->again.time;
	if (object->flags & OBJECT_PREWINDOW) /* of what is not looked at no life is long */
		begin = freed.time;
	if (in_window && object->flags & OBJECT_SELF) {
		totals->own_frees++;
		return 0;
	}
	if (!in_window || object->flags & OBJECT_FILTERED || is_short(matcher, begin, freed.time)) {
		totals->left_out++;
		return 0;
	}
	if (!(object->flags & OBJECT_PREWINDOW))
		return counters_found(matcher, &freed, object,
				      one->is_last && object->cpu != one->again.cpu);
	cache = cache_table_find(&matcher->caches, event);
	return cache < 0 ? (int)cache
			 : counters_other(matcher, event, OUTCOME_UNMATCHED, (uint32_t)cache);
}

static int end_second(struct matcher *matcher, const struct event *event,
		      const struct delayed_free_case *one)
{
	const struct slab_object *object = &one->second;
	int err;

	if (object->flags & (OBJECT_FILTERED | OBJECT_PREWINDOW))
		return 0;
	if (!is_short(matcher, object->time, one->freed.time))
		return counters_freed_instead(matcher, event, object, &one->freed, one->is_last);
	if (is_short(matcher, object->time, event->time))
		return 0;
	matcher->analysis->totals.left_out -= 2;
	err = counters_allocated(matcher, event, object);
	return err ? err : counters_freed(matcher, event, object);
}

int delayed_free_take(struct matcher *matcher, const struct event *event)
{
	struct delayed_free_case *found = find(&matcher->delayed, event->pointer), one;
	int err;

	if (!found)
		return 0;
	if (event_is_cache_free(event) && found->freed.id == KMT_NONE) {
		found->second = *object_table_find(&matcher->analysis->objects, event->pointer);
		found->freed = *event;
		found->is_last = matcher->last_allocation[event->cpu] == event->pointer;
		return 0;
	}
	one = *found;
	drop(&matcher->delayed, found);
	if (!event_is_cache_free(event))
		return tell_missed(matcher, &one);
	err = end_first(matcher, event, &one);
	/* from before the window: the event was told as its free, and cannot be two */
	if (!err && !(one.first.flags & OBJECT_PREWINDOW))
		err = end_second(matcher, event, &one);
	return err ? err : 1;
}

int delayed_free_end(struct matcher *matcher)
{
	int err = 0;

	for (size_t i = 0; i < matcher->delayed.count && !err; i++)
		err = tell_missed(matcher, &matcher->delayed.list[i]);
	return err;
}
