/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Moves blocks of addresses to random places of an area. An address keeps its offset in its block,
 * and two blocks never get the same place. The places are drawn, not computed: no key exists that
 * could lead back.
 */
#ifndef CAPTURE_PACK_SCATTERED_BLOCKS_H
#define CAPTURE_PACK_SCATTERED_BLOCKS_H

#include <stdint.h>

#include "base/hash_map.h"
#include "capture/pack/random_numbers.h"

struct scattered_blocks {
	unsigned int bits;	/* a block has 2^bits bytes */
	uint64_t base;		/* of the area */
	uint64_t count;		/* blocks in the area: below HASH_MAP_NONE - 1 */
	struct hash_map places; /* number of an original block -> number of its place */
	struct hash_map taken;	/* numbers of places */
};

/* 0 or -ENOMEM. */
int scattered_blocks_init(struct scattered_blocks *blocks, unsigned int bits, uint64_t base,
			  uint64_t count);
void scattered_blocks_deinit(struct scattered_blocks *blocks);

/* 0; -ERANGE: all places are taken; -ENOMEM; or the -errno of random_below(). */
int scattered_blocks_move(struct scattered_blocks *blocks, struct random_numbers *random,
			  uint64_t address, uint64_t *moved);

#endif
