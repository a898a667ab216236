/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The short way for what nearly all events are, where all is looked at and nobody watches: an
 * allocation where nothing lives, at a site that has its group, and the free of an object that
 * counts. It does what the pass does with these, and leaves all else to it.
 */
#ifndef TRACE_USUAL_H
#define TRACE_USUAL_H

#include "trace/figures.h"
#include "trace/freed.h"
#include "trace/suspect.h"

/* ns: before it an event may be usual. */
static inline uint64_t usual_end(const struct pass *pass)
{
	if (pass->select || pass->analysis->settings.observer_count || pass->analysis->heap.limit)
		return 0;
	return pass->judged_last < UINT64_MAX ? pass->judged_last + 1 : UINT64_MAX;
}

/* 1: it was taken; 0: it is not usual, and nothing was done; or -ENOMEM. */

static inline int usual_allocation(struct pass *pass, const struct event *event)
{
	struct heap_block *block = pass_find_block(pass, event->pointer);
	struct analysis *analysis = pass->analysis;
	const struct analysis_site *site;
	int64_t number, cache;

	if (pass_is_own(pass, event->task) || (block && !(block->flags & BLOCK_FREED)))
		return 0;
	number = grouping_site(&pass->grouping, event->call_site, event->time);
	if (number < 0)
		return (int)number;
	site = &analysis->sites[number];
	if (site->group == GROUP_NONE ||
	    (site->in_allocator && event->allocated > pass->caches.slab_max))
		return 0;
	cache = cache_table_find(&pass->caches, event);
	if (cache < 0)
		return (int)cache;
	if (pass->suspect && suspect_allocation(pass->suspect, event, (uint32_t)cache))
		return -ENOMEM;
	if (!block)
		block = heap_add(&analysis->heap, event->pointer);
	if (!block)
		return -ENOMEM;
	*block = (struct heap_block){
		.address = event->pointer,
		.time = event->time,
		.requested = event->requested,
		.allocated = event->allocated,
		.group = site->group,
		.task = event->task,
		.cache = (uint32_t)cache,
		.cpu = event->cpu,
	};
	pass->last_allocation[event->cpu] = event->pointer;
	figures_add_allocated(analysis, event->time, block);
	return 1;
}

static inline int usual_free(struct pass *pass, const struct event *event)
{
	struct heap_block *block = pass_find_block(pass, event->pointer);
	struct heap *heap = &pass->analysis->heap;
	int64_t cache;
	int err;

	if (!block || block->flags & (BLOCK_FREED | BLOCK_OWN | BLOCK_LEFT_OUT | BLOCK_BEFORE))
		return 0;
	cache = cache_table_find(&pass->caches, event);
	if (cache < 0)
		return (int)cache;
	err = figures_add_freed(pass, event, block);
	if (!err && pass->suspect)
		err = suspect_free(pass->suspect, pass->analysis, event, (uint32_t)cache, block);
	if (!err && pass->suspect)
		err = freed_keep(pass, event, block);
	else if (!err)
		heap_remove(heap, block);
	return err ? err : 1;
}

static inline int usual_take(struct pass *pass, const struct event *event)
{
	if (event->time >= pass->usual_end || pass->late.count || pass->doubted_count ||
	    !event_has_object(event))
		return 0;
	if (event_is_one_of(event,
			    1U << KMT_KMALLOC | 1U << KMT_CACHE_ALLOC | 1U << KMT_BULK_ALLOC))
		return usual_allocation(pass, event);
	if (event_is_one_of(event, 1U << KMT_KFREE | 1U << KMT_CACHE_FREE | 1U << KMT_BULK_FREE))
		return usual_free(pass, event);
	return 0;
}

#endif
