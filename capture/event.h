/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One event as the readers hand it on: a record in this machine's byte order, with its place. */
#ifndef CAPTURE_EVENT_H
#define CAPTURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/caches.h"
#include "kernel/record.h"
#include "base/hash.h"

#define EVENT_SIZE_MAX 64 /* bytes: a line of a processor's cache, as events change threads */

struct event {
	uint64_t time; /* ns */
	uint64_t pointer;
	uint64_t call_site;
	uint32_t task; /* thread id */
	uint32_t gfp;
	uint32_t requested, allocated; /* bytes; a cache's allocation has the cache's sizes */
	union {
		const struct cache *cache; /* if has_cache: that is told, and has a name; */
		uint64_t cache_address;	   /* else: of the struct kmem_cache; 0: none is told */
	};
	uint32_t sequence; /* on its CPU, modulo 2^32 */
	uint32_t hash;	   /* of pointer: hash_address() */
	int16_t node;	   /* that was asked for, or KMT_NODE_ANY */
	uint16_t cpu;
	uint8_t id; /* enum kmt_id */
	bool has_cache;
	uint16_t unused; /* 0 */
};

_Static_assert(sizeof(struct event) <= EVENT_SIZE_MAX, "an event fits a line of a cache");

static inline bool event_is_one_of(const struct event *event, uint32_t ids)
{
	return ids >> (event->id & 31) & 1; /* none that makes an event is above */
}

static inline bool event_is_allocation(const struct event *event)
{
	return event_is_one_of(event, 1U << KMT_KMALLOC | 1U << KMT_CACHE_ALLOC |
					      1U << KMT_BULK_ALLOC | 1U << KMT_ANONYMOUS_ALLOC);
}

/*
 * Sets all fields to what the record itself tells. seed: of the heap that the event is for. True:
 * it tells a cache by its address, for the caller to find.
 */
static inline bool event_init(struct event *event, const struct kmt_record *record,
			      unsigned int cpu, uint64_t seed)
{
	event->time = record->time;
	event->pointer = record->pointer;
	event->call_site = record->call_site;
	event->task = record->task;
	event->gfp = record->gfp;
	event->sequence = record->sequence;
	event->hash = hash_address(seed, record->pointer);
	event->node = record->node;
	event->cpu = (uint16_t)cpu;
	event->id = record->id;
	event->has_cache = false;
	event->unused = 0;
	if (event_is_one_of(event,
			    1U << KMT_KMALLOC | 1U << KMT_REALLOC | 1U << KMT_ANONYMOUS_ALLOC)) {
		event->requested = record->requested;
		event->allocated = record->allocated;
		event->cache_address = 0;
		return false;
	}
	event->requested = event->allocated = 0;
	/* kfree_bulk() names none, nor do older kernels in any free */
	event->cache_address = event_is_one_of(event, 1U << KMT_KFREE | 1U << KMT_BACKUP_KFREE)
				       ? 0
				       : record->cache;
	return event->cache_address ||
	       event_is_one_of(event, 1U << KMT_CACHE_ALLOC | 1U << KMT_BULK_ALLOC);
}

/* The cache, once it is found; NULL: it has no name. */
static inline void event_set_cache(struct event *event, const struct cache *cache)
{
	if (!cache)
		return;
	event->cache = cache;
	event->has_cache = true;
	if (event_is_allocation(event)) {
		event->requested = cache->object_size;
		event->allocated = cache->size;
	}
}

/* A free that knows nothing of caches, as kfree() and kfree_bulk() do. */
static inline bool event_is_kfree(const struct event *event)
{
	return event_is_one_of(event, 1U << KMT_KFREE | 1U << KMT_BACKUP_KFREE) ||
	       (event->id == KMT_BULK_FREE && !event->has_cache && !event->cache_address);
}

static inline bool event_is_from_backup(const struct event *event)
{
	return event_is_one_of(event, 1U << KMT_BACKUP_KFREE | 1U << KMT_BACKUP_CACHE_FREE);
}

/* Neither kfree(NULL) nor kfree(kmalloc(0)) frees anything; a NULL allocation failed. */
static inline bool event_has_object(const struct event *event)
{
	return event->pointer != 0 && event->pointer != KMT_ZERO_SIZE_PTR;
}

#endif
