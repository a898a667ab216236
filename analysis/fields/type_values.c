// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The statistics of the type of an event, just after it. The analysis counts them anyway. */
#include "config.h"

#include "analysis/fields/values.h"

/* An observer gets an event before the counters do: the event is added here. */
struct type_counts {
	bool known;
	uint64_t allocations, frees;	 /* objects */
	uint64_t bytes_allocated, freed; /* bytes */
};

static struct type_counts counts_after(const struct value_source *source,
				       const struct transition *transition)
{
	const struct analysis *analysis = source->analysis;
	const struct analysis_cache *cache;
	struct type_counts counts;

	if (transition->cache >= analysis->cache_count)
		return (struct type_counts){ 0 };
	cache = &analysis->caches[transition->cache];
	counts = (struct type_counts){
		.known = true,
		.allocations = cache->allocations,
		.frees = cache->initial_objects + cache->allocations - cache->live_objects,
		.bytes_allocated = cache->bytes_allocated,
		.freed = cache->initial_bytes + cache->bytes_allocated - cache->live_bytes,
	};
	if (transition->outcome == OUTCOME_ALLOCATED) {
		counts.allocations++;
		counts.bytes_allocated += transition->object->allocated;
	} else if (transition->outcome == OUTCOME_FREED) {
		counts.frees++;
		counts.freed += transition->object->allocated;
	}
	return counts;
}

static struct value objects_value(const struct type_counts *counts, uint64_t number)
{
	return counts->known ? value_of((int64_t)number) : value_unknown();
}

/* The size of a cache that the capture does not name is not known. */
static struct value bytes_value(const struct type_counts *counts, uint64_t number)
{
	return counts->allocations && !counts->bytes_allocated ? value_unknown()
							       : objects_value(counts, number);
}

#define GETTER(field, unit, number)                                                 \
	struct value value_get_##field(struct value_source *source,                 \
				       const struct transition *transition)         \
	{                                                                           \
		const struct type_counts counts = counts_after(source, transition); \
                                                                                    \
		return unit(&counts, number);                                       \
	}

GETTER(type_numallocs, objects_value, counts.allocations)
GETTER(type_numfrees, objects_value, counts.frees)
GETTER(type_memalloced, bytes_value, counts.bytes_allocated)
GETTER(type_memfreed, bytes_value, counts.freed)
GETTER(type_count, objects_value, counts.allocations - counts.frees)
GETTER(type_bytes, bytes_value, counts.bytes_allocated - counts.freed)
