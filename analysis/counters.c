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

static void add_to_group(struct group *group, const struct delta *delta)
{
	group->initial_objects += delta->initial;
	group->initial_bytes += delta->initial_bytes;
	group->frees += delta->frees;
	group->missed_frees += delta->missed;
	group->failed += delta->failed;
	group->live_objects += delta_live_objects(delta);
	group->live_bytes += delta_live_bytes(delta);
}

static void add_to_cache(struct analysis_cache *cache, const struct delta *delta)
{
	cache->initial_objects += delta->initial;
	cache->initial_bytes += delta->initial_bytes;
	cache->frees += delta->frees;
	cache->missed_frees += delta->missed;
	cache->failed += delta->failed;
	cache->frees_unmatched += delta->unmatched;
	cache->live_objects += delta_live_objects(delta);
	cache->live_bytes += delta_live_bytes(delta);
}

static void add_to_totals(struct analysis_totals *totals, const struct delta *delta)
{
	totals->initial_objects += delta->initial;
	totals->initial_bytes += delta->initial_bytes;
	totals->frees += delta->frees + delta->unmatched;
	totals->frees_unmatched += delta->unmatched;
	totals->missed_frees += delta->missed;
	totals->failed += delta->failed;
	totals->live_objects += delta_live_objects(delta);
	totals->live_bytes += delta_live_bytes(delta);
}

static void add_delta(struct analysis *analysis, const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);

	if (transition->group != GROUP_NONE)
		add_to_group(&analysis->groups[transition->group], &delta);
	if (transition->cache != CACHE_NONE)
		add_to_cache(&analysis->caches[transition->cache], &delta);
	add_to_totals(&analysis->totals, &delta);
}

/* An object of the checkpoint is live from the begin on, and no allocation of this time. */
static int count_initial(struct analysis *analysis, const struct slab_object *object)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[object->group];

	if (group->cache != object->cache)
		group->cache = group->cache == CACHE_NONE ? object->cache : CACHE_SEVERAL;
	if (group->live_bytes > group->peak_bytes)
		group->peak_bytes = group->live_bytes;
	totals->peak_bytes = totals->live_bytes;
	totals->peak_time = analysis->capture->checkpoint.begin;
	if (analysis->peak_heap && peak_heap_allocated(analysis, object, true, false))
		return -ENOMEM;
	return analysis->estimates ? estimates_add_initial(analysis, object) : 0;
}

static int count_missed(struct analysis *analysis, const struct slab_object *object)
{
	if (analysis->peak_heap && peak_heap_ended(analysis, object))
		return -ENOMEM;
	if (analysis->estimates)
		estimates_end(analysis, object);
	return 0;
}

static int count_kind(struct analysis *analysis, const struct transition *transition)
{
	return counters_free_kind(analysis, transition->event, transition->object,
				  transition->no_allocation_between,
				  weigh_object(analysis, transition->object).objects);
}

static int count_free_reassigned(struct analysis *analysis, const struct transition *transition)
{
	uint64_t objects = weigh_object(analysis, transition->object).objects;
	int err = counters_free_kind(analysis, transition->earlier_free, transition->object,
				     transition->earlier_no_allocation_between, -objects);

	return err ? err : count_kind(analysis, transition);
}

/* A krealloc() that does not fit moves the object: its kmalloc() and kfree() are counted. */
static int count_resized(struct analysis *analysis, const struct transition *transition)
{
	const struct select *select = analysis->settings.select;
	const struct slab_object *object = transition->object;
	uint64_t more; /* modulo 2^64, as all below */
	bool is_flow;

	analysis->totals.resizes++;
	if (!object || transition->event->requested > object_usable(analysis, object))
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
	more *= weigh_object(analysis, object).objects;
	analysis->groups[object->group].bytes_requested += more;
	analysis->caches[object->cache].bytes_requested += more;
	analysis->totals.bytes_requested += more;
	return 0;
}

int counters_count_rare(struct analysis *analysis, const struct transition *transition)
{
	add_delta(analysis, transition);
	switch (transition->outcome) {
	case OUTCOME_INITIAL:
		return count_initial(analysis, transition->object);
	case OUTCOME_NO_OBJECT:
		analysis->totals.null_frees++;
		break;
	case OUTCOME_RESIZED:
		return count_resized(analysis, transition);
	case OUTCOME_MISSED:
		return count_missed(analysis, transition->object);
	case OUTCOME_MISSED_FREE_MATCHED:
		return count_kind(analysis, transition);
	case OUTCOME_FREE_REASSIGNED:
		return count_free_reassigned(analysis, transition);
	case OUTCOME_OTHER:
		analysis->totals.process_events++;
		analysis->totals.by_process_kind[transition->event->id]++;
		break;
	case OUTCOME_FAILED:
	case OUTCOME_UNMATCHED:
	case OUTCOME_ALLOCATED:
	case OUTCOME_FREED:
		break;
	}
	return 0;
}
