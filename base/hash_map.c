// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open addressing with linear probing. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/hash_map.h"

#define SLOTS_FIRST 1024

int hash_map_init(struct hash_map *map)
{
	map->slots = calloc(SLOTS_FIRST, sizeof(*map->slots));
	map->mask = SLOTS_FIRST - 1;
	map->count = 0;
	map->seed = hash_seed();
	return map->slots ? 0 : -ENOMEM;
}

void hash_map_deinit(struct hash_map *map)
{
	free(map->slots);
	map->slots = NULL;
}

static struct hash_map_slot *find_slot(const struct hash_map *map, uint64_t key)
{
	size_t slot = (size_t)hash_address(map->seed, key) & map->mask;

	while (map->slots[slot].number && map->slots[slot].key != key)
		slot = (slot + 1) & map->mask;
	return &map->slots[slot];
}

uint32_t hash_map_find(const struct hash_map *map, uint64_t key)
{
	return find_slot(map, key)->number - 1;
}

static int grow_map(struct hash_map *map)
{
	struct hash_map bigger = { .mask = map->mask * 2 + 1,
				   .count = map->count,
				   .seed = map->seed };

	bigger.slots = calloc(bigger.mask + 1, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= map->mask; i++)
		if (map->slots[i].number)
			*find_slot(&bigger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = bigger;
	return 0;
}

int hash_map_add(struct hash_map *map, uint64_t key, uint32_t number)
{
	int err;

	if (number >= HASH_MAP_NONE - 1)
		return -ENOMEM;
	if (map->count >= map->mask / 2) {
		err = grow_map(map);
		if (err)
			return err;
	}
	*find_slot(map, key) = (struct hash_map_slot){ key, number + 1 };
	map->count++;
	return 0;
}

void hash_map_remove(struct hash_map *map, uint64_t key)
{
	size_t hole = (size_t)(find_slot(map, key) - map->slots), slot = hole;

	if (!map->slots[hole].number)
		return;
	/* a key moves into the hole, unless its search begins behind the hole */
	while (slot = (slot + 1) & map->mask, map->slots[slot].number) {
		size_t first = (size_t)hash_address(map->seed, map->slots[slot].key) & map->mask;

		if (((slot - first) & map->mask) < ((slot - hole) & map->mask))
			continue;
		map->slots[hole] = map->slots[slot];
		hole = slot;
	}
	map->slots[hole].number = 0;
	map->count--;
}
