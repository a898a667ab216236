// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open addressing with linear probing; nothing is ever taken out. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/heap.h"
#include "trace/index.h"

#define PLACES_FIRST 1024

int index_init(struct index *index)
{
	index->places = calloc(PLACES_FIRST, sizeof(*index->places));
	index->mask = PLACES_FIRST - 1;
	index->count = 0;
	index->seed = heap_seed();
	return index->places ? 0 : -ENOMEM;
}

void index_deinit(struct index *index)
{
	free(index->places);
	index->places = NULL;
}

static struct index_entry *find(const struct index *index, uint64_t key)
{
	size_t place = (size_t)heap_hash(index->seed, key) & index->mask;

	while (index->places[place].number && index->places[place].key != key)
		place = (place + 1) & index->mask;
	return &index->places[place];
}

uint32_t index_find(const struct index *index, uint64_t key)
{
	return find(index, key)->number - 1;
}

static int grow(struct index *index)
{
	struct index bigger = { .mask = index->mask * 2 + 1,
				.count = index->count,
				.seed = index->seed };

	bigger.places = calloc(bigger.mask + 1, sizeof(*bigger.places));
	if (!bigger.places)
		return -ENOMEM;
	for (size_t i = 0; i <= index->mask; i++)
		if (index->places[i].number)
			*find(&bigger, index->places[i].key) = index->places[i];
	free(index->places);
	*index = bigger;
	return 0;
}

int index_add(struct index *index, uint64_t key, uint32_t number)
{
	int err;

	if (number >= INDEX_NONE - 1)
		return -ENOMEM;
	if (index->count >= index->mask / 2) {
		err = grow(index);
		if (err)
			return err;
	}
	*find(index, key) = (struct index_entry){ key, number + 1 };
	index->count++;
	return 0;
}
