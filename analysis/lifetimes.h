/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A histogram of lifetimes: 8 buckets for each power of two of nanoseconds, so that a bucket is at
 * most 12.5 % wide. The last bucket takes all longer lifetimes.
 */
#ifndef ANALYSIS_LIFETIMES_H
#define ANALYSIS_LIFETIMES_H

#include <stdint.h>

#define LIFETIME_BUCKETS 376
#define LIFETIME_SUB_BITS 3

struct lifetimes {
	uint64_t counts[LIFETIME_BUCKETS];
};

static inline unsigned int lifetime_bucket(uint64_t ns)
{
	unsigned int shift = ns >> LIFETIME_SUB_BITS
				     ? 63 - LIFETIME_SUB_BITS - (unsigned int)__builtin_clzll(ns)
				     : 0; /* each lifetime below 8 ns has its own bucket */
	uint64_t bucket = ((uint64_t)shift << LIFETIME_SUB_BITS) + (ns >> shift);

	return bucket < LIFETIME_BUCKETS ? (unsigned int)bucket : LIFETIME_BUCKETS - 1;
}

uint64_t lifetime_first(unsigned int bucket); /* the shortest lifetime of the bucket, ns */
uint64_t lifetime_last(unsigned int bucket);  /* the longest */

/*
 * The percentile in ns: percent of the counted lifetimes are this long or shorter, rounded up to
 * the end of the bucket. 0 if none was counted.
 */
uint64_t lifetimes_percentile(const struct lifetimes *lifetimes, double percent);

#endif
