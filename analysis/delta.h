/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A transition adds a delta to the figures of its group, its cache and all. Only this file knows
 * the effect of an outcome on them. Each counter adds up deltas, by a key of its own.
 */
#ifndef ANALYSIS_DELTA_H
#define ANALYSIS_DELTA_H

#include "analysis/estimate.h"
#include "analysis/model.h"

/*
 * A sampled object counts for several. All sums are modulo 2^64: OUTCOME_MISSED_FREE_MATCHED takes
 * the missed free away that OUTCOME_MISSED has added before.
 */
struct delta {
	uint64_t allocations, initial; /* objects: allocated; live at the begin */
	uint64_t frees, missed;	       /* objects: freed by an event; by an event that was missed */
	uint64_t cross_cpu, temporary; /* of the frees */
	uint64_t failed, unmatched;    /* events */
	uint64_t requested, allocated; /* bytes of the allocations */
	uint64_t debug;		       /* of the allocated: for slab debugging */
	uint64_t initial_bytes;	       /* allocated */
	uint64_t freed;		       /* bytes of frees and of missed frees */
	double variance;	       /* of the estimate of the object's bytes */
};

/* The figures that an object stands for. */
static inline struct object_weight weigh_object(const struct analysis *analysis,
						const struct slab_object *object)
{
	if (analysis->estimates)
		return estimate_object(analysis->estimates, object);
	return (struct object_weight){ 1, object->requested, object->allocated };
}

/*
 * The part of the allocated bytes of a cache's objects that is for slab debugging. The bytes need
 * not be those of whole objects, since the weight of a sampled object is not a whole number.
 */
static inline uint64_t cache_debug_bytes(const struct analysis_cache *cache, uint64_t allocated)
{
	return cache->debug ? allocated / cache->size * cache->debug +
				      allocated % cache->size * cache->debug / cache->size
			    : 0;
}

/* The bytes that the caller of an allocation can use. */
static inline uint32_t object_usable(const struct analysis *analysis,
				     const struct slab_object *object)
{
	return object->allocated -
	       (uint32_t)cache_debug_bytes(&analysis->caches[object->cache], object->allocated);
}

/* ns: when the transition counts. */
static inline uint64_t delta_time(const struct analysis *analysis,
				  const struct transition *transition)
{
	if (transition->outcome == OUTCOME_INITIAL)
		return analysis->capture->checkpoint.begin;
	/* an object that was chosen by its age is counted when it is freed, or at the end */
	return transition->outcome == OUTCOME_ALLOCATED ? transition->object->time
							: transition->event->time;
}

static inline bool delta_is_temporary(const struct slab_object *object, const struct event *free,
				      bool no_allocation_between)
{
	return object->cpu == free->cpu && object->task == free->task && no_allocation_between;
}

/* by: the number of objects; negative, modulo 2^64, it takes an earlier free away. */
static inline void delta_add_kind(struct delta *delta, const struct slab_object *object,
				  const struct event *free, bool no_allocation_between, uint64_t by)
{
	if (object->cpu != free->cpu)
		delta->cross_cpu += by;
	else if (delta_is_temporary(object, free, no_allocation_between))
		delta->temporary += by;
}

/* Without variance, cross_cpu and temporary. */
__attribute__((always_inline)) static inline struct delta
delta_of_outcome(enum outcome outcome, const struct object_weight *weight)
{
	switch (outcome) {
	case OUTCOME_ALLOCATED:
		return (struct delta){ .allocations = weight->objects,
				       .requested = weight->requested,
				       .allocated = weight->allocated };
	case OUTCOME_INITIAL:
		return (struct delta){ .initial = weight->objects,
				       .initial_bytes = weight->allocated };
	case OUTCOME_FREED:
		return (struct delta){ .frees = weight->objects, .freed = weight->allocated };
	case OUTCOME_MISSED:
		return (struct delta){ .missed = weight->objects, .freed = weight->allocated };
	case OUTCOME_MISSED_FREE_MATCHED:
		return (struct delta){ .missed = -weight->objects, .frees = weight->objects };
	case OUTCOME_FAILED:
		return (struct delta){ .failed = 1 };
	case OUTCOME_UNMATCHED:
		return (struct delta){ .unmatched = 1 };
	case OUTCOME_FREE_REASSIGNED:
	case OUTCOME_NO_OBJECT:
	case OUTCOME_RESIZED:
	case OUTCOME_OTHER:
		break;
	}
	return (struct delta){ 0 };
}

__attribute__((always_inline)) static inline struct delta
delta_of(const struct analysis *analysis, const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct object_weight weight = { 0 };
	struct delta delta;

	if (object)
		weight = weigh_object(analysis, object);
	delta = delta_of_outcome(transition->outcome, &weight);
	if (delta.allocated && object->cache < analysis->cache_count)
		delta.debug = cache_debug_bytes(&analysis->caches[object->cache], delta.allocated);
	if (transition->outcome == OUTCOME_FREE_REASSIGNED)
		delta_add_kind(&delta, object, transition->earlier_free,
			       transition->earlier_no_allocation_between, -weight.objects);
	if (delta.frees || transition->outcome == OUTCOME_FREE_REASSIGNED)
		delta_add_kind(&delta, object, transition->event, transition->no_allocation_between,
			       weight.objects);
	if (object && analysis->estimates)
		delta.variance = estimate_bytes_variance(analysis->estimates, object);
	return delta;
}

/* The change of the live objects, and of their bytes. */
static inline uint64_t delta_live_objects(const struct delta *delta)
{
	return delta->initial + delta->allocations - delta->frees - delta->missed;
}

static inline uint64_t delta_live_bytes(const struct delta *delta)
{
	return delta->initial_bytes + delta->allocated - delta->freed;
}

#endif
