// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Objects in one table with linear probing. A block that is removed leaves no tombstone: those
 * behind it move up, so that a table that lives long stays as fast as a new one.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "trace/heap.h"

#define PLACES_FIRST 4096

uint64_t heap_seed(void)
{
	uint64_t seed = 0xbf58476d1ce4e5b9;

	/* Short of random bytes the table is as right, only not safe from contrived addresses. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed ^= (uintptr_t)&seed;
	return seed;
}

int heap_init(struct heap *heap)
{
	heap->places = calloc(PLACES_FIRST, sizeof(*heap->places));
	heap->mask = PLACES_FIRST - 1;
	heap->count = 0;
	heap->seed = heap_seed();
	return heap->places ? 0 : -ENOMEM;
}

void heap_deinit(struct heap *heap)
{
	free(heap->places);
	heap->places = NULL;
}

static size_t home(const struct heap *heap, uint64_t address)
{
	return (size_t)heap_hash(heap->seed, address) & heap->mask;
}

void heap_prefetch(const struct heap *heap, uint64_t address)
{
	__builtin_prefetch(&heap->places[home(heap, address)], 1);
}

/* The place of address, or the empty one where it would go. */
static struct heap_block *find(const struct heap *heap, uint64_t address)
{
	size_t place = home(heap, address);

	while (heap->places[place].address && heap->places[place].address != address)
		place = (place + 1) & heap->mask;
	return &heap->places[place];
}

static int grow(struct heap *heap)
{
	struct heap bigger = { .mask = heap->mask * 2 + 1,
			       .count = heap->count,
			       .seed = heap->seed };

	bigger.places = calloc(bigger.mask + 1, sizeof(*bigger.places));
	if (!bigger.places)
		return -ENOMEM;
	for (size_t i = 0; i <= heap->mask; i++)
		if (heap->places[i].address)
			*find(&bigger, heap->places[i].address) = heap->places[i];
	free(heap->places);
	*heap = bigger;
	return 0;
}

struct heap_block *heap_find(const struct heap *heap, uint64_t address)
{
	struct heap_block *place = find(heap, address);

	return place->address ? place : NULL;
}

struct heap_block *heap_add(struct heap *heap, uint64_t address)
{
	struct heap_block *place = find(heap, address);

	if (place->address)
		return place;
	/* fuller than five eighths, a search takes too many steps */
	if (heap->count >= heap->mask / 8 * 5) {
		if (grow(heap))
			return NULL;
		place = find(heap, address);
	}
	*place = (struct heap_block){ .address = address };
	heap->count++;
	return place;
}

void heap_remove(struct heap *heap, struct heap_block *block)
{
	struct heap_block *places = heap->places;
	size_t hole = block - places;

	for (size_t i = (hole + 1) & heap->mask; places[i].address; i = (i + 1) & heap->mask) {
		/* It may move up only if the hole is no further from its home than it is itself. */
		size_t distance = (i - home(heap, places[i].address)) & heap->mask;

		if (distance >= ((i - hole) & heap->mask)) {
			places[hole] = places[i];
			hole = i;
		}
	}
	places[hole].address = 0;
	heap->count--;
}

const struct heap_block *heap_next(const struct heap *heap, const struct heap_block *block)
{
	size_t i = block ? (size_t)(block - heap->places) + 1 : 0;

	for (; heap->places && i <= heap->mask; i++)
		if (heap->places[i].address)
			return &heap->places[i];
	return NULL;
}
