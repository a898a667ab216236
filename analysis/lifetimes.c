// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms of lifetimes: one bucket for each ns below 8 ns, then 8 buckets for each power of two.
 */
#include "config.h"

#include "analysis/lifetimes.h"

#define SUB_BITS LIFETIME_SUB_BITS
#define SUB (1U << SUB_BITS)

uint64_t lifetime_first(unsigned int bucket)
{
	unsigned int power;

	if (bucket < SUB)
		return bucket;
	power = bucket / SUB - 1 + SUB_BITS;
	return (uint64_t)(SUB + bucket % SUB) << (power - SUB_BITS);
}

uint64_t lifetime_last(unsigned int bucket)
{
	return bucket + 1 < LIFETIME_BUCKETS ? lifetime_first(bucket + 1) - 1 : UINT64_MAX;
}

uint64_t lifetimes_percentile(const struct lifetimes *lifetimes, double percent)
{
	uint64_t sum = 0, below = 0;

	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++)
		sum += lifetimes->counts[i];
	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++) {
		below += lifetimes->counts[i];
		if (below && (double)below >= (double)sum * percent / 100)
			return lifetime_last(i);
	}
	return 0;
}
