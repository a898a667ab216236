// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An index with linear probing. A place that is given up leaves no tombstone: those behind it move
 * up, so that an index that lives long stays as fast as a new one. What is probed for and moved is
 * 8 bytes; the block is looked at once.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "trace/heap.h"

#define PLACES_FIRST 4096
#define PLACES_MAX ((uint64_t)1 << 32) /* a hash has no more bits */

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
	*heap = (struct heap){ .mask = PLACES_FIRST - 1, .seed = heap_seed() };
	heap->places = calloc(PLACES_FIRST, sizeof(*heap->places));
	return heap->places ? 0 : -ENOMEM;
}

void heap_deinit(struct heap *heap)
{
	for (size_t i = 0; i * HEAP_CHUNK < heap->used; i++)
		free(heap->chunks[i]);
	free(heap->chunks);
	free(heap->places);
	*heap = (struct heap){ 0 };
}

static void put(struct heap *heap, struct heap_place one)
{
	size_t place = one.hash & heap->mask;

	while (heap->places[place].number)
		place = (place + 1) & heap->mask;
	heap->places[place] = one;
}

static int grow(struct heap *heap)
{
	uint64_t places = ((uint64_t)heap->mask + 1) * 2;
	struct heap bigger = *heap;

	bigger.mask = heap->mask * 2 + 1;
	bigger.places = places <= PLACES_MAX && places <= SIZE_MAX / sizeof(*bigger.places)
				? calloc((size_t)places, sizeof(*bigger.places))
				: NULL;
	if (!bigger.places)
		return -ENOMEM;
	for (size_t i = 0; i <= heap->mask; i++)
		if (heap->places[i].number)
			put(&bigger, heap->places[i]);
	free(heap->places);
	*heap = bigger;
	return 0;
}

/* Memory for HEAP_CHUNK blocks more. */
static int add_chunk(struct heap *heap)
{
	size_t index = heap->used / HEAP_CHUNK;
	struct heap_block **chunks = heap->chunks;

	if (!(index & (index - 1))) { /* a power of 2: as many again */
		chunks = reallocarray(chunks, index ? index * 2 : 1, sizeof(*chunks));
		if (!chunks)
			return -ENOMEM;
		heap->chunks = chunks;
	}
	chunks[index] = malloc(HEAP_CHUNK * sizeof(**chunks));
	return chunks[index] ? 0 : -ENOMEM;
}

/* Number of a block that nobody has, + 1; or 0: no memory. */
static uint32_t take_block(struct heap *heap)
{
	uint32_t number = heap->idle;

	if (number) {
		heap->idle = heap_block(heap, number - 1)->group;
		return number;
	}
	if (heap->used % HEAP_CHUNK == 0 && add_chunk(heap))
		return 0;
	return (uint32_t)++heap->used;
}

struct heap_block *heap_add_hashed(struct heap *heap, uint64_t address, uint32_t hash)
{
	struct heap_block *block = heap_find_hashed(heap, address, hash);
	struct heap_place place = { .hash = hash };

	if (block)
		return block;
	/* fuller than five eighths, a search takes too many steps */
	if (heap->count >= heap->mask / 8 * 5 && grow(heap))
		return NULL;
	place.number = take_block(heap);
	if (!place.number)
		return NULL;
	put(heap, place);
	heap->count++;
	block = heap_block(heap, place.number - 1);
	*block = (struct heap_block){ .address = address };
	return block;
}

/* The place that leads to the block, which is there. */
static size_t find_place(const struct heap *heap, const struct heap_block *block)
{
	uint32_t hash = heap_hash(heap->seed, block->address);
	size_t place = hash & heap->mask;

	while (heap->places[place].hash != hash ||
	       heap_block(heap, heap->places[place].number - 1) != block)
		place = (place + 1) & heap->mask;
	return place;
}

void heap_remove(struct heap *heap, struct heap_block *block)
{
	struct heap_place *places = heap->places;
	size_t hole = find_place(heap, block);
	uint32_t number = places[hole].number;

	for (size_t i = (hole + 1) & heap->mask; places[i].number; i = (i + 1) & heap->mask) {
		/* It may move up only if the hole is no further from its home than it is itself. */
		size_t distance = (i - places[i].hash) & heap->mask;

		if (distance >= ((i - hole) & heap->mask)) {
			places[hole] = places[i];
			hole = i;
		}
	}
	places[hole].number = 0;
	block->address = 0; /* whoever still holds it sees that it is not his */
	block->group = heap->idle;
	heap->idle = number;
	heap->count--;
}

struct heap_block *heap_next(const struct heap *heap, size_t *next)
{
	while (*next < heap->used) {
		struct heap_block *block = heap_block(heap, (*next)++);

		if (block->address)
			return block;
	}
	return NULL;
}
