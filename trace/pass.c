// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairs frees with allocations. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/figures.h"
#include "trace/freed.h"
#include "trace/suspect.h"
#include "trace/usual.h"

#define STRIDE 32 /* events: they take about as long as memory does */
#define AHEAD 64  /* events */

void pass_close(struct pass *pass)
{
	if (!pass)
		return;
	grouping_deinit(&pass->grouping);
	cache_table_deinit(&pass->caches);
	late_deinit(&pass->late);
	suspect_close(pass->suspect);
	free(pass);
}

int pass_open(struct pass **result, struct analysis *analysis)
{
	struct pass *pass = calloc(1, sizeof(*pass));
	int err;

	if (!pass)
		return -ENOMEM;
	pass->analysis = analysis;
	pass->status = &analysis->capture->status;
	pass->judged_last = pass->status->end ? pass->status->end : UINT64_MAX;
	pass->select = analysis->settings.select;
	pass->is_partial = pass->select && select_is_partial(pass->select);
	pass->last_own = !pass->status->include_self && status_is_own(pass->status, 0);
	pass->usual_end = usual_end(pass);
	err = grouping_init(&pass->grouping, analysis);
	if (!err)
		err = cache_table_init(&pass->caches, analysis);
	if (!err)
		err = late_init(&pass->late);
	if (!err && analysis->settings.findings)
		err = suspect_open(&pass->suspect, analysis);
	if (err) {
		pass_close(pass);
		return err;
	}
	*result = pass;
	return 0;
}

/* Is an allocation, or a free whose allocation is not known, one that is looked at? */
static inline bool is_selected(const struct pass *pass, const struct event *event, uint32_t site,
			       uint32_t cache)
{
	const struct select *select = pass->select;
	const struct analysis *analysis = pass->analysis;
	const struct capture *capture = analysis->capture;

	if (!pass->is_partial)
		return true;
	return analysis->sites[site].selected &&
	       (cache == CACHE_NONE ? select_takes_cache(select, "")
				    : analysis->caches[cache].selected) &&
	       select_takes_size(select, event->requested) &&
	       select_takes_cpu(select, &capture->topology, event->cpu) &&
	       select_takes_task(select, &capture->tasks, event->task, event->time);
}

/* Is only what lived long looked at? Then an object counts when its life is over. */
static uint64_t older(const struct pass *pass)
{
	return pass->select ? pass->select->older : 0;
}

/* The end of an object's life, if it counts: freed, or gone unseen. */
static int end_life(struct pass *pass, const struct event *event, const struct heap_block *block,
		    int (*count)(const struct pass *pass, const struct event *event,
				 const struct heap_block *block))
{
	int err = 0;

	if (older(pass)) {
		if (event->time - block->time < older(pass)) {
			pass->analysis->totals.left_out += count == figures_freed ? 2 : 1;
			return 0;
		}
		err = figures_allocated(pass, event, block);
	}
	return err ? err : count(pass, event, block);
}

/*
 * Is the event looked at for what is wrong? While the programs are detached, one after the other,
 * those that are left see frees of what nobody saw allocated.
 */
static bool judges(const struct pass *pass, const struct event *event)
{
	return pass->suspect && event->time <= pass->judged_last;
}

/* Allocations. */

static int replace(struct pass *pass, const struct event *event, const struct heap_block *old)
{
	bool counts = !(old->flags & (BLOCK_LEFT_OUT | BLOCK_BEFORE)), judged;
	int err = 0;

	if (counts)
		err = end_life(pass, event, old, figures_missed);
	judged = counts && judges(pass, event);
	if (!err && event->id == KMT_UNNAMED_ALLOC && old->flags & BLOCK_UNNAMED)
		return late_replaced(pass, event, old, judged);
	return !err && judged ? suspect_missed(pass->suspect, event, old) : err;
}

/* What doubt did not wait for: the first of the two was taken, and stands. */
static bool is_late_repeat(const struct heap_block *first, const struct heap_block *block)
{
	return (first->flags & ~BLOCK_REPLACES) == BLOCK_INNER && block->flags != BLOCK_INNER &&
	       first->task == block->task && first->requested == block->requested &&
	       first->allocated == block->allocated;
}

/* 0; 1: the kernel told the same allocation before; or -errno. */
static int put_block(struct pass *pass, const struct event *event, const struct heap_block *block)
{
	struct heap *heap = &pass->analysis->heap;
	struct heap_block *place = pass_find_block(pass, block->address), old;
	uint16_t flags = event->id == KMT_UNNAMED_ALLOC ? BLOCK_UNNAMED : 0;
	int err = 0;

	if (place && is_late_repeat(place, block)) {
		pass->analysis->totals.repeated++;
		return 1;
	}
	if (!place) {
		place = heap_add_hashed(heap, block->address, event->hash);
	} else if (!(place->flags & BLOCK_FREED)) {
		old = *place;
		err = replace(pass, event, &old);
		if (old.flags & BLOCK_UNNAMED)
			flags |= BLOCK_REPLACES;
	}
	if (!place)
		return -ENOMEM;
	*place = *block;
	place->flags |= flags;
	pass->last_allocation[event->cpu] = block->address;
	return err;
}

static bool finds_no_room(const struct pass *pass, const struct event *event)
{
	const struct heap *heap = &pass->analysis->heap;

	return heap_is_full(heap) && event_has_object(event) && !heap_find(heap, event->pointer);
}

static int take_allocation(struct pass *pass, const struct event *event)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	struct heap_block block = {
		.address = event->pointer,
		.time = event->time,
		.requested = event->requested,
		.allocated = event->allocated,
		.group = GROUP_NONE,
		.task = event->task,
		.cpu = event->cpu,
	};
	bool own = pass_is_own(pass, event->task), in_window = pass_is_in_window(pass, event->time);
	int64_t site, cache, group;
	bool counts;
	int err = 0;

	if (finds_no_room(pass, event)) {
		totals->untracked++;
		return 0;
	}
	cache = cache_table_find(&pass->caches, event);
	if (cache < 0)
		return (int)cache;
	block.cache = (uint32_t)cache;
	if (own) {
		totals->own_allocations += in_window;
		totals->left_out += !in_window;
		block.flags = BLOCK_OWN | BLOCK_LEFT_OUT;
		if (event_has_object(event))
			err = put_block(pass, event, &block);
		return err < 0 ? err : 0;
	}
	site = grouping_site(&pass->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (!is_selected(pass, event, (uint32_t)site, block.cache))
		block.flags = BLOCK_LEFT_OUT;
	else if (!in_window)
		block.flags = BLOCK_BEFORE;
	if (block.flags || (!event_has_object(event) && older(pass)))
		totals->left_out++;
	/* No kernel shows a kmalloc(0); if one did, that would be no object either. */
	if (!event_has_object(event))
		return block.flags || older(pass)
			       ? 0
			       : figures_failed(pass, event, (uint32_t)site, block.cache);

	group = grouping_group(&pass->grouping, event, (uint32_t)site, block.cache);
	if (group < 0)
		return (int)group;
	block.group = (uint32_t)group;
	if (judges(pass, event) && !block.flags)
		err = suspect_allocation(pass->suspect, event, block.cache);
	counts = !block.flags && !older(pass);
	if (pass->analysis->sites[site].in_allocator && event->allocated > pass->caches.slab_max &&
	    !block.flags)
		block.flags = BLOCK_INNER;
	if (!err)
		err = put_block(pass, event, &block);
	if (!err && counts)
		err = figures_allocated(pass, event, &block);
	return err < 0 ? err : 0;
}

/* Frees. */

static int keep_freed(struct pass *pass, const struct event *event, struct heap_block *block)
{
	return freed_keep(pass, event, block, event_is_rescued(event) ? BLOCK_RESCUED : 0);
}

static int take_matched(struct pass *pass, const struct event *event, uint32_t cache,
			struct heap_block *block)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	int err = 0;

	if (block->flags & BLOCK_OWN) {
		totals->own_frees += pass_is_in_window(pass, event->time);
		totals->left_out += !pass_is_in_window(pass, event->time);
		heap_remove(&pass->analysis->heap, block);
		return 0;
	}
	if (block->flags & BLOCK_LEFT_OUT || !pass_is_in_window(pass, event->time)) {
		totals->left_out++;
	} else if (block->flags & BLOCK_BEFORE) {
		if (older(pass))
			totals->left_out++;
		else
			err = figures_other(pass, event, FATE_UNMATCHED, cache);
	} else {
		err = end_life(pass, event, block, figures_freed);
		if (!err && judges(pass, event))
			err = suspect_free(pass->suspect, pass->analysis, event, cache, block);
	}
	if (err)
		return err;
	if (pass->suspect)
		return keep_freed(pass, event, block);
	heap_remove(&pass->analysis->heap, block);
	return 0;
}

/* Freed by this, and not by the free that it was first taken to be freed by. */
static int take_freed_instead(struct pass *pass, const struct event *event)
{
	struct heap_block *block = heap_find(&pass->analysis->heap, event->pointer);

	if (!block || freed_is_forgotten(pass, block)) /* or kmemtraced's own */
		return 0;
	block->flags &= (uint16_t)~BLOCK_RESCUED;
	return keep_freed(pass, event, block);
}

static int take_unmatched(struct pass *pass, const struct event *event, uint32_t cache,
			  const struct heap_block *block)
{
	bool has_object = event_has_object(event);
	int64_t site;
	int err;

	site = grouping_site(&pass->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (older(pass) || !pass_is_in_window(pass, event->time) ||
	    !is_selected(pass, event, (uint32_t)site, cache)) {
		pass->analysis->totals.left_out++;
		return 0;
	}
	err = figures_other(pass, event, has_object ? FATE_UNMATCHED : FATE_NO_OBJECT, cache);
	if (!err && has_object && judges(pass, event))
		err = suspect_unmatched(pass->suspect, event, cache, block);
	return err;
}

static int take_free(struct pass *pass, const struct event *event)
{
	int64_t cache = cache_table_find(&pass->caches, event);
	struct heap_block *block = NULL;

	if (cache < 0)
		return (int)cache;
	if (event_has_object(event))
		block = pass_find_block(pass, event->pointer);
	if (block && !(block->flags & BLOCK_FREED))
		return take_matched(pass, event, (uint32_t)cache, block);
	if (block && freed_is_forgotten(pass, block))
		block = NULL;
	return take_unmatched(pass, event, (uint32_t)cache, block);
}

/* krealloc(): if the object stays where it is, another size was asked for now. */
static int take_resize(struct pass *pass, const struct event *event)
{
	struct analysis *analysis = pass->analysis;
	struct heap_block *block = pass_find_block(pass, event->pointer);
	struct step step = { FATE_RESIZED, event, block, GROUP_NONE, CACHE_NONE, NULL };
	bool counts = true;
	uint64_t more;
	int err;

	if (!block || block->flags & BLOCK_FREED) {
		step.block = NULL;
		block = NULL;
	} else if (block->flags & (BLOCK_LEFT_OUT | BLOCK_BEFORE)) {
		if (event->requested <= block->allocated)
			block->requested = event->requested;
		counts = false;
	}
	if (!counts || !pass_is_in_window(pass, event->time) ||
	    (!block && (pass->is_partial || older(pass)))) {
		analysis->totals.left_out++;
		return 0;
	}
	if (block) {
		step.group = block->group;
		step.cache = block->cache;
	}
	err = figures_tell(pass, &step);
	if (err)
		return err;
	analysis->totals.resizes++;
	/* one that does not fit moved: its kmalloc() and kfree() tell */
	if (!block || event->requested > block->allocated)
		return 0;
	more = (uint64_t)event->requested - block->requested; /* modulo 2^64 if it is less */
	block->requested = event->requested;
	if (older(pass))
		return 0;
	analysis->groups[block->group].bytes_requested += more;
	analysis->caches[block->cache].bytes_requested += more;
	analysis->totals.bytes_requested += more;
	return 0;
}

static int take_one(struct pass *pass, const struct event *event)
{
	int late;

	if (pass_is_in_window(pass, event->time))
		pass->analysis->totals.rescued += event_is_rescued(event);
	if (event->time >= pass->analysis->window_end) {
		pass->analysis->totals.left_out++;
		return 0;
	}
	late = pass->late.count ? late_take(pass, event) : 0;
	if (late)
		return late < 0 ? late : take_freed_instead(pass, event);
	if (event_is_allocation(event))
		return take_allocation(pass, event);
	if (event->id == KMT_REALLOC)
		return take_resize(pass, event);
	return take_free(pass, event);
}

/*
 * Some kernels (6.12) tell a large kmalloc() twice: from inside kmalloc() itself, and then with
 * its true caller. The first waits for the second for a moment, and gives way to it.
 */

#define DOUBT_NS 1000000

static int take_doubted(struct pass *pass, size_t index)
{
	struct event event = pass->doubted[index];

	pass->doubted_count--;
	memmove(&pass->doubted[index], &pass->doubted[index + 1],
		(pass->doubted_count - index) * sizeof(event));
	return take_one(pass, &event);
}

static bool is_told_again(const struct event *first, const struct event *event)
{
	return event->id == KMT_KMALLOC && event->pointer == first->pointer &&
	       event->task == first->task && event->requested == first->requested &&
	       event->allocated == first->allocated && event->call_site != first->call_site;
}

static int settle_doubted(struct pass *pass, const struct event *event)
{
	size_t i = 0;
	int err = 0;

	while (i < pass->doubted_count && !err) {
		const struct event *first = &pass->doubted[i];
		bool too_late = event->time - first->time > DOUBT_NS;

		if (!too_late && is_told_again(first, event)) {
			pass->analysis->totals.repeated++;
			pass->doubted_count--;
			memmove(&pass->doubted[i], &pass->doubted[i + 1],
				(pass->doubted_count - i) * sizeof(*first));
			return 0;
		}
		if (too_late || (first->pointer && event->pointer == first->pointer))
			err = take_doubted(pass, i);
		else
			i++;
	}
	return err;
}

static int take_event(struct pass *pass, const struct event *event)
{
	int64_t site;
	int err = 0;

	if (pass->doubted_count)
		err = settle_doubted(pass, event);
	if (err || event->id != KMT_KMALLOC || event->allocated <= pass->caches.slab_max)
		return err ? err : take_one(pass, event);
	site = grouping_site(&pass->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (!pass->analysis->sites[site].in_allocator)
		return take_one(pass, event);
	if (pass->doubted_count == PASS_DOUBTED_MAX)
		err = take_doubted(pass, 0);
	pass->doubted[pass->doubted_count++] = *event;
	return err;
}

/* Order at one and the same time. */

/* An allocation of what is live, or a free of what is not. */
static bool makes_no_sense(const struct pass *pass, const struct event *event)
{
	const struct heap_block *block;

	if (!event_has_object(event) || event->id == KMT_REALLOC ||
	    late_expects(&pass->late, event))
		return false;
	block = heap_find(&pass->analysis->heap, event->pointer);
	return event_is_allocation(event) == (block && !(block->flags & BLOCK_FREED));
}

/* The event of another CPU that makes sense of the one at index if it goes first; or none. */
static size_t find_partner(const struct pass *pass, size_t index)
{
	const struct event *event = &pass->same_time[index];
	size_t i;

	if (!makes_no_sense(pass, event))
		return pass->same_count;
	for (i = index + 1; i < pass->same_count; i++) {
		const struct event *other = &pass->same_time[i];

		if (other->pointer == event->pointer && other->cpu != event->cpu &&
		    other->id != KMT_NONE && other->id != KMT_REALLOC &&
		    event_is_allocation(other) != event_is_allocation(event))
			break;
	}
	return i;
}

/*
 * Clocks may be coarse: at one time on two CPUs, the order that the CPUs' numbers give may be
 * the wrong one.
 */
static int take_same_time(struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->same_count && !err; i++) {
		struct event *event = &pass->same_time[i], *partner;

		if (event->id == KMT_NONE)
			continue; /* it went first */
		partner = &pass->same_time[find_partner(pass, i)];
		if (partner != &pass->same_time[pass->same_count]) {
			err = take_event(pass, partner);
			partner->id = KMT_NONE;
		}
		if (!err)
			err = take_event(pass, event);
	}
	pass->same_count = 0;
	return err;
}

/* Takes events, of which more are to come behind the first count of them. */
static int take_some(struct pass *pass, const struct event *events, size_t count, size_t left,
		     struct heap_block *const *guesses)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct event *event;

		if (!pass->same_count && i + 1 < left)
			i += usual_run(pass, &events[i], (count < left ? count : left - 1) - i,
				       &guesses[i], &err);
		if (i == count || err)
			break;
		event = &events[i];
		pass->guess = guesses[i];
		if (pass->same_count &&
		    (pass->same_time[0].time != event->time || pass->same_count == PASS_SAME_MAX))
			err = take_same_time(pass);
		if (err)
			break;
		/* the next of the same time may come with the next batch */
		if (pass->same_count || i + 1 == left || events[i + 1].time == event->time)
			pass->same_time[pass->same_count++] = *event;
		else
			err = take_event(pass, event);
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

static void ask_for_places(const struct heap *heap, const struct event *events, size_t count,
			   size_t first)
{
	size_t end = first + stride(count, first);

	for (size_t i = first; i < end; i++) {
		/* behind the last it does no harm */
		__builtin_prefetch((const void *)((uintptr_t)&events[i] + AHEAD * sizeof(*events)));
		heap_prefetch(heap, events[i].hash);
	}
}

static void ask_for_blocks(const struct pass *pass, const struct event *events, size_t count,
			   size_t first, struct heap_block **guesses)
{
	size_t end = first + stride(count, first);

	for (size_t i = first; i < end; i++, guesses++) {
		*guesses = heap_prefetch_block(&pass->analysis->heap, events[i].hash);
		if (!*guesses && pass->suspect)
			pages_prefetch(&pass->suspect->pages, events[i].pointer);
	}
}

int pass_take(struct pass *pass, const struct event *events, size_t count)
{
	const struct heap *heap = &pass->analysis->heap;
	struct heap_block *guesses[2][STRIDE]; /* of this stride, and of the next */
	int err = 0;

	ask_for_places(heap, events, count, 0);
	ask_for_places(heap, events, count, STRIDE);
	ask_for_blocks(pass, events, count, 0, guesses[0]);
	for (size_t i = 0, turn = 0; i < count && !err; i += STRIDE, turn = !turn) {
		ask_for_places(heap, events, count, i + 2 * STRIDE);
		ask_for_blocks(pass, events, count, i + STRIDE, guesses[!turn]);
		err = take_some(pass, events + i, stride(count, i), count - i, guesses[turn]);
	}
	return err;
}

int pass_settle(struct pass *pass)
{
	return take_same_time(pass);
}

/* Those that live at the end, and live long enough; by time, so that it is always the same. */

static int compare_blocks(const void *left, const void *right)
{
	const struct heap_block *a = *(struct heap_block *const *)left;
	const struct heap_block *b = *(struct heap_block *const *)right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static int count_survivors(struct pass *pass)
{
	struct analysis *analysis = pass->analysis;
	struct heap_block **list, *block;
	size_t count = 0, next = 0;
	int err = 0;

	list = calloc(analysis->heap.count + 1, sizeof(struct heap_block *));
	if (!list)
		return -ENOMEM;
	while ((block = heap_next(&analysis->heap, &next)))
		if (!(block->flags & (BLOCK_FREED | BLOCK_LEFT_OUT | BLOCK_BEFORE)))
			list[count++] = block;
	qsort(list, count, sizeof(*list), compare_blocks);
	for (size_t i = 0; i < count && !err; i++) {
		if (analysis->window_end >= list[i]->time + older(pass)) {
			err = figures_allocated(pass, NULL, list[i]);
			continue;
		}
		analysis->totals.left_out++;
		list[i]->flags |= BLOCK_LEFT_OUT;
	}
	free(list);
	return err;
}

int pass_end(struct pass *pass, uint64_t end)
{
	int err = take_same_time(pass);

	while (pass->doubted_count && !err)
		err = take_doubted(pass, 0);
	if (!err)
		err = late_end(pass);
	figures_settle_all(pass->analysis);
	pass->analysis->window_end = end;
	if (err || !older(pass))
		return err;
	err = count_survivors(pass);
	/* what is told at its end was not counted while it lived */
	pass->analysis->totals.peak_bytes = pass->analysis->totals.peak_time = 0;
	return err;
}
