// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps few caches, which never move, and at which addresses they are. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/escape.h"
#include "trace/cache_book.h"

int cache_book_init(struct cache_book *book, struct caches *caches)
{
	struct cache *list = calloc(CACHE_BOOK_ROOM, sizeof(*list));

	memset(book, 0, sizeof(*book));
	if (!list)
		return -ENOMEM;
	free(caches->list);
	caches->list = list;
	caches->count = CACHE_BOOK_ROOM;
	book->caches = caches;
	return index_init(&book->addresses);
}

void cache_book_deinit(struct cache_book *book)
{
	index_deinit(&book->addresses);
	for (size_t i = 0; i < book->place_count; i++)
		free(book->places[i].stays);
	free(book->places);
	book->places = NULL;
	book->place_count = 0;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->object_size == b->object_size && a->size == b->size && !strcmp(a->name, b->name);
}

/* The one in the list that is the same, a new one if need be; NULL: there is no room. */
static const struct cache *enter(struct cache_book *book, const struct cache *cache)
{
	struct cache *list = book->caches->list;
	size_t i = 0;

	while (i < book->used && !same_cache(&list[i], cache))
		i++;
	if (i < book->used)
		return &list[i];
	if (i == CACHE_BOOK_ROOM)
		return NULL;
	list[i] = *cache;
	list[i].until = CACHE_FOREVER;
	list[i].aliases = caches_find_aliases(book->caches, cache->name);
	book->used++;
	return &list[i];
}

/* Where an address has its stays; NULL: no memory. */
static struct cache_place *find_place(struct cache_book *book, uint64_t address)
{
	uint32_t found = index_find(&book->addresses, address);
	struct cache_place *places;

	if (found != INDEX_NONE)
		return &book->places[found];
	places = list_grow(book->places, book->place_count, sizeof(*places));
	if (!places)
		return NULL;
	book->places = places;
	if (index_add(&book->addresses, address, (uint32_t)book->place_count))
		return NULL;
	places[book->place_count] = (struct cache_place){ 0 };
	return &places[book->place_count++];
}

/* The cache that is still there. */
static struct cache_stay *find_open(struct cache_place *place)
{
	struct cache_stay *last = place->count ? &place->stays[place->count - 1] : NULL;

	return last && last->until == CACHE_FOREVER ? last : NULL;
}

/* Drops those that no event can tell of any more. */
static void forget(struct cache_place *place, uint64_t reached)
{
	size_t old = 0;

	while (old < place->count && place->stays[old].until < reached)
		old++;
	if (!old)
		return;
	place->count -= old;
	memmove(place->stays, place->stays + old, place->count * sizeof(*place->stays));
}

int cache_book_add(struct cache_book *book, const struct cache *cache)
{
	struct cache_place *place = find_place(book, cache->address);
	struct cache_stay *stays;
	const struct cache *entered;
	struct cache_stay *open;

	if (!place)
		return -ENOMEM;
	open = find_open(place);
	entered = enter(book, cache);
	if (open && open->cache == entered) {
		/* two CPUs told of it at once */
		if (cache->since < open->since)
			open->since = cache->since;
		return 0;
	}
	if (open)
		open->until = cache->since;
	forget(place, book->reached);
	stays = list_grow(place->stays, place->count, sizeof(*stays));
	if (!stays)
		return -ENOMEM;
	place->stays = stays;
	place->stays[place->count++] = (struct cache_stay){
		.since = cache->since,
		.until = CACHE_FOREVER,
		.cache = entered,
	};
	return 0;
}

void cache_book_end(struct cache_book *book, uint64_t address, uint64_t time)
{
	uint32_t found = index_find(&book->addresses, address);
	struct cache_stay *open = found == INDEX_NONE ? NULL : find_open(&book->places[found]);

	if (open)
		open->until = time;
}

void cache_book_reach(struct cache_book *book, uint64_t time)
{
	book->reached = time;
}

const struct cache *cache_book_find(const struct cache_book *book, uint64_t address, uint64_t time,
				    bool *told)
{
	uint32_t found = index_find(&book->addresses, address);
	const struct cache_place *place;

	*told = false;
	if (found == INDEX_NONE)
		return NULL;
	place = &book->places[found];
	for (size_t i = 0; i < place->count; i++) {
		const struct cache_stay *stay = &place->stays[i];
		bool follows = i + 1 < place->count && stay[1].since <= time;

		if (stay->until >= time && !follows) {
			*told = true;
			return stay->cache;
		}
	}
	return NULL;
}
