// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Seeds for hash tables, and SipHash by Aumasson and Bernstein. */
#include "config.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/hash.h"

uint64_t hash_seed(void)
{
	uint64_t seed;

	/* early at boot there may be only the random bytes that the kernel gives to each process */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));
	return seed;
}

static uint64_t rotate_word(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix_state(uint64_t *v)
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate_word(v[1], 13) ^ v[0];
	v[3] = rotate_word(v[3], 16) ^ v[2];
	v[0] = rotate_word(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = rotate_word(v[1], 17) ^ v[2];
	v[3] = rotate_word(v[3], 21) ^ v[0];
	v[2] = rotate_word(v[2], 32);
}

static void mix_word(uint64_t *v, uint64_t word)
{
	v[3] ^= word;
	mix_state(v);
	v[0] ^= word;
}

uint64_t hash_keyed(uint64_t key, const void *data, size_t size)
{
	const unsigned char *at = data;
	uint64_t v[] = { 0x736f6d6570736575 ^ key, 0x646f72616e646f6d, 0x6c7967656e657261 ^ key,
			 0x7465646279746573 };
	uint64_t word = 0;

	for (size_t left = size; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		mix_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, at, size % sizeof(word));
	mix_word(v, le64toh(word) | (uint64_t)size << 56);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		mix_state(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
