/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The caches of an analysis: slab caches that the capture names, caches of kmalloc, and anonymous
 * caches, one for each pair of sizes.
 */
#ifndef ANALYSIS_CACHE_TABLE_H
#define ANALYSIS_CACHE_TABLE_H

#include "analysis/model.h"
#include "base/hash_map.h"

#define CACHE_TABLE_MEMO_BITS 8

/* A recently searched cache of kmalloc. */
struct cache_table_memo {
	uint32_t gfp;	    /* the flags that choose its type */
	uint32_t allocated; /* bytes */
	uint32_t number;    /* of the cache, + 1; 0: empty */
};

struct cache_table {
	struct analysis *analysis;
	struct cache_table_memo memos[1 << CACHE_TABLE_MEMO_BITS];
	const struct cache *list; /* of the capture; never moves */
	uint32_t *named;	  /* by cache of the list: index + 1 */
	struct hash_map
		others;	       /* kmalloc's caches by class, and caches without a name by address */
	struct hash_map sizes; /* anonymous caches by both sizes */
	uint64_t dma, reclaimable, account; /* GFP bits; 0: unknown */
	uint32_t choosing;		    /* all three */
	uint32_t slab_max;		    /* bytes: a larger kmalloc() gets whole pages */
	bool is_guessed; /* the capture is imported: the size of an object is all that is known */
	/* bytes of a kmalloc(): larger ones up to slab_max may be a class or whole pages */
	uint32_t slab_max_least;
	bool is_debugged; /* kmalloc()'s caches have slab debugging: the request chooses the class
			   */
};

int cache_table_init(struct cache_table *table, struct analysis *analysis); /* 0 or -ENOMEM */
void cache_table_deinit(struct cache_table *table);

/*
 * The index in analysis->caches of the cache that an event names or, for an allocation, that the
 * object came from; CACHE_NONE if the event has no cache; or -ENOMEM.
 */
int64_t cache_table_search(struct cache_table *table, const struct event *event);

/* The name for readers who must not see addresses: that of a cache may be its address. */
const char *analysis_cache_name(const struct analysis_cache *cache);

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
	if (found >= 0 && !table->is_debugged)
		*memo = (struct cache_table_memo){ gfp, event->allocated, (uint32_t)found + 1 };
	return found;
}

#endif
