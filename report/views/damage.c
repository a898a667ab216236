// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Weighs live objects: old objects, evenly spread allocations, complete records of frees. */
#include "config.h"

#include <stdlib.h>

#include "analysis/delta.h"
#include "base/number.h"
#include "report/views/damage.h"
#include "report/views/trend.h"

#define ORDINARY_PERCENT 99 /* an old object is older than these freed objects became */
#define FEW 2		    /* all objects are old if the live ones are this many times the freed */
#define FULL 100	    /* percent */
#define HALVING 4	    /* percent below full that halve the weight */

uint64_t damage_old_age(const struct analysis *analysis, const struct lifetimes *lifetimes,
			uint64_t frees, uint64_t live)
{
	uint64_t window = analysis->window_end - analysis->window_begin, age;

	if (!lifetimes || frees * FEW <= live)
		return 0;
	age = lifetimes_percentile(lifetimes, ORDINARY_PERCENT, window) + 1;
	return age < window ? age : window;
}

double damage_coverage(const struct analysis *analysis, uint32_t cache)
{
	return analysis_coverage(analysis->caches[cache].frees,
				 analysis->caches[cache].missed_frees);
}

static double halve_bytes(double bytes, double missing_percent)
{
	for (; missing_percent >= HALVING; missing_percent -= HALVING)
		bytes /= 2;
	return bytes * (1 - missing_percent / HALVING / 2);
}

struct damage_part {
	uint64_t live_bytes, old_bytes, old;
	uint64_t grown_bytes; /* of the old objects that were allocated in the window */
	double weighted;      /* sum of coverage times live bytes */
	size_t old_count;     /* in the list; old is what they stand for */
	double steady, bytes, grown;
};

static void sort_times(uint64_t *times, size_t count)
{
	size_t sorted = 1;

	while (sorted < count && times[sorted - 1] <= times[sorted])
		sorted++;
	if (sorted < count)
		qsort(times, count, sizeof(*times), compare_u64);
}

/* The objects in caches with full coverage, or the others. */
static void weigh_objects(struct damage_part *part, bool is_full, const struct analysis *analysis,
			  const struct slab_object *const *list, size_t count, uint64_t old_age,
			  uint64_t *times)
{
	uint32_t cache = CACHE_NONE;
	struct object_weight weight;
	double coverage = 0, missing;

	for (size_t i = 0; i < count; i++) {
		if (list[i]->cache != cache) {
			cache = list[i]->cache;
			coverage = damage_coverage(analysis, cache);
		}
		if ((coverage >= FULL) != is_full)
			continue;
		weight = weigh_object(analysis, list[i]);
		part->live_bytes += weight.allocated;
		part->weighted += coverage * (double)weight.allocated;
		if (damage_age(analysis, list[i]) < old_age)
			continue;
		part->old_bytes += weight.allocated;
		part->old += weight.objects;
		if (list[i]->time >= analysis->window_begin)
			part->grown_bytes += weight.allocated;
		times[part->old_count++] = list[i]->time;
	}
	sort_times(times, part->old_count);
	/* an object that was allocated later cannot be old */
	part->steady = trend_steady(times, part->old_count, analysis->window_begin,
				    analysis->window_end - old_age);
	if (!part->live_bytes)
		return;
	missing = FULL - part->weighted / (double)part->live_bytes;
	part->grown = halve_bytes((double)part->grown_bytes, missing);
	part->bytes =
		halve_bytes(halve_bytes((double)part->old_bytes, FULL - part->steady), missing);
}

void damage_find(struct damage *damage, const struct analysis *analysis,
		 const struct slab_object *const *list, size_t count, uint64_t *times)
{
	const struct group *group = &analysis->groups[list[0]->group];
	struct damage_part full = { 0 }, rest = { 0 };
	uint64_t old_age;

	damage->objects = 0;
	for (size_t i = 0; i < count; i++)
		damage->objects += weigh_object(analysis, list[i]).objects;
	old_age = damage_old_age(analysis, group->lifetimes, group->frees, damage->objects);
	weigh_objects(&full, true, analysis, list, count, old_age, times);
	weigh_objects(&rest, false, analysis, list, count, old_age, times);
	damage->old = full.old + rest.old;
	damage->live_bytes = full.live_bytes + rest.live_bytes;
	damage->covered_bytes = full.live_bytes;
	damage->bytes = (uint64_t)(trend_round(full.bytes + rest.bytes) + 0.5);
	damage->grown_bytes = (uint64_t)(trend_round(full.grown + rest.grown) + 0.5);
	damage->steady = full.bytes >= rest.bytes ? full.steady : rest.steady;
	damage->coverage = damage_coverage(analysis, list[0]->cache);
	if (damage->live_bytes)
		damage->coverage =
			trend_round((full.weighted + rest.weighted) / (double)damage->live_bytes);
}
