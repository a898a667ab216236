// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A missed free proves that frees of its cache are missing, and so does slabinfo where the cache
 * grew by less than its events say. In a capture of some processes the frees by all others are
 * missing.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "analysis/missing.h"
#include "report/views/live_bounds.h"

/* The live objects of a cache with missed frees that may be freed, after the audit. */
static uint64_t doubtful_objects(const struct analysis_cache *cache)
{
	return MIN(cache->unjudged + cache->maybe_others, cache->live_objects);
}

/* The live objects of a cache that may be freed. is_missed: some of its frees were missed. */
static uint64_t maybe_freed(const struct analysis *analysis, const struct analysis_cache *cache,
			    const struct slab_growth *growth, bool is_missed)
{
	const struct slab_growth_cache *grown = slab_growth_find(growth, cache->name);
	uint64_t freed = 0;

	if (analysis->capture->status.traced_pid_count)
		return cache->live_objects;
	if (analysis->audit.has_unseen)
		return is_missed || (grown && grown->unobserved < 0) ? doubtful_objects(cache) : 0;
	if (grown && grown->unobserved != SLAB_GROWTH_UNKNOWN && grown->unobserved < 0)
		freed = (uint64_t)-grown->unobserved;
	return is_missed ? cache->live_objects : MIN(freed, cache->live_objects);
}

static void add_caches(struct live_bounds *bounds, const struct analysis *analysis,
		       const struct slab_growth *growth)
{
	bool filtered = analysis->capture->status.traced_pid_count;

	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];
		uint64_t freed, missed = cache->missed_frees;

		/* objects that are older than the checkpoint may be freed already */
		if (cache->initial_objects)
			missed += checkpoint_state_missed_frees(&analysis->capture->checkpoint,
								cache->name);
		freed = maybe_freed(analysis, cache, growth, missed);
		bounds->caches[i] = freed || ((missed || filtered) && !analysis->audit.has_unseen);
		bounds->any |= bounds->caches[i] && cache->live_objects;
		if (missed || filtered)
			bounds->missed += freed;
		else
			bounds->unobserved += freed;
		bounds->maybe_freed += freed;
		bounds->maybe_freed_bytes += freed == cache->live_objects || !cache->size
						     ? cache->live_bytes
						     : freed * cache->size;
	}
	bounds->unobserved += analysis->audit.has_unseen && growth->state == SLAB_GROWTH_COMPARED
				      ? analysis->audit.unseen
				      : growth->allocations;
}

int live_bounds_init(struct live_bounds *bounds, const struct analysis *analysis,
		     const struct slab_growth *growth)
{
	const struct slab_object *object;
	size_t next = 0;

	*bounds = (struct live_bounds){
		.caches = calloc(analysis->cache_count + 1, sizeof(*bounds->caches)),
		.groups = calloc(analysis->group_count + 1, sizeof(*bounds->groups)),
	};
	if (!bounds->caches || !bounds->groups)
		return -ENOMEM;
	add_caches(bounds, analysis, growth);
	while (bounds->any && (object = analysis_next_live(analysis, &next)))
		bounds->groups[object->group] |= bounds->caches[object->cache];
	return 0;
}

uint64_t live_bounds_error(const struct live_bounds *bounds, const struct analysis *analysis)
{
	const struct checkpoint_state *before = &analysis->capture->checkpoint;
	const struct missing missing = missing_of_capture(analysis);
	uint64_t lost = missing_events(&missing);

	/* objects that are older than the checkpoint */
	if (analysis->totals.initial_objects)
		lost += before->lost + (before->skipped == STATUS_UNKNOWN ? 0 : before->skipped);
	return lost + analysis->initial_missing + bounds->missed + bounds->unobserved;
}

void live_bounds_deinit(struct live_bounds *bounds)
{
	free(bounds->caches);
	free(bounds->groups);
	*bounds = (struct live_bounds){ 0 };
}
