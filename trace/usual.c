// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Nearly all of an analysis' time is spent here: each event costs what it says, once. */
#include "config.h"

#include <errno.h>

#include "trace/figures.h"
#include "trace/freed.h"
#include "trace/suspect.h"
#include "trace/usual.h"

#define ALLOCATIONS (1U << KMT_KMALLOC | 1U << KMT_CACHE_ALLOC | 1U << KMT_BULK_ALLOC)
#define FREES (1U << KMT_KFREE | 1U << KMT_CACHE_FREE | 1U << KMT_BULK_FREE)

/* 1: it was taken; 0: it is not usual, and nothing was done; or -ENOMEM. */

static inline int take_allocation(struct pass *pass, const struct event *event,
				  struct heap_block *block)
{
	struct analysis *analysis = pass->analysis;
	uint16_t flags = 0;
	struct group_due *due;
	struct group *group;
	uint32_t number;
	int64_t cache;

	if (pass_is_own(pass, event->task) || (block && !(block->flags & BLOCK_FREED)))
		return 0;
	number = grouping_usual(&pass->grouping, event->call_site);
	if (number == GROUP_NONE)
		return 0;
	cache = cache_table_find(&pass->caches, event);
	if (cache < 0)
		return (int)cache;
	if (pass->suspect) {
		if ((block && suspect_is_still_plain(block, event)) ||
		    suspect_is_plain(pass->suspect, event))
			flags = BLOCK_PLAIN;
		else if (suspect_unlike_allocation(pass->suspect, event, (uint32_t)cache))
			return -ENOMEM;
	}
	if (!block)
		block = heap_add_hashed(&analysis->heap, event->pointer, event->hash);
	if (!block)
		return -ENOMEM;
	block->time = event->time;
	block->requested = event->requested;
	block->allocated = event->allocated;
	block->group = number;
	block->task = event->task;
	block->cache = (uint32_t)cache;
	block->cpu = event->cpu;
	block->flags = flags;
	pass->last_allocation[event->cpu] = event->pointer;
	group = &analysis->groups[number];
	due = figures_due(analysis, group, (uint32_t)cache);
	due->allocations++;
	due->requested += event->requested;
	due->allocated += event->allocated;
	figures_raise_live(analysis, group, event->allocated, event->time);
	return 1;
}

static inline int count_free(const struct pass *pass, const struct event *event,
			     const struct heap_block *block)
{
	struct analysis *analysis = pass->analysis;
	struct group *group = &analysis->groups[block->group];
	struct group_due *due = figures_due(analysis, group, block->cache);

	due->frees++;
	due->freed += block->allocated;
	group->live_bytes -= block->allocated;
	analysis->totals.live_bytes -= block->allocated;
	if (block->cpu != event->cpu) {
		group->cross_cpu_frees++;
		analysis->totals.cross_cpu_frees++;
	} else if (block->task == event->task &&
		   pass->last_allocation[event->cpu] == event->pointer) {
		group->temporary++;
		analysis->totals.temporary++;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	return figures_add_lifetime(group, event->time - block->time, 1);
}

static inline int take_free(struct pass *pass, const struct event *event, struct heap_block *block)
{
	int64_t cache;
	int err;

	if (!block || block->flags & (BLOCK_FREED | BLOCK_OWN | BLOCK_LEFT_OUT | BLOCK_BEFORE))
		return 0;
	cache = cache_table_find(&pass->caches, event);
	if (cache < 0)
		return (int)cache;
	err = count_free(pass, event, block);
	if (!err && pass->suspect)
		err = suspect_free(pass->suspect, pass->analysis, event, (uint32_t)cache, block);
	if (!err && pass->suspect)
		err = freed_keep(pass, event, block, 0); /* FREES has no rescued ones */
	else if (!err)
		heap_remove(&pass->analysis->heap, block);
	return err ? err : 1;
}

size_t usual_run(struct pass *pass, const struct event *events, size_t count,
		 struct heap_block *const *guesses, int *err)
{
	const struct heap *heap = &pass->analysis->heap;
	uint64_t end = pass->usual_end;
	size_t i;

	/* only the long way makes these more */
	if (pass->late.count || pass->doubted_count)
		return 0;
	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];
		struct heap_block *block = guesses[i];
		int got = 0;

		if (event->time >= end || event->time == event[1].time || !event_has_object(event))
			break;
		if (!block || block->address != event->pointer)
			block = heap_find_hashed(heap, event->pointer, event->hash);
		if (event_is_one_of(event, ALLOCATIONS))
			got = take_allocation(pass, event, block);
		else if (event_is_one_of(event, FREES))
			got = take_free(pass, event, block);
		if (got <= 0) {
			*err = got;
			break;
		}
	}
	return i;
}
