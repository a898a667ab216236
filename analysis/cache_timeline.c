// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the caches, which never move, and the addresses that they had over time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/cache_timeline.h"

int cache_timeline_init(struct cache_timeline *timeline, struct caches *caches)
{
	struct cache *list = calloc(CACHE_TIMELINE_MAX, sizeof(*list));

	memset(timeline, 0, sizeof(*timeline));
	if (!list)
		return -ENOMEM;
	free(caches->list);
	caches->list = list;
	caches->count = CACHE_TIMELINE_MAX;
	timeline->caches = caches;
	timeline->generation = 1;
	return hash_map_init(&timeline->addresses);
}

void cache_timeline_deinit(struct cache_timeline *timeline)
{
	hash_map_deinit(&timeline->addresses);
	for (size_t i = 0; i < timeline->history_count; i++)
		free(timeline->histories[i].intervals);
	free(timeline->histories);
	timeline->histories = NULL;
	timeline->history_count = 0;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->object_size == b->object_size && a->size == b->size && !strcmp(a->name, b->name);
}

/* The equal cache in the list, which is added if need be; NULL: the list is full. */
static const struct cache *intern_cache(struct cache_timeline *timeline, const struct cache *cache)
{
	struct cache *list = timeline->caches->list;
	size_t i = 0;

	while (i < timeline->used && !same_cache(&list[i], cache))
		i++;
	if (i < timeline->used)
		return &list[i];
	if (i == CACHE_TIMELINE_MAX)
		return NULL;
	list[i] = *cache;
	list[i].until = CACHE_FOREVER;
	list[i].aliases = caches_find_aliases(timeline->caches, cache->name);
	timeline->used++;
	return &list[i];
}

/* The history of an address, which is added if need be; NULL: no memory. */
static struct address_history *find_history(struct cache_timeline *timeline, uint64_t address)
{
	uint32_t found = hash_map_find(&timeline->addresses, address);
	struct address_history *histories;

	if (found != HASH_MAP_NONE)
		return &timeline->histories[found];
	histories = array_grow(timeline->histories, timeline->history_count, sizeof(*histories));
	if (!histories)
		return NULL;
	timeline->histories = histories;
	if (hash_map_add(&timeline->addresses, address, (uint32_t)timeline->history_count))
		return NULL;
	histories[timeline->history_count] = (struct address_history){ 0 };
	return &histories[timeline->history_count++];
}

/* The cache that is still there. */
static struct cache_interval *find_open(struct address_history *history)
{
	struct cache_interval *last = history->count ? &history->intervals[history->count - 1]
						     : NULL;

	return last && last->until == CACHE_FOREVER ? last : NULL;
}

/* Removes the intervals that no event can refer to any more. */
static void forget_intervals(struct address_history *history, uint64_t watermark)
{
	size_t old = 0;

	while (old < history->count && history->intervals[old].until < watermark)
		old++;
	if (!old)
		return;
	history->count -= old;
	memmove(history->intervals, history->intervals + old,
		history->count * sizeof(*history->intervals));
}

static void report_change(struct cache_timeline *timeline)
{
	timeline->generation++;
	timeline->generation += !timeline->generation;
}

int cache_timeline_add(struct cache_timeline *timeline, const struct cache *cache)
{
	struct address_history *history = find_history(timeline, cache->address);
	struct cache_interval *intervals;
	const struct cache *interned;
	struct cache_interval *open;

	report_change(timeline);
	if (!history)
		return -ENOMEM;
	open = find_open(history);
	interned = intern_cache(timeline, cache);
	if (open && open->cache == interned) {
		/* two CPUs reported it at the same time */
		if (cache->since < open->since)
			open->since = cache->since;
		return 0;
	}
	if (open)
		open->until = cache->since;
	forget_intervals(history, timeline->watermark);
	intervals = array_grow(history->intervals, history->count, sizeof(*intervals));
	if (!intervals)
		return -ENOMEM;
	history->intervals = intervals;
	history->intervals[history->count++] = (struct cache_interval){
		.since = cache->since,
		.until = CACHE_FOREVER,
		.cache = interned,
	};
	return 0;
}

void cache_timeline_end(struct cache_timeline *timeline, uint64_t address, uint64_t time)
{
	uint32_t found = hash_map_find(&timeline->addresses, address);
	struct cache_interval *open =
		found == HASH_MAP_NONE ? NULL : find_open(&timeline->histories[found]);

	report_change(timeline);
	if (open)
		open->until = time;
}

void cache_timeline_set_watermark(struct cache_timeline *timeline, uint64_t time)
{
	timeline->watermark = time;
}

static const struct address_history *search_history(struct cache_timeline *timeline,
						    uint64_t address)
{
	uint64_t hash = address * 0x9e3779b97f4a7c15;
	struct address_memo *memo = &timeline->memos[hash >> (64 - CACHE_TIMELINE_MEMO_BITS)];
	uint32_t found;

	if (memo->address == address && memo->number)
		return &timeline->histories[memo->number - 1];
	found = hash_map_find(&timeline->addresses, address);
	if (found == HASH_MAP_NONE)
		return NULL;
	*memo = (struct address_memo){ address, (size_t)found + 1 };
	return &timeline->histories[found];
}

const struct cache *cache_timeline_find(struct cache_timeline *timeline, uint64_t address,
					uint64_t time, bool *is_known)
{
	const struct address_history *history = search_history(timeline, address);

	*is_known = false;
	if (!history)
		return NULL;
	for (size_t i = 0; i < history->count; i++) {
		const struct cache_interval *interval = &history->intervals[i];
		bool follows = i + 1 < history->count && interval[1].since <= time;

		if (interval->until >= time && !follows) {
			*is_known = true;
			return interval->cache;
		}
	}
	return NULL;
}

const struct cache *cache_timeline_constant(struct cache_timeline *timeline, uint64_t address)
{
	const struct address_history *history = search_history(timeline, address);

	return history && history->count == 1 && history->intervals[0].until == CACHE_FOREVER
		       ? history->intervals[0].cache
		       : NULL;
}
