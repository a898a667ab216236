// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds one event to what its group, its cache and the whole have, and tells those who watch. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/figures.h"
#include "trace/suspect.h"

/* The sums alone. */

void figures_settle(struct analysis *analysis, struct group *group)
{
	struct group_due due = group->due;
	struct analysis_totals *totals = &analysis->totals;
	uint64_t objects = due.allocations - due.frees; /* modulo 2^64, as all that follows */
	struct analysis_cache *cache;

	if (!due.allocations && !due.frees)
		return;
	cache = &analysis->caches[due.cache];
	group->due = (struct group_due){ .cache = due.cache };
	group->allocations += due.allocations;
	group->frees += due.frees;
	group->bytes_requested += due.requested;
	group->bytes_allocated += due.allocated;
	group->live_objects += objects;
	if (group->cache != due.cache)
		group->cache = group->cache == CACHE_NONE ? due.cache : CACHE_SEVERAL;
	cache->allocations += due.allocations;
	cache->frees += due.frees;
	cache->bytes_requested += due.requested;
	cache->bytes_allocated += due.allocated;
	cache->live_objects += objects;
	cache->live_bytes += due.allocated - due.freed;
	totals->allocations += due.allocations;
	totals->frees += due.frees;
	totals->bytes_requested += due.requested;
	totals->bytes_allocated += due.allocated;
	totals->live_objects += objects;
}

void figures_settle_all(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->group_count; i++)
		figures_settle(analysis, &analysis->groups[i]);
}

static void add_allocated(struct analysis *analysis, uint64_t time, const struct heap_block *block)
{
	struct analysis_totals *totals = &analysis->totals;
	struct group *group = &analysis->groups[block->group];
	struct analysis_cache *cache = &analysis->caches[block->cache];

	group->allocations++;
	group->bytes_requested += block->requested;
	group->bytes_allocated += block->allocated;
	group->live_objects++;
	if (group->cache != block->cache)
		group->cache = group->cache == CACHE_NONE ? block->cache : CACHE_SEVERAL;
	cache->allocations++;
	cache->bytes_requested += block->requested;
	cache->bytes_allocated += block->allocated;
	cache->live_objects++;
	cache->live_bytes += block->allocated;
	totals->allocations++;
	totals->bytes_requested += block->requested;
	totals->bytes_allocated += block->allocated;
	totals->live_objects++;
	figures_raise_live(analysis, group, block->allocated, time);
}

static void forget_live(struct analysis *analysis, struct group *group,
			struct analysis_cache *cache, const struct heap_block *block)
{
	group->live_objects--;
	group->live_bytes -= block->allocated;
	cache->live_objects--;
	cache->live_bytes -= block->allocated;
	analysis->totals.live_objects--;
	analysis->totals.live_bytes -= block->allocated;
}

int figures_add_lifetime(struct group *group, uint64_t ns, uint64_t by)
{
	if (!group->lifetimes)
		group->lifetimes = calloc(1, sizeof(*group->lifetimes));
	if (!group->lifetimes)
		return -ENOMEM;
	group->lifetimes->counts[lifetime_bucket(ns)] += by;
	return 0;
}

/* by: 1, or -1 to take it back. is_last: nothing was allocated on the free's CPU between. */
static int add_free(struct analysis *analysis, struct group *group, struct analysis_cache *cache,
		    const struct event *event, const struct heap_block *block, bool is_last,
		    uint64_t by)
{
	struct analysis_totals *totals = &analysis->totals;

	group->frees += by;
	cache->frees += by;
	totals->frees += by;
	if (block->cpu != event->cpu) {
		group->cross_cpu_frees += by;
		totals->cross_cpu_frees += by;
	} else if (block->task == event->task && is_last) {
		group->temporary += by;
		totals->temporary += by;
	}
	if (!analysis->settings.lifetimes)
		return 0;
	return figures_add_lifetime(group, event->time - block->time, by);
}

/* The sums, and whoever watches is told. */

int figures_tell_all(const struct pass *pass, const struct step *step)
{
	const struct analysis_settings *settings = &pass->analysis->settings;
	int err = 0;

	for (size_t i = 0; i < settings->observer_count && !err; i++)
		err = settings->observers[i].step(settings->observers[i].data, pass->analysis,
						  step);
	return err;
}

/* Of an object of its own: without observers not even the step is put together. */
static inline int tell(const struct pass *pass, enum fate fate, const struct event *event,
		       const struct heap_block *block)
{
	const struct step step = { fate, event, block, block->group, block->cache, NULL };

	return figures_tell_all(pass, &step);
}

static inline bool has_observers(const struct pass *pass)
{
	return pass->analysis->settings.observer_count;
}

int figures_allocated(const struct pass *pass, const struct event *event,
		      const struct heap_block *block)
{
	int err;

	if (has_observers(pass)) {
		err = tell(pass, FATE_ALLOCATED, event, block);
		if (err)
			return err;
	}
	add_allocated(pass->analysis, event ? event->time : block->time, block);
	return 0;
}

static bool is_latest(const struct pass *pass, const struct event *event)
{
	return pass->last_allocation[event->cpu] == event->pointer;
}

int figures_freed(const struct pass *pass, const struct event *event,
		  const struct heap_block *block)
{
	struct analysis *analysis = pass->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	if (has_observers(pass)) {
		err = tell(pass, FATE_FREED, event, block);
		if (err)
			return err;
	}
	group = &analysis->groups[block->group];
	cache = &analysis->caches[block->cache];
	forget_live(analysis, group, cache, block);
	return add_free(analysis, group, cache, event, block, is_latest(pass, event), 1);
}

int figures_found(const struct pass *pass, const struct event *event,
		  const struct heap_block *block, bool is_last)
{
	struct analysis *analysis = pass->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = tell(pass, FATE_FOUND, event, block);
	if (err)
		return err;
	group = &analysis->groups[block->group];
	cache = &analysis->caches[block->cache];
	analysis->totals.missed_frees--;
	group->missed_frees--;
	cache->missed_frees--;
	return add_free(analysis, group, cache, event, block, is_last, 1);
}

int figures_freed_instead(const struct pass *pass, const struct event *event,
			  const struct heap_block *block, const struct event *told, bool was_last)
{
	const struct step step = { FATE_FREED_INSTEAD, event,	     block,
				   block->group,       block->cache, told };
	struct analysis *analysis = pass->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = figures_tell(pass, &step);
	if (err)
		return err;
	group = &analysis->groups[block->group];
	cache = &analysis->caches[block->cache];
	err = add_free(analysis, group, cache, told, block, was_last, (uint64_t)-1);
	if (err)
		return err;
	return add_free(analysis, group, cache, event, block, is_latest(pass, event), 1);
}

int figures_missed(const struct pass *pass, const struct event *event,
		   const struct heap_block *block)
{
	struct analysis *analysis = pass->analysis;
	struct analysis_cache *cache;
	struct group *group;
	int err;

	err = tell(pass, FATE_MISSED, event, block);
	if (err)
		return err;
	group = &analysis->groups[block->group];
	cache = &analysis->caches[block->cache];
	analysis->totals.missed_frees++;
	group->missed_frees++;
	cache->missed_frees++;
	forget_live(analysis, group, cache, block);
	return 0;
}

/* An event of no object that the figures know. */
int figures_other(const struct pass *pass, const struct event *event, enum fate fate,
		  uint32_t cache)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	const struct step step = { fate, event, NULL, GROUP_NONE, cache, NULL };
	int err;

	err = figures_tell(pass, &step);
	if (err)
		return err;
	if (fate == FATE_NO_OBJECT) {
		totals->null_frees++;
		return 0;
	}
	totals->frees++;
	totals->frees_unmatched++;
	if (cache != CACHE_NONE)
		pass->analysis->caches[cache].frees_unmatched++;
	return 0;
}

int figures_failed(struct pass *pass, const struct event *event, uint32_t site, uint32_t cache)
{
	struct analysis *analysis = pass->analysis;
	int64_t group = grouping_group(&pass->grouping, event, site, cache);
	struct step step = { FATE_FAILED, event, NULL, (uint32_t)group, cache, NULL };
	int err;

	if (group < 0)
		return (int)group;
	err = figures_tell(pass, &step);
	if (err)
		return err;
	analysis->groups[group].failed++;
	analysis->caches[cache].failed++;
	analysis->totals.failed++;
	return pass->suspect ? suspect_failure(pass->suspect, event, cache) : 0;
}
