/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hash of a 64-bit key, which hash tables and readers of a capture share. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* The seed keeps a hostile capture from choosing addresses that all get the same hash. */
static inline uint32_t hash_address(uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15;

	return (uint32_t)((hash ^ hash >> 32) * (seed | 1) >> 16);
}

/* A random seed for a new table. */
uint64_t hash_seed(void);

#endif
