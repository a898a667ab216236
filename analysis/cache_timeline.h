/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slab caches of a capture that goes on: they are told one by one, and events are looked at
 * meanwhile. As caches_find() finds them once all are told; but what was found stays where it is.
 */
#ifndef ANALYSIS_CACHE_TIMELINE_H
#define ANALYSIS_CACHE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/caches.h"
#include "base/hash_map.h"

#define CACHE_TIMELINE_MAX 4096 /* caches; more have no name. Most kernels have some hundreds */

/* A cache at an address, as of struct cache. */
struct cache_interval {
	uint64_t since, until;	   /* ns */
	const struct cache *cache; /* NULL: there was no room for it */
};

struct address_history {
	struct cache_interval *stays; /* the oldest first */
	size_t count;
};

struct cache_timeline {
	struct caches *caches; /* its list has all the room; of these used are set */
	size_t used;
	struct hash_map addresses; /* to an index in places */
	struct address_history *slots;
	size_t place_count;
	uint64_t reached; /* ns: what ended before is forgotten */
};

/*
 * Empties the list of caches and gives it the room: its count is the room from now on, and the
 * rest is all zero. 0 or -ENOMEM; the list is the caller's in any case.
 */
int cache_timeline_init(struct cache_timeline *book, struct caches *caches);
void cache_timeline_deinit(struct cache_timeline *book);

/*
 * Told of a cache, in the order in which it is told. One of the same name and sizes as another
 * is the same to whoever asks. 0 or -ENOMEM.
 */
int cache_timeline_add(struct cache_timeline *book, const struct cache *cache);
void cache_timeline_end(struct cache_timeline *book, uint64_t address, uint64_t time);

/* Nothing before the time will be asked for any more (ns). */
void cache_timeline_set_watermark(struct cache_timeline *book, uint64_t time);

/* What lay at address at the time, or NULL: *told tells whether it was told of nevertheless. */
const struct cache *cache_timeline_find(const struct cache_timeline *book, uint64_t address,
					uint64_t time, bool *told);

#endif
