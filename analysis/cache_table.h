/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The caches of an analysis: slab caches as the capture names them, those of kmalloc, and for
 * what is told to come from a cache, but not from which, one for each pair of sizes.
 */
#ifndef ANALYSIS_CACHE_TABLE_H
#define ANALYSIS_CACHE_TABLE_H

#include "analysis/analysis.h"
#include "base/hash_map.h"

#define CACHE_TABLE_MEMO_BITS 8

/* A class of kmalloc's that was asked for lately. */
struct cache_table_memo {
	uint32_t gfp;	    /* what chooses the type of it */
	uint32_t allocated; /* bytes */
	uint32_t number;    /* of the cache, + 1; 0: none yet */
};

struct cache_table {
	struct analysis *analysis;
	struct cache_table_memo memos[1 << CACHE_TABLE_MEMO_BITS];
	const struct cache *list; /* the capture's, which stays where it is */
	uint32_t *named;	  /* by cache of the list: index + 1 */
	struct hash_map others;	  /* kmalloc's by class, and caches of no known name by address */
	struct hash_map sizes;	  /* those that the kernel does not tell, by both sizes */
	uint64_t dma, reclaimable, account; /* GFP bits; 0: not known */
	uint32_t choosing;		    /* all of them */
	uint32_t slab_max;		    /* bytes: a larger kmalloc() is whole pages */
};

int cache_table_init(struct cache_table *table, struct analysis *analysis); /* 0 or -ENOMEM */
void cache_table_deinit(struct cache_table *table);

/*
 * The index in analysis->caches of the cache that an event names or, of an allocation, comes from;
 * CACHE_NONE where it tells none; or -ENOMEM.
 */
int64_t cache_table_search(struct cache_table *table, const struct event *event);

static inline int64_t cache_table_find(struct cache_table *table, const struct event *event)
{
	uint32_t gfp = event->gfp & table->choosing, hash, number;
	struct cache_table_memo *memo;
	int64_t found;

	if (event->has_cache) {
		number = table->named[event->cache - table->list];
		return number ? number - 1 : cache_table_search(table, event);
	}
	if (event->id != KMT_KMALLOC)
		return event->id == KMT_KFREE ? CACHE_NONE : cache_table_search(table, event);
	hash = (event->allocated ^ gfp << 1) * 0x9e3779b1U;
	memo = &table->memos[hash >> (32 - CACHE_TABLE_MEMO_BITS)];
	if (memo->allocated == event->allocated && memo->gfp == gfp && memo->number)
		return memo->number - 1;
	found = cache_table_search(table, event);
	if (found >= 0)
		*memo = (struct cache_table_memo){ gfp, event->allocated, (uint32_t)found + 1 };
	return found;
}

#endif
