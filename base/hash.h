/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hashes of addresses and of names. Hash tables and the readers of a capture share the first. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The seed prevents a hostile capture from choosing addresses that all have the same hash. */
static inline uint32_t hash_address(uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15;

	return (uint32_t)((hash ^ hash >> 32) * (seed | 1) >> 16);
}

/*
 * FNV-1a, 64 bits: each process computes the same. Anyone can make a text with a chosen hash,
 * whatever the salt: use hash_keyed_text() where the hash identifies the text.
 */
static inline uint64_t hash_text(uint64_t salt, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325 ^ salt;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

/*
 * SipHash-1-3 of bytes. Without the key, which is the random seed of a table, no one can choose
 * bytes that have the same hash: two have it by chance, once in 2^64 pairs. So a hash identifies
 * the bytes.
 */
uint64_t hash_keyed(uint64_t key, const void *data, size_t size);

static inline uint64_t hash_keyed_text(uint64_t key, const char *text)
{
	return hash_keyed(key, text, strlen(text));
}

/* A random seed for a new table. */
uint64_t hash_seed(void);

#endif
