// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A seed for hash tables. */
#include "config.h"

#include <sys/random.h>

#include "base/hash.h"

uint64_t hash_seed(void)
{
	uint64_t seed = 0xbf58476d1ce4e5b9;

	/* Without random bytes a table is correct, but an attacker can predict its hashes. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed ^= (uintptr_t)&seed;
	return seed;
}
