/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The caches of an analysis: slab caches as the capture names them, those of kmalloc, and for
 * what is told to come from a cache, but not from which, one for each pair of sizes.
 */
#ifndef TRACE_CACHE_TABLE_H
#define TRACE_CACHE_TABLE_H

#include "trace/analysis.h"
#include "trace/index.h"

struct cache_table {
	struct analysis *analysis;
	uint32_t *named;     /* by cache of the capture: index + 1 */
	struct index others; /* kmalloc's by class, and caches of no known name by address */
	struct index sizes;  /* those that the kernel does not tell, by both sizes */
	uint64_t dma, reclaimable, account; /* GFP bits; 0: not known */
	uint32_t slab_max;		    /* bytes: a larger kmalloc() is whole pages */
};

int cache_table_init(struct cache_table *table, struct analysis *analysis); /* 0 or -ENOMEM */
void cache_table_deinit(struct cache_table *table);

/*
 * The index in analysis->caches of the cache that an event names or, of an allocation, comes from;
 * CACHE_NONE where it tells none; or -ENOMEM.
 */
int64_t cache_table_find(struct cache_table *table, const struct event *event);

#endif
