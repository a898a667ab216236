/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hashes of addresses and of names. Hash tables and the readers of a capture share the first. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* The seed prevents a hostile capture from choosing addresses that all have the same hash. */
static inline uint32_t hash_address(uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15;

	return (uint32_t)((hash ^ hash >> 32) * (seed | 1) >> 16);
}

/* FNV-1a, 64 bits. Another salt gives the same text another hash. */
static inline uint64_t hash_text(uint64_t salt, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325 ^ salt;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

/* A random seed for a new table. */
uint64_t hash_seed(void);

#endif
