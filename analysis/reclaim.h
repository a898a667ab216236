/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of reclaimable caches (SLAB_RECLAIM_ACCOUNT): their growth ends when memory is short,
 * since a shrinker frees them.
 */
#ifndef ANALYSIS_RECLAIM_H
#define ANALYSIS_RECLAIM_H

#include "analysis/model.h"

static inline enum cache_reclaim object_reclaim(const struct analysis *analysis,
						const struct slab_object *object)
{
	return object->cache < analysis->cache_count ? analysis->caches[object->cache].reclaim
						     : CACHE_RECLAIM_UNKNOWN;
}

/* The bytes of objects of several caches. */
struct reclaim_sum {
	uint64_t reclaimable; /* of reclaimable caches */
	uint64_t unknown;     /* of caches of which it is not known */
};

static inline void reclaim_sum_add(struct reclaim_sum *sum, enum cache_reclaim reclaim,
				   uint64_t bytes)
{
	if (reclaim == CACHE_RECLAIMABLE)
		sum->reclaimable += bytes;
	else if (reclaim == CACHE_RECLAIM_UNKNOWN)
		sum->unknown += bytes;
}

#endif
