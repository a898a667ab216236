/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The waste of the objects that were allocated in the window, that are live at its end, and that
 * were live at the peak; by group, by cache, and by size.
 *
 * The waste of an object is allocated - requested, and 0 if it requested more. It is the waste of
 * the caller only if the caller chose the size: of an object of a slab cache, requested is the
 * object size of the cache, and its waste is the padding between objects. An object whose cache is
 * not in the capture has no sizes and counts as 0. The bytes for slab
 * debugging do not count as waste.
 */
#ifndef ANALYSIS_HEAP_SIZES_H
#define ANALYSIS_HEAP_SIZES_H

#include "analysis/model.h"
#include "analysis/reclaim.h"
#include "base/hash_map.h"

/* The wasted bytes of a group, of a cache, or of all. */
struct heap_waste {
	uint64_t flow, live, peak;
};

struct heap_wastes {
	const struct analysis_cache *list;  /* the caches of the analysis */
	struct heap_waste *groups, *caches; /* by index in the analysis */
	struct heap_waste total;
	struct reclaim_sum *reclaims; /* of the live bytes, by index of their group */
};

/* After an analysis with settings.peak_heap. 0 or -ENOMEM. */
int heap_wastes_init(struct heap_wastes *wastes, const struct analysis *analysis);
void heap_wastes_deinit(struct heap_wastes *wastes);

struct heap_bytes {
	uint64_t objects;
	uint64_t requested, allocated; /* bytes */
	uint64_t debug;		       /* of the allocated: for slab debugging */
};

/* Objects of one group, one cache and one size. */
struct heap_size {
	uint32_t group, cache;		    /* index in the analysis */
	uint32_t requested, allocated;	    /* bytes of each object */
	struct heap_bytes flow, live, peak; /* the objects that waste is of */
	uint32_t next;			    /* the next entry with the same hash, + 1; 0: none */
};

struct heap_sizes {
	struct hash_map index; /* of list, by hash */
	struct heap_size *list;
	size_t count;
	const struct analysis_cache *caches; /* in heap_sizes_add_heap() */
};

int heap_sizes_init(struct heap_sizes *sizes); /* 0 or -ENOMEM */
void heap_sizes_deinit(struct heap_sizes *sizes);

/* For struct observer: counts the flow. data is the struct heap_sizes. */
int heap_sizes_on_transition(void *data, const struct analysis *analysis,
			     const struct transition *transition);

/* After an analysis with settings.peak_heap: adds the live heap and the peak. 0 or -ENOMEM. */
int heap_sizes_add_heap(struct heap_sizes *sizes, const struct analysis *analysis);

/* The waste of equal objects. */
static inline uint64_t heap_bytes_wasted(struct heap_bytes bytes)
{
	uint64_t usable = bytes.allocated - bytes.debug;

	return usable > bytes.requested ? usable - bytes.requested : 0;
}

static inline void heap_bytes_add(struct heap_bytes *sum, struct heap_bytes bytes)
{
	sum->objects += bytes.objects;
	sum->requested += bytes.requested;
	sum->allocated += bytes.allocated;
	sum->debug += bytes.debug;
}

#endif
