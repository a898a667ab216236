/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One event as the readers deliver it: a record in this machine's byte order, and its cache. */
#ifndef CAPTURE_EVENT_H
#define CAPTURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "kernel/caches.h"
#include "kernel/record_kinds.h"

#define EVENT_SIZE_MAX \
	64 /* bytes: one cache line of the processor, since threads pass events to each other */

struct event {
	uint64_t time; /* ns */
	uint64_t pointer;
	uint64_t call_site;
	uint32_t task; /* thread id */
	uint32_t gfp;
	union {
		struct {
			/* bytes; of a kmem_cache_alloc(), the sizes of the cache */
			uint32_t requested, allocated;
		};
		uint64_t more; /* if event_is_other(): the first further word of a long record */
	};
	union {
		const struct cache *cache; /* if has_cache: the cache; its name is known */
		uint64_t cache_address;	   /* if not has_cache: kmt_record.cache; 0: unknown */
		uint64_t payload;	   /* if event_is_other(): bytes 40 to 47 of the record */
	};
	uint32_t sequence; /* on its CPU, modulo 2^32 */
	uint32_t hash;	   /* of pointer: hash_address() */
	int16_t node;	   /* the requested node, or KMT_NODE_ANY */
	uint16_t cpu;
	uint8_t id; /* enum kmt_id */
	bool has_cache;
	uint8_t context; /* enum kmt_context, or of a later version; see status.has_context */
	uint8_t unused;	 /* 0 */
};

_Static_assert(sizeof(struct event) <= EVENT_SIZE_MAX, "an event fits a cache line");

/* kinds: a mask of RECORD_KINDS_WITH(). A record of an unknown kind makes no event. */
static inline bool event_is_one_of(const struct event *event, uint64_t kinds)
{
	return kinds >> (event->id & 63) & 1;
}

static inline bool event_is_allocation(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_ALLOCATION));
}

static inline bool event_is_resize(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_RESIZE));
}

/* Of a slab cache that the kernel does not name. */
static inline bool event_is_anonymous(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_ANONYMOUS));
}

/* A free by kmem_cache_free(): it names one slab cache, even if the record does not have it. */
static inline bool event_is_cache_free(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_FREE | RECORD_CACHE) &
					      ~RECORD_KINDS_WITH(RECORD_KFREE));
}

/* Not about a slab object. */
static inline bool event_is_other(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_OTHER);
}

/*
 * Sets all fields from the record. seed: of the object table that the event is for. True: the
 * record names a cache by its address, and the caller must look up the cache. The record has all
 * its words.
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
	event->node = kmt_node(record->node);
	event->context = (uint8_t)kmt_context(record->node);
	event->cpu = (uint16_t)cpu;
	event->id = record->id;
	event->has_cache = false;
	event->unused = 0;
	if (event_is_one_of(event, RECORD_KINDS_WITH(RECORD_SIZES))) {
		event->requested = record->requested;
		event->allocated = record->allocated;
		event->cache_address = 0;
		return false;
	}
	event->requested = event->allocated = 0;
	if (event_is_other(event)) {
		event->payload = record->cache;
		if (record->words > KMT_RECORD_WORDS)
			event->more = *(const uint64_t *)(record + 1);
		return false;
	}
	/* kfree_bulk() has no cache, and older kernels name none in any free */
	event->cache_address =
		event_is_one_of(event, RECORD_KINDS_WITH(RECORD_CACHE)) ? record->cache : 0;
	return event->cache_address ||
	       event_is_one_of(event, RECORD_KINDS_WITH(RECORD_CACHE) &
					      ~RECORD_KINDS_WITH(RECORD_CACHE_OPTIONAL));
}

/* cache: the result of the lookup; NULL: the cache has no known name. */
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

/* A free of an object of any cache, by kfree() or kfree_bulk(). */
static inline bool event_is_kfree(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_KFREE)) && !event->has_cache &&
	       !event->cache_address;
}

static inline bool event_is_from_backup(const struct event *event)
{
	return event_is_one_of(event, RECORD_KINDS_WITH(RECORD_BACKUP));
}

/* False for kfree(NULL), kfree(kmalloc(0)), and a failed allocation. */
static inline bool event_has_object(const struct event *event)
{
	return event->pointer != 0 && event->pointer != KMT_ZERO_SIZE_PTR;
}

#endif
