// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the frees that were told late, and gives each of them to its own object. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/escape.h"
#include "trace/figures.h"
#include "trace/late.h"
#include "trace/suspect.h"

struct late_case {
	struct heap_block first; /* as it was when its address was allocated again */
	struct event again;	 /* that allocation */
	struct event freed;	 /* the first free; KMT_NONE: it did not come yet */
	struct heap_block second;
	bool judged;
	bool is_last; /* nothing else was allocated on the first free's CPU in between */
};

int late_init(struct late *late)
{
	return heap_init(&late->addresses);
}

void late_deinit(struct late *late)
{
	heap_deinit(&late->addresses);
	free(late->list);
}

static struct late_case *find(const struct late *late, uint64_t address)
{
	const struct heap_block *place = late->count ? heap_find(&late->addresses, address) : NULL;

	return place ? &late->list[place->group] : NULL;
}

static void drop(struct late *late, const struct late_case *one)
{
	size_t index = (size_t)(one - late->list);
	struct late_case *last = &late->list[--late->count];

	heap_remove(&late->addresses, heap_find(&late->addresses, one->first.address));
	if (one == last)
		return;
	heap_find(&late->addresses, last->first.address)->group = (uint32_t)index;
	late->list[index] = *last;
}

static int tell_missed(struct pass *pass, const struct late_case *one)
{
	return one->judged ? suspect_missed(pass->suspect, &one->again, &one->first) : 0;
}

int late_replaced(struct pass *pass, const struct event *event, const struct heap_block *old,
		  bool judged)
{
	struct late *late = &pass->late;
	struct heap_block *place;
	struct late_case *list;

	list = list_grow(late->list, late->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	late->list = list;
	place = heap_add(&late->addresses, event->pointer);
	if (!place)
		return -ENOMEM;
	place->group = (uint32_t)late->count;
	list[late->count++] = (struct late_case){
		.first = *old,
		.again = *event,
		.judged = judged,
	};
	return 0;
}

static bool is_cache_free(const struct event *event)
{
	return event->id == KMT_CACHE_FREE || event->id == KMT_RESCUED_CACHE_FREE;
}

bool late_expects(const struct late *late, const struct event *event)
{
	const struct late_case *one = is_cache_free(event) ? find(late, event->pointer) : NULL;

	return one && one->freed.id != KMT_NONE;
}

/* Is a life too short to be looked at? */
static bool is_short(const struct pass *pass, uint64_t begin, uint64_t end)
{
	return pass->select && end - begin < pass->select->older;
}

/* The first object was freed by the first free, when its address was allocated again or before. */
static int end_first(struct pass *pass, const struct event *event, const struct late_case *one)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	const struct heap_block *block = &one->first;
	bool in_window = pass_is_in_window(pass, event->time);
	struct event freed = one->freed;
	uint64_t begin = block->time;
	int64_t cache;

	freed.time = one->again.time;
	if (block->flags & BLOCK_BEFORE) /* of what is not looked at no life is long */
		begin = freed.time;
	if (in_window && block->flags & BLOCK_OWN) {
		totals->own_frees++;
		return 0;
	}
	if (!in_window || block->flags & BLOCK_LEFT_OUT || is_short(pass, begin, freed.time)) {
		totals->left_out++;
		return 0;
	}
	if (!(block->flags & BLOCK_BEFORE))
		return figures_found(pass, &freed, block,
				     one->is_last && block->cpu != one->again.cpu);
	cache = cache_table_find(&pass->caches, event);
	return cache < 0 ? (int)cache : figures_other(pass, event, FATE_UNMATCHED, (uint32_t)cache);
}

static int end_second(struct pass *pass, const struct event *event, const struct late_case *one)
{
	const struct heap_block *block = &one->second;
	int err;

	if (block->flags & (BLOCK_LEFT_OUT | BLOCK_BEFORE))
		return 0;
	if (!is_short(pass, block->time, one->freed.time))
		return figures_freed_instead(pass, event, block, &one->freed, one->is_last);
	if (is_short(pass, block->time, event->time))
		return 0;
	pass->analysis->totals.left_out -= 2;
	err = figures_allocated(pass, event, block);
	return err ? err : figures_freed(pass, event, block);
}

int late_take(struct pass *pass, const struct event *event)
{
	struct late_case *found = find(&pass->late, event->pointer), one;
	int err;

	if (!found)
		return 0;
	if (is_cache_free(event) && found->freed.id == KMT_NONE) {
		found->second = *heap_find(&pass->analysis->heap, event->pointer);
		found->freed = *event;
		found->is_last = pass->last_allocation[event->cpu] == event->pointer;
		return 0;
	}
	one = *found;
	drop(&pass->late, found);
	if (!is_cache_free(event))
		return tell_missed(pass, &one);
	err = end_first(pass, event, &one);
	/* from before the window: the event was told as its free, and cannot be two */
	if (!err && !(one.first.flags & BLOCK_BEFORE))
		err = end_second(pass, event, &one);
	return err ? err : 1;
}

int late_end(struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->late.count && !err; i++)
		err = tell_missed(pass, &pass->late.list[i]);
	return err;
}
