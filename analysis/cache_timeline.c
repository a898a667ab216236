// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps few caches, which never move, and at which addresses they are. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/cache_timeline.h"

int cache_timeline_init(struct cache_timeline *book, struct caches *caches)
{
	struct cache *list = calloc(CACHE_TIMELINE_MAX, sizeof(*list));

	memset(book, 0, sizeof(*book));
	if (!list)
		return -ENOMEM;
	free(caches->list);
	caches->list = list;
	caches->count = CACHE_TIMELINE_MAX;
	book->caches = caches;
	return hash_map_init(&book->addresses);
}

void cache_timeline_deinit(struct cache_timeline *book)
{
	hash_map_deinit(&book->addresses);
	for (size_t i = 0; i < book->place_count; i++)
		free(book->slots[i].stays);
	free(book->slots);
	book->slots = NULL;
	book->place_count = 0;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->object_size == b->object_size && a->size == b->size && !strcmp(a->name, b->name);
}

/* The one in the list that is the same, a new one if need be; NULL: there is no room. */
static const struct cache *enter(struct cache_timeline *book, const struct cache *cache)
{
	struct cache *list = book->caches->list;
	size_t i = 0;

	while (i < book->used && !same_cache(&list[i], cache))
		i++;
	if (i < book->used)
		return &list[i];
	if (i == CACHE_TIMELINE_MAX)
		return NULL;
	list[i] = *cache;
	list[i].until = CACHE_FOREVER;
	list[i].aliases = caches_find_aliases(book->caches, cache->name);
	book->used++;
	return &list[i];
}

/* Where an address has its stays; NULL: no memory. */
static struct address_history *find_place(struct cache_timeline *book, uint64_t address)
{
	uint32_t found = hash_map_find(&book->addresses, address);
	struct address_history *slots;

	if (found != HASH_MAP_NONE)
		return &book->slots[found];
	slots = array_grow(book->slots, book->place_count, sizeof(*slots));
	if (!slots)
		return NULL;
	book->slots = slots;
	if (hash_map_add(&book->addresses, address, (uint32_t)book->place_count))
		return NULL;
	slots[book->place_count] = (struct address_history){ 0 };
	return &slots[book->place_count++];
}

/* The cache that is still there. */
static struct cache_interval *find_open(struct address_history *slot)
{
	struct cache_interval *last = slot->count ? &slot->stays[slot->count - 1] : NULL;

	return last && last->until == CACHE_FOREVER ? last : NULL;
}

/* Drops those that no event can tell of any more. */
static void forget(struct address_history *slot, uint64_t reached)
{
	size_t old = 0;

	while (old < slot->count && slot->stays[old].until < reached)
		old++;
	if (!old)
		return;
	slot->count -= old;
	memmove(slot->stays, slot->stays + old, slot->count * sizeof(*slot->stays));
}

int cache_timeline_add(struct cache_timeline *book, const struct cache *cache)
{
	struct address_history *slot = find_place(book, cache->address);
	struct cache_interval *stays;
	const struct cache *entered;
	struct cache_interval *open;

	if (!slot)
		return -ENOMEM;
	open = find_open(slot);
	entered = enter(book, cache);
	if (open && open->cache == entered) {
		/* two CPUs told of it at once */
		if (cache->since < open->since)
			open->since = cache->since;
		return 0;
	}
	if (open)
		open->until = cache->since;
	forget(slot, book->reached);
	stays = array_grow(slot->stays, slot->count, sizeof(*stays));
	if (!stays)
		return -ENOMEM;
	slot->stays = stays;
	slot->stays[slot->count++] = (struct cache_interval){
		.since = cache->since,
		.until = CACHE_FOREVER,
		.cache = entered,
	};
	return 0;
}

void cache_timeline_end(struct cache_timeline *book, uint64_t address, uint64_t time)
{
	uint32_t found = hash_map_find(&book->addresses, address);
	struct cache_interval *open = found == HASH_MAP_NONE ? NULL
							     : find_open(&book->slots[found]);

	if (open)
		open->until = time;
}

void cache_timeline_set_watermark(struct cache_timeline *book, uint64_t time)
{
	book->reached = time;
}

const struct cache *cache_timeline_find(const struct cache_timeline *book, uint64_t address,
					uint64_t time, bool *told)
{
	uint32_t found = hash_map_find(&book->addresses, address);
	const struct address_history *slot;

	*told = false;
	if (found == HASH_MAP_NONE)
		return NULL;
	slot = &book->slots[found];
	for (size_t i = 0; i < slot->count; i++) {
		const struct cache_interval *stay = &slot->stays[i];
		bool follows = i + 1 < slot->count && stay[1].since <= time;

		if (stay->until >= time && !follows) {
			*told = true;
			return stay->cache;
		}
	}
	return NULL;
}
