// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Weighs live objects: old objects, evenly spread allocations, complete records of frees. */
#include "config.h"

#include "report/views/damage.h"
#include "report/views/trend.h"

#define ORDINARY_PERCENT 99 /* an old object is older than these freed objects became */
#define FEW 4		    /* all objects are old if this many times fewer were freed */
#define FULL 100	    /* percent */
#define HALVING 4	    /* percent below full that halve the weight */

/* How many objects of the list, from the first on, are older than its freed objects became. */
static size_t count_old(const struct analysis *analysis, const struct slab_object *const *list,
			size_t count)
{
	const struct group *group = &analysis->groups[list[0]->group];
	size_t old = 0;
	uint64_t ordinary;

	if (!group->lifetimes || group->frees * FEW <= count)
		return count;
	ordinary = lifetimes_percentile(group->lifetimes, ORDINARY_PERCENT);
	while (old < count && damage_age(analysis, list[old]) > ordinary)
		old++;
	return old;
}

double damage_coverage(const struct analysis *analysis, uint32_t cache)
{
	return analysis_coverage(analysis->caches[cache].frees,
				 analysis->caches[cache].missed_frees);
}

static double halved(double bytes, double missing_percent)
{
	for (; missing_percent >= HALVING; missing_percent -= HALVING)
		bytes /= 2;
	return bytes * (1 - missing_percent / HALVING / 2);
}

struct part {
	uint64_t live_bytes, old_bytes;
	double weighted; /* sum of coverage times live bytes */
	double steady, bytes;
};

/* The objects in caches with full coverage, or the others. */
static void weigh(struct part *part, bool is_full, const struct analysis *analysis,
		  const struct slab_object *const *list, size_t count, size_t old, uint64_t *times)
{
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		double coverage = damage_coverage(analysis, list[i]->cache);

		if ((coverage >= FULL) != is_full)
			continue;
		part->live_bytes += list[i]->allocated;
		part->weighted += coverage * list[i]->allocated;
		if (i >= old)
			continue;
		part->old_bytes += list[i]->allocated;
		times[taken++] = list[i]->time;
	}
	part->steady = trend_steady(times, taken, analysis->window_begin, analysis->window_end);
	part->bytes = halved((double)part->old_bytes, FULL - part->steady);
	if (part->live_bytes)
		part->bytes = halved(part->bytes, FULL - part->weighted / (double)part->live_bytes);
}

void damage_find(struct damage *damage, const struct analysis *analysis,
		 const struct slab_object *const *list, size_t count, uint64_t *times)
{
	struct part full = { 0 }, rest = { 0 };

	damage->old = count_old(analysis, list, count);
	weigh(&full, true, analysis, list, count, damage->old, times);
	weigh(&rest, false, analysis, list, count, damage->old, times);
	damage->live_bytes = full.live_bytes + rest.live_bytes;
	damage->covered_bytes = full.live_bytes;
	damage->bytes = (uint64_t)(full.bytes + rest.bytes + 0.5);
	damage->steady = full.bytes >= rest.bytes ? full.steady : rest.steady;
	damage->coverage = damage_coverage(analysis, list[0]->cache);
	if (damage->live_bytes)
		damage->coverage = (full.weighted + rest.weighted) / (double)damage->live_bytes;
}
