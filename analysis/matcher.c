// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prefetches for batches of events, and sends each event along the fast or the general path. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/audit.h"
#include "analysis/delayed_free.h"
#include "analysis/fastpath.h"
#include "analysis/matcher.h"
#include "analysis/matcher_state.h"
#include "analysis/repeated_kmalloc.h"
#include "analysis/same_time.h"

#define PREFETCH_BATCH 32  /* events: to match them takes about as long as one read of memory */
#define PREFETCH_EVENTS 64 /* events from a prefetched event to its use */

void matcher_close(struct matcher *matcher)
{
	if (!matcher)
		return;
	grouping_deinit(&matcher->grouping);
	cache_table_deinit(&matcher->caches);
	delayed_free_deinit(&matcher->delayed);
	samples_deinit(&matcher->samples);
	subscribers_close(&matcher->subscribers);
	free(matcher);
}

int matcher_open(struct matcher **result, struct analysis *analysis)
{
	struct matcher *matcher = calloc(1, sizeof(*matcher));
	int err;

	if (!matcher)
		return -ENOMEM;
	matcher->analysis = analysis;
	matcher->status = &analysis->capture->status;
	matcher->select = analysis->settings.select;
	matcher->is_partial = matcher->select && (select_is_partial(matcher->select) ||
						  analysis->settings.choice.takes);
	matcher->is_before_window = analysis->window_begin;
	matcher->checkpoint_end = analysis->capture->checkpoint.begin;
	matcher->last_own = !matcher->status->include_self && status_is_own(matcher->status, 0);
	err = subscribers_open(&matcher->subscribers, analysis);
	if (!err)
		err = grouping_init(&matcher->grouping, analysis);
	if (!err)
		err = cache_table_init(&matcher->caches, analysis);
	if (!err)
		err = delayed_free_init(&matcher->delayed);
	if (err) {
		matcher_close(matcher);
		return err;
	}
	*result = matcher;
	return 0;
}

/* Takes count events. left: these and the events after them, in the same array. */
static int take_some(struct matcher *matcher, const struct event *events, size_t count, size_t left,
		     struct slab_object *const *prefetched)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		/* the fast path reads the time of the event after its last one */
		if (!matcher->same_time_count && i + 1 < left)
			i += fastpath_run(matcher, &events[i],
					  (count < left ? count : left - 1) - i, &prefetched[i],
					  &err);
		if (i == count || err)
			break;
		/* the array's last event: the next call may bring more events with its time */
		err = same_time_take(matcher, &events[i],
				     i + 1 < left && events[i + 1].time != events[i].time);
	}
	return err;
}

/*
 * Reading memory is slow, so the objects of events are prefetched two batches before their use, and
 * the events themselves, which another thread wrote, before that. Prefetching a batch at a time
 * lets the processor overlap the reads.
 */

/* The number of events in the batch that begins at first. */
static size_t batch_size(size_t count, size_t first)
{
	return first >= count ? 0 : count - first < PREFETCH_BATCH ? count - first : PREFETCH_BATCH;
}

static void prefetch_slots(const struct object_table *objects, const struct event *events,
			   size_t count, size_t first)
{
	size_t end = first + batch_size(count, first);

	for (size_t i = first; i < end; i++) {
		/* prefetching after the end of the array does no harm */
		__builtin_prefetch(
			(const void *)((uintptr_t)&events[i] + PREFETCH_EVENTS * sizeof(*events)));
		object_table_prefetch(objects, events[i].hash);
	}
}

static void prefetch_objects(const struct matcher *matcher, const struct event *events,
			     size_t count, size_t first, struct slab_object **prefetched)
{
	size_t end = first + batch_size(count, first);

	for (size_t i = first; i < end; i++, prefetched++) {
		*prefetched =
			object_table_prefetch_object(&matcher->analysis->objects, events[i].hash);
		if (!*prefetched)
			subscribers_prefetch(&matcher->subscribers, events[i].pointer);
	}
}

int matcher_take(struct matcher *matcher, const struct event *events, size_t count)
{
	const struct object_table *objects = &matcher->analysis->objects;
	struct slab_object *prefetched[2][PREFETCH_BATCH]; /* of this batch, and of the next */
	int err = 0;

	prefetch_slots(objects, events, count, 0);
	prefetch_slots(objects, events, count, PREFETCH_BATCH);
	prefetch_objects(matcher, events, count, 0, prefetched[0]);
	for (size_t i = 0, current = 0; i < count && !err;
	     i += PREFETCH_BATCH, current = !current) {
		prefetch_slots(objects, events, count, i + 2 * PREFETCH_BATCH);
		prefetch_objects(matcher, events, count, i + PREFETCH_BATCH, prefetched[!current]);
		err = take_some(matcher, events + i, batch_size(count, i), count - i,
				prefetched[current]);
	}
	return err;
}

int matcher_flush(struct matcher *matcher)
{
	return same_time_flush(matcher);
}

void matcher_last_allocations(const struct matcher *matcher, uint64_t *addresses)
{
	if (addresses)
		memcpy(addresses, matcher->last_allocation, sizeof(matcher->last_allocation));
}

/* By time, then by address: the order does not depend on the hash table. */
static int compare_objects(const void *left, const void *right)
{
	const struct slab_object *a = *(struct slab_object *const *)left;
	const struct slab_object *b = *(struct slab_object *const *)right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* With select.older: counts the objects that are live at the end, if they lived that long. */
static int count_survivors(struct matcher *matcher)
{
	struct analysis *analysis = matcher->analysis;
	struct slab_object **list, *object;
	size_t count = 0, next = 0;
	int err = 0;

	list = calloc(analysis->objects.count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	while ((object = object_table_next(&analysis->objects, &next)))
		if (!(object->flags & (OBJECT_FREED | OBJECT_LEFT_OUT | OBJECT_PREWINDOW)))
			list[count++] = object;
	qsort(list, count, sizeof(*list), compare_objects);
	for (size_t i = 0; i < count && !err; i++) {
		if (analysis->window_end >= list[i]->time + matcher_older(matcher)) {
			err = matcher_emit_begin(matcher, NULL, list[i], false);
			continue;
		}
		analysis->totals.left_out++;
		list[i]->flags |= OBJECT_LEFT_OUT;
	}
	free(list);
	return err;
}

int matcher_finish(struct matcher *matcher, uint64_t end)
{
	struct analysis *analysis = matcher->analysis;
	int err = same_time_flush(matcher);

	if (!err)
		err = repeated_kmalloc_finish(matcher);
	if (!err)
		err = delayed_free_finish(matcher);
	if (!err)
		err = audit_run(matcher);
	analysis->window_end = end;
	if (!err && matcher_older(matcher)) {
		err = count_survivors(matcher);
		/* each object was counted at its end: the live bytes before are unknown */
		analysis->totals.peak_bytes = analysis->totals.peak_time = 0;
	}
	subscribers_finish(&matcher->subscribers);
	return err;
}
