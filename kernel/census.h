/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of each cache in a reading of the slab allocator: how much it has given out, and how
 * full its slabs are.
 */
#ifndef KERNEL_CENSUS_H
#define KERNEL_CENSUS_H

#include "kernel/heap.h"

/* Of a cache, or of all. */
struct census_cache {
	char name[64];		     /* "": all */
	uint32_t size;		     /* bytes from one object to the next; 0: of all */
	uint64_t given, given_bytes; /* objects, those of unknown slabs too; bytes of size */
	uint64_t room;		     /* objects: given or free */
	uint64_t slabs, slab_bytes;
	uint64_t spare_bytes; /* of the slabs that the kernel would get back if objects moved */
	uint64_t unknown;     /* slabs: which of their objects are free is unknown */
	uint64_t unknown_objects, unknown_bytes; /* of these slabs: part of given and slab_bytes */
	bool is_unsure;	   /* a list of free objects was not read: see struct heap_cache */
	uint64_t below[3]; /* slabs that are less than a quarter full, a half, three quarters */
};

struct census {
	struct census_cache *list; /* by number of the cache in the reading */
	size_t count;
	struct census_cache all;
};

/* 0 or -ENOMEM. */
int census_init(struct census *census, const struct heap_reading *reading);

/* Adds a slab of the reading to what a cache, a node or all have; not to spare_bytes. */
void census_add_slab(struct census_cache *sum, const struct heap_reading *reading,
		     const struct heap_slab *slab);

/* Adds up caches. Their names and sizes do not change. */
void census_add(struct census_cache *sum, const struct census_cache *cache);

/* Can some of the given objects be free? */
static inline bool census_is_upper_bound(const struct census_cache *cache)
{
	return cache->unknown || cache->is_unsure;
}

/* Percent of the room; 0 without room. */
double census_full_percent(const struct census_cache *cache);
void census_deinit(struct census *census);

#endif
