// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The events of each slab cache from the first reading of /proc/slabinfo on: a piece that is read
 * alone compares them with its last reading, as a reader of all pieces does.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/checkpoint_parts.h"
#include "analysis/slab_growth.h"

/* The marks: the reading has a begin and an end. */
enum mark {
	MARK_BEGIN,
	MARK_BEGIN_READ,
	MARK_END,
	MARKS
};

_Static_assert(MARKS <= CACHE_MARKS_MAX, "the analysis has as many marks");

void checkpoint_counts_request(struct analysis_settings *settings, const struct capture *capture)
{
	const struct slabinfo_snapshot *first = slab_growth_first_snapshot(capture);

	if (!first)
		return;
	settings->mark_times[MARK_BEGIN] = first->time;
	settings->mark_times[MARK_BEGIN_READ] = first->until > first->time ? first->until
									   : first->time;
	settings->mark_times[MARK_END] = UINT64_MAX;
	settings->mark_count = MARKS;
}

static struct cache_count count_at(const struct analysis *analysis, enum mark mark, size_t cache)
{
	const struct cache_mark *taken = &analysis->marks[mark];

	return cache < taken->count ? taken->list[cache] : (struct cache_count){ 0 };
}

static int add_cache(struct checkpoint_state *state, const struct analysis *analysis, size_t index)
{
	const struct analysis_cache *cache = &analysis->caches[index];
	const struct cache_count begin = count_at(analysis, MARK_BEGIN, index),
				 read = count_at(analysis, MARK_BEGIN_READ, index),
				 end = count_at(analysis, MARK_END, index);
	struct checkpoint_count count = {
		.allocations = end.allocations - begin.allocations,
		.frees = end.frees - begin.frees,
		.missed_frees = end.missed_frees - begin.missed_frees,
		.meanwhile = read.allocations - begin.allocations + read.frees - begin.frees,
	};

	if (cache->is_large || cache->is_anonymous || (!count.allocations && !count.frees))
		return 0;
	snprintf(count.name, sizeof(count.name), "%s", cache->name);
	return checkpoint_state_add_count(state, &count);
}

int checkpoint_counts_add(struct checkpoint *checkpoint)
{
	const struct checkpoint_state *before = &checkpoint->capture->checkpoint;
	const struct analysis *analysis = checkpoint->analysis;
	struct checkpoint_state *state = &checkpoint->state;
	int err = 0;

	if (analysis->mark_count < MARKS)
		return 0;
	state->nameless_frees = before->nameless_frees + analysis->marks[MARK_END].nameless_frees -
				analysis->marks[MARK_BEGIN].nameless_frees;
	state->anonymous_allocations =
		before->anonymous_allocations + analysis->anonymous_allocations;
	for (size_t i = 0; i < before->count_count && !err; i++)
		err = checkpoint_state_add_count(state, &before->counts[i]);
	for (size_t i = 0; i < analysis->cache_count && !err; i++)
		err = add_cache(state, analysis, i);
	return err;
}
