// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the cache of each object by name and sizes, and remembers it while the object is live. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/import/cache_guess.h"
#include "kernel/caches.h"

/* Invented addresses, which fit 32 bits. The table of caches in the capture gives their names. */
#define CACHE_BASE 0x10000
#define CACHE_STEP 256
#define ANONYMOUS "" /* the name of caches that are known by sizes only; it is not written */

int cache_guesses_init(struct cache_guesses *guesses)
{
	int err;

	memset(guesses, 0, sizeof(*guesses));
	err = texts_init(&guesses->names);
	return err ? err : hash_map_init(&guesses->index);
}

void cache_guesses_deinit(struct cache_guesses *guesses)
{
	texts_deinit(&guesses->names);
	hash_map_deinit(&guesses->index);
	free(guesses->newest);
	free(guesses->caches);
	free(guesses->live);
	guesses->newest = NULL;
	guesses->caches = NULL;
	guesses->live = NULL;
	guesses->cache_count = 0;
}

static uint64_t address_of(uint32_t cache)
{
	return CACHE_BASE + (uint64_t)cache * CACHE_STEP;
}

/* The slot in live of the object at the pointer; NULL: no memory. */
static uint32_t *live_slot(struct cache_guesses *guesses, uint64_t pointer)
{
	uint32_t number = hash_map_find(&guesses->index, pointer);
	uint32_t *live;

	if (number != HASH_MAP_NONE)
		return &guesses->live[number];
	number = (uint32_t)guesses->index.count;
	live = array_grow(guesses->live, number, sizeof(*live));
	if (!live)
		return NULL;
	guesses->live = live;
	live[number] = 0;
	return hash_map_add(&guesses->index, pointer, number) ? NULL : &live[number];
}

/* The number of the name, which has an entry in newest; 0: no memory. */
static uint32_t add_guessed_name(struct cache_guesses *guesses, const char *text)
{
	size_t count = guesses->names.count;
	uint32_t number = texts_add(&guesses->names, text), *newest;

	if (number < count)
		return number;
	newest = array_grow(guesses->newest, count, sizeof(*newest));
	if (!newest)
		return 0;
	guesses->newest = newest;
	newest[count] = HASH_MAP_NONE;
	return number;
}

static int64_t add_cache(struct cache_guesses *guesses, uint32_t name)
{
	struct guessed_cache *caches =
		array_grow(guesses->caches, guesses->cache_count, sizeof(*caches));

	if (!caches)
		return -ENOMEM;
	guesses->caches = caches;
	caches[guesses->cache_count] =
		(struct guessed_cache){ .name = name, .next = guesses->newest[name] };
	guesses->newest[name] = (uint32_t)guesses->cache_count;
	return (int64_t)guesses->cache_count++;
}

/*
 * Finds or adds a cache of the name: with these sizes, or the newest one if sizes is NULL. Its
 * number, or -ENOMEM.
 */
static int64_t find_cache(struct cache_guesses *guesses, const char *name,
			  const struct guessed_cache *sizes)
{
	uint32_t number = add_guessed_name(guesses, name);
	struct guessed_cache *one = NULL;
	int64_t found;

	if (!number)
		return -ENOMEM;
	for (found = guesses->newest[number]; found != HASH_MAP_NONE; found = one->next) {
		one = &guesses->caches[found];
		if (!sizes || !one->sized ||
		    (one->requested == sizes->requested && one->allocated == sizes->allocated))
			break;
	}
	if (found == HASH_MAP_NONE)
		found = add_cache(guesses, number);
	if (found < 0 || !sizes)
		return found;
	one = &guesses->caches[found];
	one->requested = sizes->requested;
	one->allocated = sizes->allocated;
	one->sized = true;
	return found;
}

int cache_guesses_alloc(struct cache_guesses *guesses, uint64_t pointer, const char *name,
			uint32_t requested, uint32_t allocated, uint64_t *cache)
{
	struct guessed_cache sizes = { .requested = requested, .allocated = allocated };
	int64_t found = find_cache(guesses, name ? name : ANONYMOUS, &sizes);
	uint32_t *slot = found < 0 ? NULL : live_slot(guesses, pointer);

	if (!slot)
		return -ENOMEM;
	*slot = (uint32_t)found + 1;
	*cache = name ? address_of((uint32_t)found) : 0;
	return 0;
}

int cache_guesses_free(struct cache_guesses *guesses, uint64_t pointer, const char *name,
		       uint64_t *cache)
{
	uint32_t *slot = live_slot(guesses, pointer);
	struct guessed_cache was = { 0 };
	int64_t found = -1;
	const char *known = NULL;

	*cache = 0;
	if (!slot)
		return -ENOMEM;
	if (*slot) {
		found = *slot - 1;
		was = guesses->caches[found];
		known = texts_get(&guesses->names, was.name);
	}
	*slot = 0;
	if (!name)
		return 0;
	if (!known || strcmp(known, name))
		found = find_cache(guesses, name, known && !*known ? &was : NULL);
	if (found < 0)
		return -ENOMEM;
	*cache = address_of((uint32_t)found);
	return 0;
}

void cache_guesses_forget(struct cache_guesses *guesses, uint64_t pointer)
{
	uint32_t number = hash_map_find(&guesses->index, pointer);

	if (number != HASH_MAP_NONE)
		guesses->live[number] = 0;
}

int cache_guesses_write(const struct cache_guesses *guesses, uint64_t since, FILE *file)
{
	int err = 0;

	for (size_t i = 0; i < guesses->cache_count && !err; i++) {
		const struct guessed_cache *one = &guesses->caches[i];
		struct cache cache = {
			.address = address_of((uint32_t)i),
			.since = since,
			.object_size = one->requested,
			.size = one->allocated,
		};

		snprintf(cache.name, sizeof(cache.name), "%s",
			 texts_get(&guesses->names, one->name));
		if (strcmp(cache.name, ANONYMOUS))
			err = caches_write_cache(file, &cache);
	}
	return err;
}
