// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds transitions and tallies to pairs. A transition counts for the task of its object, too. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "base/array.h"
#include "live/stats/details.h"

int details_init(struct details *details, const struct capture *capture, struct tallies *tallies)
{
	int err;

	memset(details, 0, sizeof(*details));
	details->capture = capture;
	details->tallies = tallies;
	tallies->with_lifetimes = true;
	err = task_tallies_init(&details->tasks);
	if (!err)
		err = details_tables_init(details);
	if (!err)
		err = hash_map_init(&details->cgroups.by_id);
	details->with_stacks = capture->status.sampling.interval;
	if (!err && details->with_stacks)
		err = details_stacks_init(&details->stacks);
	if (err)
		details_deinit(details);
	return err;
}

void details_deinit(struct details *details)
{
	for (size_t i = 0; i < details->site_count; i++)
		free(details->sites[i]);
	free(details->sites);
	free(details->pairs);
	task_tallies_deinit(&details->tasks);
	details_tables_deinit(details);
	details_cgroups_deinit(&details->cgroups);
	details_scan_deinit(&details->scan);
	details_stacks_deinit(&details->stacks);
	memset(details, 0, sizeof(*details));
}

static struct details_pair *get_pair(struct details *details, size_t index)
{
	struct details_pair *pairs;

	if (index >= details->pair_count) {
		pairs = array_grow_zeroed(details->pairs, &details->pair_count, index + 1,
					  sizeof(*pairs));
		if (!pairs)
			return NULL;
		details->pairs = pairs;
	}
	return &details->pairs[index];
}

int details_on_transition(void *data, const struct analysis *analysis,
			  const struct transition *transition)
{
	struct details *details = data;
	const struct slab_object *object = transition->object;
	struct details_pair *pair;
	struct delta delta;
	int64_t tally;
	int err;

	if (transition->outcome != OUTCOME_ALLOCATED && transition->outcome != OUTCOME_FREED &&
	    transition->outcome != OUTCOME_MISSED)
		return 0;
	if (details->only_stacks || object->flags & OBJECT_SAMPLED) {
		err = details_stacks_on_transition(&details->stacks, analysis->sample, transition);
		if (err || details->only_stacks)
			return err;
	}
	tally = tallies_find(details->tallies, object->group, object->cache);
	pair = tally < 0 ? NULL : get_pair(details, (size_t)tally);
	if (!pair)
		return -ENOMEM;
	delta = delta_of(analysis, transition);
	pair->counts.allocations += delta.allocations;
	pair->counts.allocated += delta.allocated;
	pair->counts.frees += delta.frees + delta.missed;
	pair->counts.freed += delta.freed;
	if (delta.allocations) {
		task_tallies_allocated(&details->tasks, object);
		return 0;
	}
	task_tallies_freed(&details->tasks, object);
	/* the time of a missed free is not known */
	if (delta.frees)
		pair->lifetimes[tally_lifetime_class(transition->event->time - object->time)]++;
	return 0;
}

int details_add_tally(struct details *details, const struct tally *tally,
		      const struct tally_count *count)
{
	size_t index = (size_t)(tally - details->tallies->list);
	struct details_pair *pair = get_pair(details, index);
	struct tally_lifetimes *lifetimes = &details->tallies->lifetimes[index];

	if (!pair)
		return -ENOMEM;
	pair->counts.allocations += count->allocations;
	pair->counts.frees += count->frees;
	pair->counts.allocated += count->allocated;
	pair->counts.freed += count->freed;
	for (size_t i = 0; count->frees && i < TALLY_LIFETIMES; i++) {
		pair->lifetimes[i] += lifetimes->counts[i];
		lifetimes->counts[i] = 0;
	}
	return 0;
}

void details_symbols_changed(struct details *details)
{
	for (size_t i = 0; i < details->site_count; i++) {
		if (!details->sites[i] || strncmp(details->sites[i], "0x", 2) != 0)
			continue;
		free(details->sites[i]);
		details->sites[i] = NULL;
	}
	if (details->with_stacks)
		details_stacks_symbols_changed(&details->stacks);
}
