// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts live bytes by pair, and keeps those of a few times in the windows of triggers. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "base/array.h"
#include "tracer/publish/figures_pairs.h"

void figures_holder_add(struct figures_holder *holders, const char *name, uint64_t bytes,
			bool is_bound)
{
	size_t i = FIGURES_HOLDERS;

	while (i && bytes > holders[i - 1].bytes)
		i--;
	if (i == FIGURES_HOLDERS)
		return;
	memmove(&holders[i + 1], &holders[i], (FIGURES_HOLDERS - 1 - i) * sizeof(*holders));
	strncpy(holders[i].name, name, FIGURES_NAME - 1);
	holders[i].name[FIGURES_NAME - 1] = '\0';
	holders[i].bytes = bytes;
	holders[i].is_bound = is_bound;
}

static void forget_past(struct figures_past *past)
{
	for (size_t i = 0; i < past->count; i++)
		free(past->list[i].live);
	past->count = 0;
}

void figures_pairs_forget(struct figures_pairs *pairs)
{
	for (size_t i = 0; i < TRIGGERS_MAX; i++)
		forget_past(&pairs->past[i]);
}

void figures_pairs_deinit(struct figures_pairs *pairs)
{
	figures_pairs_forget(pairs);
	free(pairs->live);
	free(pairs->missed);
	memset(pairs, 0, sizeof(*pairs));
}

static int note_missed(struct figures_pairs *pairs, uint32_t cache)
{
	bool *missed = pairs->missed;

	if (cache >= pairs->missed_count) {
		missed =
			array_grow_zeroed(missed, &pairs->missed_count, cache + 1, sizeof(*missed));
		if (!missed)
			return -ENOMEM;
		pairs->missed = missed;
	}
	missed[cache] = true;
	return 0;
}

static int add_live_bytes(struct figures_pairs *pairs, size_t pair, uint64_t bytes)
{
	uint64_t *live = pairs->live;

	if (pair >= pairs->count) {
		live = array_grow_zeroed(live, &pairs->count, pair + 1, sizeof(*live));
		if (!live)
			return -ENOMEM;
		pairs->live = live;
	}
	live[pair] += bytes; /* modulo 2^64: a free subtracts */
	return 0;
}

int figures_pairs_take(struct figures_pairs *pairs, const struct analysis *analysis,
		       const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);
	uint64_t bytes = delta_live_bytes(&delta);
	int64_t pair;
	int err = 0;

	if (!pairs->tallies || !delta_live_objects(&delta))
		return 0;
	if (delta.missed && transition->cache < CACHE_SEVERAL)
		err = note_missed(pairs, transition->cache);
	pair = tallies_find(pairs->tallies, transition->group, transition->cache);
	if (err || pair < 0)
		return err ? err : (int)pair;
	return add_live_bytes(pairs, (size_t)pair, bytes);
}

int figures_pairs_add(struct figures_pairs *pairs, const struct tally *tally,
		      const struct tally_count *count)
{
	if (!pairs->tallies)
		return 0;
	return add_live_bytes(pairs, (size_t)(tally - pairs->tallies->list),
			      count->allocated - count->freed);
}

static int remember_present(struct figures_past *past, const struct figures_pairs *pairs,
			    uint64_t now)
{
	struct figures_snapshot *last = &past->list[past->count];

	*last = (struct figures_snapshot){ .time = now, .count = pairs->count };
	last->live = calloc(pairs->count + 1, sizeof(*last->live));
	if (!last->live)
		return -ENOMEM;
	if (pairs->count)
		memcpy(last->live, pairs->live, pairs->count * sizeof(*last->live));
	past->count++;
	return 0;
}

static void drop_oldest(struct figures_past *past)
{
	free(past->list[0].live);
	past->count--;
	memmove(&past->list[0], &past->list[1], past->count * sizeof(past->list[0]));
}

const struct figures_snapshot *figures_pairs_then(struct figures_pairs *pairs, size_t trigger,
						  uint64_t window_ns, uint64_t now, int *err)
{
	struct figures_past *past = &pairs->past[trigger];
	/* with the oldest one, which is before the window, and the newest, there is one to spare */
	uint64_t spacing = window_ns / (FIGURES_SNAPSHOTS - 3);

	*err = 0;
	while (past->count > 1 && past->list[1].time + window_ns <= now)
		drop_oldest(past);
	if (!past->count || now - past->list[past->count - 1].time >= spacing) {
		if (past->count == FIGURES_SNAPSHOTS)
			drop_oldest(past);
		*err = remember_present(past, pairs, now);
	}
	return *err || past->list[0].time == now ? NULL : &past->list[0];
}
