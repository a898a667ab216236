// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Allocations and frees of pairs of a group and a slab cache, by time slice. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "base/array.h"
#include "report/views/span_counts.h"

int span_counts_init(struct span_counts *counts)
{
	return hash_map_init(&counts->index);
}

void span_counts_deinit(struct span_counts *counts)
{
	for (size_t i = 0; i < counts->pair_count; i++)
		free(counts->pairs[i].changes);
	free(counts->pairs);
	hash_map_deinit(&counts->index);
}

static void add_change(struct span_change *to, const struct span_change *from)
{
	to->allocations += from->allocations;
	to->frees += from->frees;
	to->missed += from->missed;
	to->allocated += from->allocated;
	to->freed += from->freed;
}

static void add_slice(struct span_slice *to, const struct span_slice *from)
{
	to->allocations += from->allocations;
	to->frees += from->frees;
	to->unmatched += from->unmatched;
	to->missed += from->missed;
	to->failed += from->failed;
}

/* Most events belong to the last slice; with --older, an event may belong to any. */
static struct span_change *find_change(struct span_pair *pair, uint32_t slice)
{
	size_t at = pair->count;
	struct span_change *list;

	while (at && pair->changes[at - 1].slice > slice)
		at--;
	if (at && pair->changes[at - 1].slice == slice)
		return &pair->changes[at - 1];
	list = array_grow(pair->changes, pair->count, sizeof(*list));
	if (!list)
		return NULL;
	pair->changes = list;
	memmove(&list[at + 1], &list[at], (pair->count - at) * sizeof(*list));
	pair->count++;
	list[at] = (struct span_change){ .slice = slice };
	return &list[at];
}

static struct span_pair *find_pair(struct span_counts *counts, uint32_t group, uint32_t cache)
{
	uint64_t key = (uint64_t)group << 32 | cache;
	uint32_t found = hash_map_find(&counts->index, key);
	struct span_pair *list;

	if (found != HASH_MAP_NONE)
		return &counts->pairs[found];
	list = array_grow(counts->pairs, counts->pair_count, sizeof(*list));
	if (!list)
		return NULL;
	counts->pairs = list;
	if (hash_map_add(&counts->index, key, (uint32_t)counts->pair_count))
		return NULL;
	list += counts->pair_count++;
	*list = (struct span_pair){ .group = group, .cache = cache };
	return list;
}

/* Each two neighbours become one. The list of the changes keeps its memory. */
static void halve_slices(struct span_counts *counts)
{
	for (size_t i = 0; i < counts->pair_count; i++) {
		struct span_pair *pair = &counts->pairs[i];
		size_t kept = 0;

		for (size_t j = 0; j < pair->count; j++) {
			struct span_change *change = &pair->changes[j];

			change->slice /= 2;
			if (kept && pair->changes[kept - 1].slice == change->slice)
				add_change(&pair->changes[kept - 1], change);
			else
				pair->changes[kept++] = *change;
		}
		pair->count = kept;
	}
	for (size_t i = 0; i < SPAN_SLICES_MAX / 2; i++) {
		counts->totals[i] = counts->totals[2 * i];
		add_slice(&counts->totals[i], &counts->totals[2 * i + 1]);
	}
	memset(counts->totals + SPAN_SLICES_MAX / 2, 0,
	       SPAN_SLICES_MAX / 2 * sizeof(counts->totals[0]));
}

void span_counts_merge(struct span_counts *counts)
{
	for (; counts->merged < counts->slices.doublings; counts->merged++)
		halve_slices(counts);
}

static int count_object(struct span_counts *counts, const struct transition *transition,
			const struct delta *delta, uint32_t slice)
{
	struct span_pair *pair = find_pair(counts, transition->group, transition->cache);
	struct span_change *change;

	if (!pair)
		return -ENOMEM;
	if (delta->initial) {
		pair->initial_objects += delta->initial;
		pair->initial_bytes += delta->initial_bytes;
		return 0;
	}
	change = find_change(pair, slice);
	if (!change)
		return -ENOMEM;
	change->allocations += delta->allocations;
	change->frees += delta->frees;
	change->missed += delta->missed;
	change->allocated += delta->allocated;
	change->freed += delta->freed;
	return 0;
}

static void count_total(struct span_slice *slice, const struct delta *delta)
{
	slice->allocations += delta->allocations;
	slice->frees += delta->frees + delta->unmatched;
	slice->unmatched += delta->unmatched;
	slice->missed += delta->missed;
	slice->failed += delta->failed;
}

int span_counts_take(void *data, const struct analysis *analysis,
		     const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);
	struct span_counts *counts = data;
	size_t slice;

	if (!counts->slices.width)
		slices_init_limit(&counts->slices, analysis, SPAN_SLICES_MAX);
	if (delta.initial)
		return count_object(counts, transition, &delta, 0);
	slice = slices_include(&counts->slices, delta_time(analysis, transition));
	span_counts_merge(counts);
	count_total(&counts->totals[slice], &delta);
	if (!(delta.allocations | delta.frees | delta.missed))
		return 0;
	return count_object(counts, transition, &delta, (uint32_t)slice);
}

/* Sets live_most and allocated. Of an event before the begin, the bytes can be below 0 at first. */
static void add_up(struct span_pair *pair)
{
	int64_t live = (int64_t)pair->initial_bytes, most = live;

	pair->allocated = 0;
	for (size_t i = 0; i < pair->count; i++) {
		live += (int64_t)(pair->changes[i].allocated - pair->changes[i].freed);
		pair->allocated += pair->changes[i].allocated;
		if (most < live)
			most = live;
	}
	pair->live_most = (uint64_t)most;
}

static int compare_descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_pairs(const struct span_pair *a, const struct span_pair *b)
{
	int order = compare_descending(b->group, a->group);

	return order ? order : compare_descending(b->cache, a->cache);
}

static int compare_live(const void *left, const void *right)
{
	const struct span_pair *a = left, *b = right;
	int order = compare_descending(a->live_most, b->live_most);

	return order ? order : compare_pairs(a, b);
}

static int compare_allocated(const void *left, const void *right)
{
	const struct span_pair *a = left, *b = right;
	int order = compare_descending(a->allocated, b->allocated);

	return order ? order : compare_pairs(a, b);
}

size_t span_counts_choose(struct span_counts *counts, size_t by_live, size_t most)
{
	size_t count = counts->pair_count;

	for (size_t i = 0; i < count; i++)
		add_up(&counts->pairs[i]);
	if (count)
		qsort(counts->pairs, count, sizeof(*counts->pairs), compare_live);
	if (count > by_live)
		qsort(counts->pairs + by_live, count - by_live, sizeof(*counts->pairs),
		      compare_allocated);
	return count < most ? count : most;
}

int span_pair_add(struct span_pair *sum, const struct span_pair *pair)
{
	sum->initial_objects += pair->initial_objects;
	sum->initial_bytes += pair->initial_bytes;
	for (size_t i = 0; i < pair->count; i++) {
		struct span_change *change = find_change(sum, pair->changes[i].slice);

		if (!change)
			return -ENOMEM;
		add_change(change, &pair->changes[i]);
	}
	return 0;
}
