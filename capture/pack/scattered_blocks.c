// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Draws a place for each block when one of its addresses comes first. */
#include "config.h"

#include <errno.h>

#include "capture/pack/scattered_blocks.h"

int scattered_blocks_init(struct scattered_blocks *blocks, unsigned int bits, uint64_t base,
			  uint64_t count)
{
	*blocks = (struct scattered_blocks){ .bits = bits, .base = base, .count = count };
	return hash_map_init(&blocks->places) || hash_map_init(&blocks->taken) ? -ENOMEM : 0;
}

void scattered_blocks_deinit(struct scattered_blocks *blocks)
{
	hash_map_deinit(&blocks->places);
	hash_map_deinit(&blocks->taken);
}

static int draw_place(struct scattered_blocks *blocks, struct random_numbers *random,
		      uint64_t *place)
{
	int err;

	if (blocks->taken.count == blocks->count)
		return -ERANGE;
	do {
		err = random_below(random, blocks->count, place);
	} while (!err && hash_map_find(&blocks->taken, *place) != HASH_MAP_NONE);
	return err ? err : hash_map_add(&blocks->taken, *place, 0);
}

int scattered_blocks_move(struct scattered_blocks *blocks, struct random_numbers *random,
			  uint64_t address, uint64_t *moved)
{
	uint64_t block = address >> blocks->bits;
	uint64_t place = hash_map_find(&blocks->places, block);

	if (place == HASH_MAP_NONE) {
		int err = draw_place(blocks, random, &place);

		if (!err)
			err = hash_map_add(&blocks->places, block, (uint32_t)place);
		if (err)
			return err;
	}
	*moved = blocks->base + (place << blocks->bits) + (address - (block << blocks->bits));
	return 0;
}
