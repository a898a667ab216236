// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Flushes pending counters, and counts the transitions that are rare. */
#include "config.h"

#include "analysis/counters.h"
#include "analysis/select.h"

void counters_flush(struct analysis *analysis, struct group *group)
{
	if (group->pending.allocations || group->pending.frees)
		counters_add(analysis, group, &group->pending);
	group->pending = (struct pending_counters){ 0 };
}

void counters_flush_all(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->group_count; i++)
		counters_flush(analysis, &analysis->groups[i]);
}

/* An object of the checkpoint is live from the begin on, and no allocation of this time. */
static int count_initial(struct analysis *analysis, const struct slab_object *object)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];
	struct analysis_cache *cache = &analysis->caches[object->cache];
	const struct object_weight weight = counters_weight(analysis, object, false);

	if (group->cache != object->cache)
		group->cache = group->cache == CACHE_NONE ? object->cache : CACHE_SEVERAL;
	group->initial_objects += weight.objects;
	group->initial_bytes += weight.allocated;
	group->live_objects += weight.objects;
	group->live_bytes += weight.allocated;
	if (group->live_bytes > group->peak_bytes)
		group->peak_bytes = group->live_bytes;
	cache->initial_objects += weight.objects;
	cache->initial_bytes += weight.allocated;
	cache->live_objects += weight.objects;
	cache->live_bytes += weight.allocated;
	totals->initial_objects += weight.objects;
	totals->initial_bytes += weight.allocated;
	totals->live_objects += weight.objects;
	totals->live_bytes += weight.allocated;
	totals->peak_bytes = totals->live_bytes;
	totals->peak_time = analysis->capture->checkpoint.begin;
	if (analysis->peak_heap && peak_heap_allocated(analysis, object, true, false))
		return -ENOMEM;
	return analysis->estimates ? estimates_add_initial(analysis, object) : 0;
}

static void count_failed(struct analysis *analysis, const struct transition *transition)
{
	analysis->groups[transition->group].failed++;
	analysis->caches[transition->cache].failed++;
	analysis->totals.failed++;
}

static void count_unmatched(struct analysis *analysis, const struct transition *transition)
{
	analysis->totals.frees++;
	analysis->totals.frees_unmatched++;
	if (transition->cache != CACHE_NONE)
		analysis->caches[transition->cache].frees_unmatched++;
}

static int count_missed(struct analysis *analysis, const struct slab_object *object)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];
	struct analysis_cache *cache = &analysis->caches[object->cache];
	const struct object_weight weight = counters_weight(analysis, object, false);

	if (analysis->peak_heap && peak_heap_ended(analysis, object))
		return -ENOMEM;
	totals->missed_frees += weight.objects;
	totals->live_objects -= weight.objects;
	totals->live_bytes -= weight.allocated;
	group->missed_frees += weight.objects;
	group->live_objects -= weight.objects;
	group->live_bytes -= weight.allocated;
	cache->missed_frees += weight.objects;
	cache->live_objects -= weight.objects;
	cache->live_bytes -= weight.allocated;
	if (analysis->estimates)
		estimates_end(analysis, object);
	return 0;
}

/* Turns a missed free into a free: the object is not live in either case. */
static int count_missed_free_matched(struct analysis *analysis, const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct group *group = &analysis->groups[object->group];
	struct analysis_cache *cache = &analysis->caches[object->cache];
	uint64_t objects = counters_weight(analysis, object, false).objects;

	analysis->totals.missed_frees -= objects;
	analysis->totals.frees += objects;
	group->missed_frees -= objects;
	group->frees += objects;
	cache->missed_frees -= objects;
	cache->frees += objects;
	return counters_free_kind(analysis, transition->event, object,
				  transition->no_allocation_between, objects);
}

static int count_free_reassigned(struct analysis *analysis, const struct transition *transition)
{
	uint64_t objects = counters_weight(analysis, transition->object, false).objects;
	int err = counters_free_kind(analysis, transition->earlier_free, transition->object,
				     transition->earlier_no_allocation_between, -objects);

	return err ? err
		   : counters_free_kind(analysis, transition->event, transition->object,
					transition->no_allocation_between, objects);
}

/* A krealloc() that does not fit moves the object: its kmalloc() and kfree() are counted. */
static int count_resized(struct analysis *analysis, const struct transition *transition)
{
	const struct select *select = analysis->settings.select;
	const struct slab_object *object = transition->object;
	uint64_t more; /* modulo 2^64, as all below */
	bool is_flow;

	analysis->totals.resizes++;
	if (!object || transition->event->requested > object->allocated)
		return 0;
	/* with select.older, the object is counted at its end, with its last size */
	if (select && select->older)
		return 0;
	/* the bytes of an initial object are in no flow */
	is_flow = object->time >= analysis->capture->checkpoint.begin;
	if (analysis->peak_heap &&
	    peak_heap_resize(analysis, object, transition->event->requested, is_flow))
		return -ENOMEM;
	if (!is_flow)
		return 0;
	/* it fits now */
	if (object->requested > object->allocated)
		analysis->totals.bytes_short -= (uint64_t)object->requested - object->allocated;
	more = (uint64_t)transition->event->requested - object->requested;
	more *= counters_weight(analysis, object, false).objects;
	analysis->groups[object->group].bytes_requested += more;
	analysis->caches[object->cache].bytes_requested += more;
	analysis->totals.bytes_requested += more;
	return 0;
}

int counters_count_rare(struct analysis *analysis, const struct transition *transition)
{
	switch (transition->outcome) {
	case OUTCOME_INITIAL:
		return count_initial(analysis, transition->object);
	case OUTCOME_FAILED:
		count_failed(analysis, transition);
		break;
	case OUTCOME_UNMATCHED:
		count_unmatched(analysis, transition);
		break;
	case OUTCOME_NO_OBJECT:
		analysis->totals.null_frees++;
		break;
	case OUTCOME_RESIZED:
		return count_resized(analysis, transition);
	case OUTCOME_MISSED:
		return count_missed(analysis, transition->object);
	case OUTCOME_MISSED_FREE_MATCHED:
		return count_missed_free_matched(analysis, transition);
	case OUTCOME_FREE_REASSIGNED:
		return count_free_reassigned(analysis, transition);
	case OUTCOME_ALLOCATED:
	case OUTCOME_FREED:
		break; /* counters_count() */
	case OUTCOME_OTHER:
		analysis->totals.process_events++;
		analysis->totals.by_process_kind[transition->event->id]++;
		break;
	}
	return 0;
}
