/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slab caches of a capture that is still being recorded: they are reported one by one, while
 * events refer to them. The results are those that caches_find() gives for the whole capture, and
 * pointers to caches stay valid.
 */
#ifndef ANALYSIS_CACHE_TIMELINE_H
#define ANALYSIS_CACHE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/caches.h"
#include "base/hash_map.h"

#define CACHE_TIMELINE_MEMO_BITS 8
#define CACHE_TIMELINE_MAX 4096 /* most kernels have some hundreds; more caches get no name */

/* A cache was at an address from since to until, as in struct cache. */
struct cache_interval {
	uint64_t since, until;	   /* ns */
	const struct cache *cache; /* NULL: the list was full */
};

struct address_history {
	struct cache_interval *intervals; /* the oldest first */
	size_t count;
};

/* A recently searched address. */
struct address_memo {
	uint64_t address;
	size_t number; /* of its history, + 1; 0: empty */
};

struct cache_timeline {
	struct caches *caches; /* CACHE_TIMELINE_MAX elements, of which used are set */
	size_t used;
	struct hash_map addresses; /* to an index in histories */
	struct address_history *histories;
	size_t history_count;
	struct address_memo memos[1 << CACHE_TIMELINE_MEMO_BITS];
	uint64_t watermark;  /* ns: intervals that ended before are removed */
	uint32_t generation; /* grows with each report; never 0 */
};

/*
 * Replaces the list of caches by an empty one of CACHE_TIMELINE_MAX elements, all zero; its count
 * is that number. 0 or -ENOMEM; the caller owns the list in any case.
 */
int cache_timeline_init(struct cache_timeline *timeline, struct caches *caches);
void cache_timeline_deinit(struct cache_timeline *timeline);

/*
 * Adds a reported cache, in the order of the reports. Caches of the same name and sizes are one
 * cache. 0 or -ENOMEM.
 */
int cache_timeline_add(struct cache_timeline *timeline, const struct cache *cache);
void cache_timeline_end(struct cache_timeline *timeline, uint64_t address, uint64_t time);

/* No event before the watermark (ns) will be looked up any more. */
void cache_timeline_set_watermark(struct cache_timeline *timeline, uint64_t watermark);

/*
 * The cache at the address at the time, or NULL. *is_known: a cache was reported for them; it is
 * NULL if the list had no room for it.
 */
const struct cache *cache_timeline_find(struct cache_timeline *timeline, uint64_t address,
					uint64_t time, bool *is_known);

/*
 * The cache that cache_timeline_find() returns for each time, until generation changes; NULL: it
 * depends on the time, or there is none.
 */
const struct cache *cache_timeline_constant(struct cache_timeline *timeline, uint64_t address);

#endif
