// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/census.h"

void census_add_slab(struct census_cache *sum, const struct heap_reading *reading,
		     const struct heap_slab *slab)
{
	uint32_t given = slab->objects - heap_slab_free(reading, slab);

	sum->slabs++;
	sum->slab_bytes += slab->bytes;
	if (slab->is_unknown) {
		sum->unknown++;
		sum->unknown_objects += given;
		sum->unknown_bytes += slab->bytes;
	}
	sum->is_unsure |= reading->caches[slab->cache].is_unsure;
	sum->room += slab->objects;
	sum->given += given;
	sum->given_bytes += (uint64_t)given * reading->caches[slab->cache].size;
	for (unsigned int i = 0; i < 3; i++)
		sum->below[i] += !slab->is_unknown &&
				 4 * (uint64_t)given < (i + 1) * (uint64_t)slab->objects;
}

/*
 * The slabs that the objects would fill, if they were moved together. Slabs of which nothing is
 * known stay, as those of KFENCE; most others of a cache have the same size.
 */
static void count_spare(struct census_cache *cache)
{
	uint64_t slabs = cache->slabs - cache->unknown;
	uint64_t room = cache->room - cache->unknown_objects;
	uint64_t given = cache->given - cache->unknown_objects, needed;

	if (!room)
		return;
	needed = (given * slabs + room - 1) / room;
	if (needed < slabs)
		cache->spare_bytes =
			(cache->slab_bytes - cache->unknown_bytes) / slabs * (slabs - needed);
}

void census_add(struct census_cache *sum, const struct census_cache *cache)
{
	sum->given += cache->given;
	sum->given_bytes += cache->given_bytes;
	sum->room += cache->room;
	sum->slabs += cache->slabs;
	sum->slab_bytes += cache->slab_bytes;
	sum->spare_bytes += cache->spare_bytes;
	sum->unknown += cache->unknown;
	sum->unknown_objects += cache->unknown_objects;
	sum->unknown_bytes += cache->unknown_bytes;
	sum->is_unsure |= cache->is_unsure;
	for (unsigned int i = 0; i < 3; i++)
		sum->below[i] += cache->below[i];
}

int census_init(struct census *census, const struct heap_reading *reading)
{
	*census = (struct census){
		.list = calloc(reading->cache_count + 1, sizeof(*census->list)),
		.count = reading->cache_count,
	};
	if (!census->list)
		return -ENOMEM;
	for (size_t i = 0; i < census->count; i++) {
		memcpy(census->list[i].name, reading->caches[i].name, sizeof(census->list[i].name));
		census->list[i].size = reading->caches[i].size;
	}
	for (size_t i = 0; i < reading->slab_count; i++)
		census_add_slab(&census->list[reading->slabs[i].cache], reading,
				&reading->slabs[i]);
	for (size_t i = 0; i < census->count; i++) {
		count_spare(&census->list[i]);
		census_add(&census->all, &census->list[i]);
	}
	return 0;
}

double census_full_percent(const struct census_cache *cache)
{
	return cache->room ? 100 * (double)cache->given / (double)cache->room : 0;
}

void census_deinit(struct census *census)
{
	free(census->list);
	*census = (struct census){ 0 };
}
