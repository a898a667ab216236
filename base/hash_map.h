/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A map from 64-bit keys to 32-bit numbers, such as an index into the caller's own array. */
#ifndef BASE_HASH_MAP_H
#define BASE_HASH_MAP_H

#include <stddef.h>
#include <stdint.h>

struct hash_map_slot {
	uint64_t key;
	uint32_t number; /* + 1; 0: an empty slot */
};

struct hash_map {
	struct hash_map_slot *slots;
	size_t mask; /* slots - 1 */
	size_t count;
	uint64_t seed;
};

#define HASH_MAP_NONE UINT32_MAX

int hash_map_init(struct hash_map *map); /* 0 or -ENOMEM */
void hash_map_deinit(struct hash_map *map);

/* The number of the key, or HASH_MAP_NONE. */
uint32_t hash_map_find(const struct hash_map *map, uint64_t key);

/* Adds a key that is not in the map. The highest number is HASH_MAP_NONE - 2. 0 or -ENOMEM. */
int hash_map_add(struct hash_map *map, uint64_t key, uint32_t number);

/* Removes the key, if the map has it. */
void hash_map_remove(struct hash_map *map, uint64_t key);

#endif
