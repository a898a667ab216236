// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairs frees with allocations. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counters.h"
#include "analysis/freed_objects.h"
#include "analysis/heap_rules.h"
#include "analysis/fastpath.h"

#define STRIDE 32 /* events: they take about as long as memory does */
#define AHEAD 64  /* events */

void pass_close(struct matcher *matcher)
{
	if (!matcher)
		return;
	grouping_deinit(&matcher->grouping);
	cache_table_deinit(&matcher->caches);
	delayed_free_deinit(&matcher->delayed);
	heap_rules_close(matcher->heap_rules);
	free(matcher);
}

int pass_open(struct matcher **result, struct analysis *analysis)
{
	struct matcher *matcher = calloc(1, sizeof(*matcher));
	int err;

	if (!matcher)
		return -ENOMEM;
	matcher->analysis = analysis;
	matcher->status = &analysis->capture->status;
	matcher->check_until = matcher->status->end ? matcher->status->end : UINT64_MAX;
	matcher->select = analysis->settings.select;
	matcher->is_partial = matcher->select && select_is_partial(matcher->select);
	matcher->last_own = !matcher->status->include_self && status_is_own(matcher->status, 0);
	matcher->fastpath_end = fastpath_end(matcher);
	err = grouping_init(&matcher->grouping, analysis);
	if (!err)
		err = cache_table_init(&matcher->caches, analysis);
	if (!err)
		err = delayed_free_init(&matcher->delayed);
	if (!err && analysis->settings.findings)
		err = heap_rules_open(&matcher->heap_rules, analysis);
	if (err) {
		pass_close(matcher);
		return err;
	}
	*result = matcher;
	return 0;
}

/* Is an allocation, or a free whose allocation is not known, one that is looked at? */
static inline bool is_selected(const struct matcher *matcher, const struct event *event,
			       uint32_t site, uint32_t cache)
{
	const struct select *select = matcher->select;
	const struct analysis *analysis = matcher->analysis;
	const struct capture *capture = analysis->capture;

	if (!matcher->is_partial)
		return true;
	return analysis->sites[site].selected &&
	       (cache == CACHE_NONE ? select_takes_cache(select, "")
				    : analysis->caches[cache].selected) &&
	       select_takes_size(select, event->requested) &&
	       select_takes_cpu(select, &capture->topology, event->cpu) &&
	       select_takes_task(select, &capture->tasks, event->task, event->time);
}

/* Is only what lived long looked at? Then an object counts when its life is over. */
static uint64_t older(const struct matcher *matcher)
{
	return matcher->select ? matcher->select->older : 0;
}

/* The end of an object's life, if it counts: freed, or gone unseen. */
static int end_life(struct matcher *matcher, const struct event *event,
		    const struct slab_object *object,
		    int (*count)(const struct matcher *matcher, const struct event *event,
				 const struct slab_object *object))
{
	int err = 0;

	if (older(matcher)) {
		if (event->time - object->time < older(matcher)) {
			matcher->analysis->totals.left_out += count == counters_freed ? 2 : 1;
			return 0;
		}
		err = counters_allocated(matcher, event, object);
	}
	return err ? err : count(matcher, event, object);
}

/*
 * Is the event looked at for what is wrong? While the programs are detached, one after the other,
 * those that are left see frees of what nobody saw allocated.
 */
static bool is_checked(const struct matcher *matcher, const struct event *event)
{
	return matcher->heap_rules && event->time <= matcher->check_until;
}

/* Allocations. */

static int replace(struct matcher *matcher, const struct event *event,
		   const struct slab_object *old)
{
	bool counts = !(old->flags & (OBJECT_FILTERED | OBJECT_PREWINDOW)), checked;
	int err = 0;

	if (counts)
		err = end_life(matcher, event, old, counters_missed);
	checked = counts && is_checked(matcher, event);
	if (!err && event_is_anonymous(event) && old->flags & OBJECT_CACHE_ANONYMOUS)
		return delayed_free_replaced(matcher, event, old, checked);
	return !err && checked ? heap_rules_missed(matcher->heap_rules, event, old) : err;
}

/* What doubt did not wait for: the first of the two was taken, and stands. */
static bool is_late_repeat(const struct slab_object *first, const struct slab_object *object)
{
	return (first->flags & ~OBJECT_REUSED_ADDRESS) == OBJECT_FROM_ALLOCATOR &&
	       object->flags != OBJECT_FROM_ALLOCATOR && first->task == object->task &&
	       first->requested == object->requested && first->allocated == object->allocated;
}

/* 0; 1: the kernel told the same allocation before; or -errno. */
static int put_block(struct matcher *matcher, const struct event *event,
		     const struct slab_object *object)
{
	struct object_table *objects = &matcher->analysis->objects;
	struct slab_object *slot = pass_find_block(matcher, object->address), old;
	uint16_t flags = event_is_anonymous(event) ? OBJECT_CACHE_ANONYMOUS : 0;
	int err = 0;

	if (slot && is_late_repeat(slot, object)) {
		matcher->analysis->totals.repeated++;
		return 1;
	}
	if (!slot) {
		slot = object_table_add_hashed(objects, object->address, event->hash);
	} else if (!(slot->flags & OBJECT_FREED)) {
		old = *slot;
		err = replace(matcher, event, &old);
		if (old.flags & OBJECT_CACHE_ANONYMOUS)
			flags |= OBJECT_REUSED_ADDRESS;
	}
	if (!slot)
		return -ENOMEM;
	*slot = *object;
	slot->flags |= flags;
	matcher->last_allocation[event->cpu] = object->address;
	return err;
}

static bool finds_no_room(const struct matcher *matcher, const struct event *event)
{
	const struct object_table *objects = &matcher->analysis->objects;

	return object_table_is_full(objects) && event_has_object(event) &&
	       !object_table_find(objects, event->pointer);
}

static int take_allocation(struct matcher *matcher, const struct event *event)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	struct slab_object object = {
		.address = event->pointer,
		.time = event->time,
		.requested = event->requested,
		.allocated = event->allocated,
		.group = GROUP_NONE,
		.task = event->task,
		.cpu = event->cpu,
	};
	bool own = pass_is_own(matcher, event->task),
	     in_window = pass_is_in_window(matcher, event->time);
	int64_t site, cache, group;
	bool counts;
	int err = 0;

	if (finds_no_room(matcher, event)) {
		totals->untracked++;
		return 0;
	}
	cache = cache_table_find(&matcher->caches, event);
	if (cache < 0)
		return (int)cache;
	object.cache = (uint32_t)cache;
	if (own) {
		totals->own_allocations += in_window;
		totals->left_out += !in_window;
		object.flags = OBJECT_SELF | OBJECT_FILTERED;
		if (event_has_object(event))
			err = put_block(matcher, event, &object);
		return err < 0 ? err : 0;
	}
	site = grouping_site(&matcher->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (!is_selected(matcher, event, (uint32_t)site, object.cache))
		object.flags = OBJECT_FILTERED;
	else if (!in_window)
		object.flags = OBJECT_PREWINDOW;
	if (object.flags || (!event_has_object(event) && older(matcher)))
		totals->left_out++;
	/* No kernel shows a kmalloc(0); if one did, that would be no object either. */
	if (!event_has_object(event))
		return object.flags || older(matcher)
			       ? 0
			       : counters_failed(matcher, event, (uint32_t)site, object.cache);

	group = grouping_group(&matcher->grouping, event, (uint32_t)site, object.cache);
	if (group < 0)
		return (int)group;
	object.group = (uint32_t)group;
	if (is_checked(matcher, event) && !object.flags)
		err = heap_rules_allocation(matcher->heap_rules, event, object.cache);
	counts = !object.flags && !older(matcher);
	if (matcher->analysis->sites[site].in_allocator &&
	    event->allocated > matcher->caches.slab_max && !object.flags)
		object.flags = OBJECT_FROM_ALLOCATOR;
	if (!err)
		err = put_block(matcher, event, &object);
	if (!err && counts)
		err = counters_allocated(matcher, event, &object);
	return err < 0 ? err : 0;
}

/* Frees. */

static int keep_freed(struct matcher *matcher, const struct event *event,
		      struct slab_object *object)
{
	return freed_objects_keep(matcher, event, object,
				  event_is_from_backup(event) ? OBJECT_FROM_BACKUP : 0);
}

static int take_matched(struct matcher *matcher, const struct event *event, uint32_t cache,
			struct slab_object *object)
{
	struct analysis_totals *totals = &matcher->analysis->totals;
	int err = 0;

	if (object->flags & OBJECT_SELF) {
		totals->own_frees += pass_is_in_window(matcher, event->time);
		totals->left_out += !pass_is_in_window(matcher, event->time);
		object_table_remove(&matcher->analysis->objects, object);
		return 0;
	}
	if (object->flags & OBJECT_FILTERED || !pass_is_in_window(matcher, event->time)) {
		totals->left_out++;
	} else if (object->flags & OBJECT_PREWINDOW) {
		if (older(matcher))
			totals->left_out++;
		else
			err = counters_other(matcher, event, OUTCOME_UNMATCHED, cache);
	} else {
		err = end_life(matcher, event, object, counters_freed);
		if (!err && is_checked(matcher, event))
			err = heap_rules_free(matcher->heap_rules, matcher->analysis, event, cache,
					      object);
	}
	if (err)
		return err;
	if (matcher->heap_rules)
		return keep_freed(matcher, event, object);
	object_table_remove(&matcher->analysis->objects, object);
	return 0;
}

/* Freed by this, and not by the free that it was first taken to be freed by. */
static int take_freed_instead(struct matcher *matcher, const struct event *event)
{
	struct slab_object *object = object_table_find(&matcher->analysis->objects, event->pointer);

	if (!object || freed_objects_is_forgotten(matcher, object)) /* or kmemtraced's own */
		return 0;
	object->flags &= (uint16_t)~OBJECT_FROM_BACKUP;
	return keep_freed(matcher, event, object);
}

static int take_unmatched(struct matcher *matcher, const struct event *event, uint32_t cache,
			  const struct slab_object *object)
{
	bool has_object = event_has_object(event);
	int64_t site;
	int err;

	site = grouping_site(&matcher->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (older(matcher) || !pass_is_in_window(matcher, event->time) ||
	    !is_selected(matcher, event, (uint32_t)site, cache)) {
		matcher->analysis->totals.left_out++;
		return 0;
	}
	err = counters_other(matcher, event, has_object ? OUTCOME_UNMATCHED : OUTCOME_NO_OBJECT,
			     cache);
	if (!err && has_object && is_checked(matcher, event))
		err = heap_rules_unmatched(matcher->heap_rules, event, cache, object);
	return err;
}

static int take_free(struct matcher *matcher, const struct event *event)
{
	int64_t cache = cache_table_find(&matcher->caches, event);
	struct slab_object *object = NULL;

	if (cache < 0)
		return (int)cache;
	if (event_has_object(event))
		object = pass_find_block(matcher, event->pointer);
	if (object && !(object->flags & OBJECT_FREED))
		return take_matched(matcher, event, (uint32_t)cache, object);
	if (object && freed_objects_is_forgotten(matcher, object))
		object = NULL;
	return take_unmatched(matcher, event, (uint32_t)cache, object);
}

/* krealloc(): if the object stays where it is, another size was asked for now. */
static int take_resize(struct matcher *matcher, const struct event *event)
{
	struct analysis *analysis = matcher->analysis;
	struct slab_object *object = pass_find_block(matcher, event->pointer);
	struct transition transition = { OUTCOME_RESIZED, event,      object,
					 GROUP_NONE,	  CACHE_NONE, NULL };
	bool counts = true;
	uint64_t more;
	int err;

	if (!object || object->flags & OBJECT_FREED) {
		transition.object = NULL;
		object = NULL;
	} else if (object->flags & (OBJECT_FILTERED | OBJECT_PREWINDOW)) {
		if (event->requested <= object->allocated)
			object->requested = event->requested;
		counts = false;
	}
	if (!counts || !pass_is_in_window(matcher, event->time) ||
	    (!object && (matcher->is_partial || older(matcher)))) {
		analysis->totals.left_out++;
		return 0;
	}
	if (object) {
		transition.group = object->group;
		transition.cache = object->cache;
	}
	err = counters_emit(matcher, &transition);
	if (err)
		return err;
	analysis->totals.resizes++;
	/* one that does not fit moved: its kmalloc() and kfree() tell */
	if (!object || event->requested > object->allocated)
		return 0;
	more = (uint64_t)event->requested - object->requested; /* modulo 2^64 if it is less */
	object->requested = event->requested;
	if (older(matcher))
		return 0;
	analysis->groups[object->group].bytes_requested += more;
	analysis->caches[object->cache].bytes_requested += more;
	analysis->totals.bytes_requested += more;
	return 0;
}

static int take_one(struct matcher *matcher, const struct event *event)
{
	int delayed;

	if (pass_is_in_window(matcher, event->time))
		matcher->analysis->totals.rescued += event_is_from_backup(event);
	if (event->time >= matcher->analysis->window_end) {
		matcher->analysis->totals.left_out++;
		return 0;
	}
	delayed = matcher->delayed.count ? delayed_free_take(matcher, event) : 0;
	if (delayed)
		return delayed < 0 ? delayed : take_freed_instead(matcher, event);
	if (event_is_allocation(event))
		return take_allocation(matcher, event);
	if (event_is_resize(event))
		return take_resize(matcher, event);
	return take_free(matcher, event);
}

/*
 * Some kernels (6.12) tell a large kmalloc() twice: from inside kmalloc() itself, and then with
 * its true caller. The first waits for the second for a moment, and gives way to it.
 */

#define DOUBT_NS 1000000

static int take_doubted(struct matcher *matcher, size_t index)
{
	struct event event = matcher->doubted[index];

	matcher->doubted_count--;
	memmove(&matcher->doubted[index], &matcher->doubted[index + 1],
		(matcher->doubted_count - index) * sizeof(event));
	return take_one(matcher, &event);
}

static bool is_told_again(const struct event *first, const struct event *event)
{
	return event->id == KMT_KMALLOC && event->pointer == first->pointer &&
	       event->task == first->task && event->requested == first->requested &&
	       event->allocated == first->allocated && event->call_site != first->call_site;
}

static int settle_doubted(struct matcher *matcher, const struct event *event)
{
	size_t i = 0;
	int err = 0;

	while (i < matcher->doubted_count && !err) {
		const struct event *first = &matcher->doubted[i];
		bool too_late = event->time - first->time > DOUBT_NS;

		if (!too_late && is_told_again(first, event)) {
			matcher->analysis->totals.repeated++;
			matcher->doubted_count--;
			memmove(&matcher->doubted[i], &matcher->doubted[i + 1],
				(matcher->doubted_count - i) * sizeof(*first));
			return 0;
		}
		if (too_late || (first->pointer && event->pointer == first->pointer))
			err = take_doubted(matcher, i);
		else
			i++;
	}
	return err;
}

static int take_event(struct matcher *matcher, const struct event *event)
{
	int64_t site;
	int err = 0;

	if (matcher->doubted_count)
		err = settle_doubted(matcher, event);
	if (err || event->id != KMT_KMALLOC || event->allocated <= matcher->caches.slab_max)
		return err ? err : take_one(matcher, event);
	site = grouping_site(&matcher->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (!matcher->analysis->sites[site].in_allocator)
		return take_one(matcher, event);
	if (matcher->doubted_count == PASS_DOUBTED_MAX)
		err = take_doubted(matcher, 0);
	matcher->doubted[matcher->doubted_count++] = *event;
	return err;
}

/* Order at one and the same time. */

/* An allocation of what is live, or a free of what is not. */
static bool makes_no_sense(const struct matcher *matcher, const struct event *event)
{
	const struct slab_object *object;

	if (!event_has_object(event) || event_is_resize(event) ||
	    delayed_free_expects(&matcher->delayed, event))
		return false;
	object = object_table_find(&matcher->analysis->objects, event->pointer);
	return event_is_allocation(event) == (object && !(object->flags & OBJECT_FREED));
}

/* The event of another CPU that makes sense of the one at index if it goes first; or none. */
static size_t find_partner(const struct matcher *matcher, size_t index)
{
	const struct event *event = &matcher->same_time[index];
	size_t i;

	if (!makes_no_sense(matcher, event))
		return matcher->same_count;
	for (i = index + 1; i < matcher->same_count; i++) {
		const struct event *other = &matcher->same_time[i];

		if (other->pointer == event->pointer && other->cpu != event->cpu &&
		    other->id != KMT_NONE && !event_is_resize(other) &&
		    event_is_allocation(other) != event_is_allocation(event))
			break;
	}
	return i;
}

/*
 * Clocks may be coarse: at one time on two CPUs, the order that the CPUs' numbers give may be
 * the wrong one.
 */
static int take_same_time(struct matcher *matcher)
{
	int err = 0;

	for (size_t i = 0; i < matcher->same_count && !err; i++) {
		struct event *event = &matcher->same_time[i], *partner;

		if (event->id == KMT_NONE)
			continue; /* it went first */
		partner = &matcher->same_time[find_partner(matcher, i)];
		if (partner != &matcher->same_time[matcher->same_count]) {
			err = take_event(matcher, partner);
			partner->id = KMT_NONE;
		}
		if (!err)
			err = take_event(matcher, event);
	}
	matcher->same_count = 0;
	return err;
}

/* Takes events, of which more are to come behind the first count of them. */
static int take_some(struct matcher *matcher, const struct event *events, size_t count, size_t left,
		     struct slab_object *const *guesses)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct event *event;

		if (!matcher->same_count && i + 1 < left)
			i += fastpath_run(matcher, &events[i],
					  (count < left ? count : left - 1) - i, &guesses[i], &err);
		if (i == count || err)
			break;
		event = &events[i];
		matcher->guess = guesses[i];
		if (matcher->same_count && (matcher->same_time[0].time != event->time ||
					    matcher->same_count == PASS_SAME_MAX))
			err = take_same_time(matcher);
		if (err)
			break;
		/* the next of the same time may come with the next batch */
		if (matcher->same_count || i + 1 == left || events[i + 1].time == event->time)
			matcher->same_time[matcher->same_count++] = *event;
		else
			err = take_event(matcher, event);
	}
	return err;
}

/*
 * Memory is slow: what events need of the heap is asked for two strides before, and they
 * themselves, which another thread wrote, before that. A stride at a time, since the processor does
 * all of its requests at once, and not one after each event.
 */

/* How many of count are in the stride that begins at first. */
static size_t stride(size_t count, size_t first)
{
	return first >= count ? 0 : count - first < STRIDE ? count - first : STRIDE;
}

static void ask_for_places(const struct object_table *objects, const struct event *events,
			   size_t count, size_t first)
{
	size_t end = first + stride(count, first);

	for (size_t i = first; i < end; i++) {
		/* behind the last it does no harm */
		__builtin_prefetch((const void *)((uintptr_t)&events[i] + AHEAD * sizeof(*events)));
		object_table_prefetch(objects, events[i].hash);
	}
}

static void ask_for_blocks(const struct matcher *matcher, const struct event *events, size_t count,
			   size_t first, struct slab_object **guesses)
{
	size_t end = first + stride(count, first);

	for (size_t i = first; i < end; i++, guesses++) {
		*guesses =
			object_table_prefetch_object(&matcher->analysis->objects, events[i].hash);
		if (!*guesses && matcher->heap_rules)
			pages_prefetch(&matcher->heap_rules->pages, events[i].pointer);
	}
}

int pass_take(struct matcher *matcher, const struct event *events, size_t count)
{
	const struct object_table *objects = &matcher->analysis->objects;
	struct slab_object *guesses[2][STRIDE]; /* of this stride, and of the next */
	int err = 0;

	ask_for_places(objects, events, count, 0);
	ask_for_places(objects, events, count, STRIDE);
	ask_for_blocks(matcher, events, count, 0, guesses[0]);
	for (size_t i = 0, turn = 0; i < count && !err; i += STRIDE, turn = !turn) {
		ask_for_places(objects, events, count, i + 2 * STRIDE);
		ask_for_blocks(matcher, events, count, i + STRIDE, guesses[!turn]);
		err = take_some(matcher, events + i, stride(count, i), count - i, guesses[turn]);
	}
	return err;
}

int pass_settle(struct matcher *matcher)
{
	return take_same_time(matcher);
}

/* Those that live at the end, and live long enough; by time, so that it is always the same. */

static int compare_blocks(const void *left, const void *right)
{
	const struct slab_object *a = *(struct slab_object *const *)left;
	const struct slab_object *b = *(struct slab_object *const *)right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static int count_survivors(struct matcher *matcher)
{
	struct analysis *analysis = matcher->analysis;
	struct slab_object **list, *object;
	size_t count = 0, next = 0;
	int err = 0;

	list = calloc(analysis->objects.count + 1, sizeof(struct slab_object *));
	if (!list)
		return -ENOMEM;
	while ((object = object_table_next(&analysis->objects, &next)))
		if (!(object->flags & (OBJECT_FREED | OBJECT_FILTERED | OBJECT_PREWINDOW)))
			list[count++] = object;
	qsort(list, count, sizeof(*list), compare_blocks);
	for (size_t i = 0; i < count && !err; i++) {
		if (analysis->window_end >= list[i]->time + older(matcher)) {
			err = counters_allocated(matcher, NULL, list[i]);
			continue;
		}
		analysis->totals.left_out++;
		list[i]->flags |= OBJECT_FILTERED;
	}
	free(list);
	return err;
}

int pass_end(struct matcher *matcher, uint64_t end)
{
	int err = take_same_time(matcher);

	while (matcher->doubted_count && !err)
		err = take_doubted(matcher, 0);
	if (!err)
		err = delayed_free_end(matcher);
	counters_settle_all(matcher->analysis);
	matcher->analysis->window_end = end;
	if (err || !older(matcher))
		return err;
	err = count_survivors(matcher);
	/* what is told at its end was not counted while it lived */
	matcher->analysis->totals.peak_bytes = matcher->analysis->totals.peak_time = 0;
	return err;
}
