/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A histogram of lifetimes: 8 buckets for each power of two of nanoseconds, so that a bucket is at
 * most 12.5 % wide. The last bucket takes all longer lifetimes. It has memory for the buckets
 * between the first and the last that were counted: most call sites need few of them.
 */
#ifndef ANALYSIS_LIFETIMES_H
#define ANALYSIS_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#define LIFETIME_BUCKETS 376
#define LIFETIME_SUB_BITS 3

struct lifetimes {
	uint64_t longest;      /* ns */
	uint32_t first, count; /* the buckets that have memory */
	uint64_t counts[];
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

/* The number of lifetimes in the bucket. */
static inline uint64_t lifetimes_in(const struct lifetimes *lifetimes, unsigned int bucket)
{
	uint32_t at = bucket - lifetimes->first;

	return at < lifetimes->count ? lifetimes->counts[at] : 0;
}

/* Makes memory for the bucket in the histogram, which may be NULL. 0 or -ENOMEM. */
int lifetimes_grow(struct lifetimes **lifetimes, unsigned int bucket);

/* Adds count, modulo 2^64, to the histogram, which may be NULL at first. 0 or -ENOMEM. */
static inline int lifetimes_count(struct lifetimes **histogram, uint64_t ns, uint64_t count)
{
	unsigned int bucket = lifetime_bucket(ns);
	struct lifetimes *lifetimes = *histogram;

	if (__builtin_expect(!lifetimes || bucket - lifetimes->first >= lifetimes->count, false)) {
		int err = lifetimes_grow(histogram, bucket);

		if (err)
			return err;
		lifetimes = *histogram;
	}
	lifetimes->counts[bucket - lifetimes->first] += count;
	if (ns > lifetimes->longest)
		lifetimes->longest = ns;
	return 0;
}

/* Adds the counts of from, which may be NULL. 0 or -ENOMEM. */
int lifetimes_add(struct lifetimes **to, const struct lifetimes *from);

/*
 * The end (ns) of a class of lifetimes, cut to the window: no object lives longer. Only an object
 * from before a checkpoint, or one that was freed after the end, may; then it is cut to the longest
 * lifetime.
 */
uint64_t lifetimes_limit(const struct lifetimes *lifetimes, uint64_t ns, uint64_t window);

/*
 * The percentile in ns: percent of the counted lifetimes are this long or shorter, rounded up to
 * the end of the bucket, but see lifetimes_limit(). 0 if none was counted.
 */
uint64_t lifetimes_percentile(const struct lifetimes *lifetimes, double percent, uint64_t window);

#endif
