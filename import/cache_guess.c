// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Caches by name and sizes, and what each object that lives is of. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/cache_guess.h"
#include "kernel/caches.h"
#include "base/array.h"

/* Only the capture's own table gives them a meaning; they are right where words have 32 bits. */
#define CACHE_BASE 0x10000
#define CACHE_STEP 256
#define NAMELESS "" /* stands for the name of what has sizes only: never told */

int objects_init(struct cache_guesses *objects)
{
	int err;

	memset(objects, 0, sizeof(*objects));
	err = names_init(&objects->names);
	return err ? err : hash_map_init(&objects->index);
}

void objects_deinit(struct cache_guesses *objects)
{
	names_deinit(&objects->names);
	hash_map_deinit(&objects->index);
	free(objects->newest);
	free(objects->caches);
	free(objects->live);
	objects->newest = NULL;
	objects->caches = NULL;
	objects->live = NULL;
	objects->cache_count = 0;
}

static uint64_t address_of(uint32_t cache)
{
	return CACHE_BASE + (uint64_t)cache * CACHE_STEP;
}

/* The place that says what lies at pointer; NULL: no memory. */
static uint32_t *live_place(struct cache_guesses *objects, uint64_t pointer)
{
	uint32_t number = hash_map_find(&objects->index, pointer);
	uint32_t *live;

	if (number != HASH_MAP_NONE)
		return &objects->live[number];
	number = (uint32_t)objects->index.count;
	live = array_grow(objects->live, number, sizeof(*live));
	if (!live)
		return NULL;
	objects->live = live;
	live[number] = 0;
	return hash_map_add(&objects->index, pointer, number) ? NULL : &live[number];
}

/* The number of the name, with a place in newest. */
static int64_t add_name(struct cache_guesses *objects, const char *text)
{
	size_t count = objects->names.count;
	int64_t number = names_add(&objects->names, text);
	uint32_t *newest;

	if (number < 0 || (size_t)number < count)
		return number;
	newest = array_grow(objects->newest, count, sizeof(*newest));
	if (!newest)
		return -ENOMEM;
	objects->newest = newest;
	newest[count] = HASH_MAP_NONE;
	return number;
}

static int64_t add_cache(struct cache_guesses *objects, uint32_t name)
{
	struct object_cache *caches =
		array_grow(objects->caches, objects->cache_count, sizeof(*caches));

	if (!caches)
		return -ENOMEM;
	objects->caches = caches;
	caches[objects->cache_count] =
		(struct object_cache){ .name = name, .next = objects->newest[name] };
	objects->newest[name] = (uint32_t)objects->cache_count;
	return (int64_t)objects->cache_count++;
}

/* The number of a cache of the name; sizes: that it must have, NULL: of the newest. Or -ENOMEM. */
static int64_t need_cache(struct cache_guesses *objects, const char *name,
			  const struct object_cache *sizes)
{
	int64_t number = add_name(objects, name), found;
	struct object_cache *one = NULL;

	if (number < 0)
		return -ENOMEM;
	for (found = objects->newest[number]; found != HASH_MAP_NONE; found = one->next) {
		one = &objects->caches[found];
		if (!sizes || !one->sized ||
		    (one->requested == sizes->requested && one->allocated == sizes->allocated))
			break;
	}
	if (found == HASH_MAP_NONE)
		found = add_cache(objects, (uint32_t)number);
	if (found < 0 || !sizes)
		return found;
	one = &objects->caches[found];
	one->requested = sizes->requested;
	one->allocated = sizes->allocated;
	one->sized = true;
	return found;
}

int objects_alloc(struct cache_guesses *objects, uint64_t pointer, const char *name,
		  uint32_t requested, uint32_t allocated, uint64_t *cache)
{
	struct object_cache sizes = { .requested = requested, .allocated = allocated };
	int64_t found = need_cache(objects, name ? name : NAMELESS, &sizes);
	uint32_t *place = found < 0 ? NULL : live_place(objects, pointer);

	if (!place)
		return -ENOMEM;
	*place = (uint32_t)found + 1;
	*cache = name ? address_of((uint32_t)found) : 0;
	return 0;
}

int objects_free(struct cache_guesses *objects, uint64_t pointer, const char *name, uint64_t *cache)
{
	uint32_t *place = live_place(objects, pointer);
	struct object_cache was = { 0 };
	int64_t found = -1;
	const char *known = NULL;

	*cache = 0;
	if (!place)
		return -ENOMEM;
	if (*place) {
		found = *place - 1;
		was = objects->caches[found];
		known = objects->names.list[was.name].text;
	}
	*place = 0;
	if (!name)
		return 0;
	if (!known || strcmp(known, name))
		found = need_cache(objects, name, known && !*known ? &was : NULL);
	if (found < 0)
		return -ENOMEM;
	*cache = address_of((uint32_t)found);
	return 0;
}

void objects_forget(struct cache_guesses *objects, uint64_t pointer)
{
	uint32_t number = hash_map_find(&objects->index, pointer);

	if (number != HASH_MAP_NONE)
		objects->live[number] = 0;
}

int objects_write_caches(const struct cache_guesses *objects, uint64_t since, FILE *file)
{
	int err = 0;

	for (size_t i = 0; i < objects->cache_count && !err; i++) {
		const struct object_cache *one = &objects->caches[i];
		struct cache cache = {
			.address = address_of((uint32_t)i),
			.since = since,
			.object_size = one->requested,
			.size = one->allocated,
		};

		snprintf(cache.name, sizeof(cache.name), "%s", objects->names.list[one->name].text);
		if (strcmp(cache.name, NAMELESS))
			err = caches_write_cache(file, &cache);
	}
	return err;
}
