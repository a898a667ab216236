/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One event as the readers hand it on: a record in this machine's byte order, with its place. */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/caches.h"
#include "kernel/record.h"

struct event {
	uint64_t time; /* ns */
	uint64_t pointer;
	uint64_t call_site;
	uint64_t sequence;	       /* on its CPU, widened to 64 bits */
	const struct cache *cache;     /* NULL: none is told, or it has no name */
	uint64_t cache_address;	       /* of the struct kmem_cache; 0: none is told */
	uint32_t requested, allocated; /* bytes; a cache's allocation has the cache's sizes */
	uint32_t task;		       /* thread id */
	uint32_t gfp;
	int16_t node; /* that was asked for, or KMT_NODE_ANY */
	uint16_t cpu;
	uint8_t id; /* enum kmt_id */
};

static inline bool event_is_one_of(const struct event *event, uint32_t ids)
{
	return ids >> (event->id & 31) & 1; /* none that makes an event is above */
}

static inline bool event_is_allocation(const struct event *event)
{
	return event_is_one_of(event, 1U << KMT_KMALLOC | 1U << KMT_CACHE_ALLOC |
					      1U << KMT_BULK_ALLOC | 1U << KMT_UNNAMED_ALLOC);
}

/* What the record itself tells. True: it tells a cache by its address, for the caller to find. */
static inline bool event_init(struct event *event, const struct kmt_record *record,
			      uint64_t sequence, unsigned int cpu)
{
	*event = (struct event){
		.time = record->time,
		.pointer = record->pointer,
		.call_site = record->call_site,
		.sequence = sequence,
		.task = record->task,
		.gfp = record->gfp,
		.node = record->node,
		.cpu = (uint16_t)cpu,
		.id = record->id,
	};
	switch (record->id) {
	case KMT_KMALLOC:
	case KMT_REALLOC:
	case KMT_UNNAMED_ALLOC:
		event->requested = record->requested;
		event->allocated = record->allocated;
		return false;
	case KMT_KFREE:
	case KMT_RESCUED_KFREE:
		return false;
	default:
		/* kfree_bulk() names none, nor do older kernels in any free */
		event->cache_address = record->cache;
		return event->cache_address || event_is_allocation(event);
	}
}

/* The cache, once it is found; NULL: it has no name. */
static inline void event_set_cache(struct event *event, const struct cache *cache)
{
	event->cache = cache;
	if (cache && event_is_allocation(event)) {
		event->requested = cache->object_size;
		event->allocated = cache->size;
	}
}

/* A free that knows nothing of caches, as kfree() and kfree_bulk() do. */
static inline bool event_is_kfree(const struct event *event)
{
	return event->id == KMT_KFREE || event->id == KMT_RESCUED_KFREE ||
	       (event->id == KMT_BULK_FREE && !event->cache_address);
}

static inline bool event_is_rescued(const struct event *event)
{
	return event_is_one_of(event, 1U << KMT_RESCUED_KFREE | 1U << KMT_RESCUED_CACHE_FREE);
}

/* Neither kfree(NULL) nor kfree(kmalloc(0)) frees anything; a NULL allocation failed. */
static inline bool event_has_object(const struct event *event)
{
	return event->pointer != 0 && event->pointer != KMT_ZERO_SIZE_PTR;
}

#endif
