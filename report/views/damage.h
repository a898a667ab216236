/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much a group of live objects looks like a leak, in bytes: the bytes of its old objects,
 * halved for each 4 percent that their steadiness is below 100, and again for each 4 percent that
 * their coverage is. The objects of caches with full coverage and the others are weighed apart, so
 * that missed frees of one cache do not hide a leak in another.
 */
#ifndef REPORT_VIEWS_DAMAGE_H
#define REPORT_VIEWS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"

struct damage {
	uint64_t bytes;
	uint64_t grown_bytes; /* the same without steadiness, and without initial objects */
	uint64_t live_bytes;
	uint64_t covered_bytes; /* live bytes of caches with full coverage */
	double coverage;	/* percent: mean of the caches, weighted by live bytes */
	double steady;		/* percent: of the part with the most damage */
	uint64_t objects, old;	/* live objects, and old ones */
};

/* list: the live objects of one group. times: an array of count for scratch. */
void damage_find(struct damage *damage, const struct analysis *analysis,
		 const struct slab_object *const *list, size_t count, uint64_t *times);

/*
 * ns: a live object is old from this age on, at most the window. lifetimes: of the freed objects of
 * its group; or NULL. frees, live: of the group.
 */
uint64_t damage_old_age(const struct analysis *analysis, const struct lifetimes *lifetimes,
			uint64_t frees, uint64_t live);

/* The coverage of the cache of an object. */
double damage_coverage(const struct analysis *analysis, uint32_t cache);

static inline uint64_t damage_age(const struct analysis *analysis, const struct slab_object *object)
{
	return analysis->window_end > object->time ? analysis->window_end - object->time : 0;
}

#endif
