/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When allocations are sampled: each CPU counts down the bytes that it allocates, and samples the
 * allocation at which the count reaches 0. The counts are drawn from the exponential distribution.
 * It has no memory: whatever was allocated since the last sample, and whatever the sizes are, an
 * allocation of s bytes is sampled with the probability 1 - exp(-s / interval). The BPF programs
 * and kmemtraced draw with this code.
 */
#ifndef KERNEL_SAMPLING_H
#define KERNEL_SAMPLING_H

#ifndef __bpf__
#include <stdint.h>
#endif

#define SAMPLING_EACH 1 /* the interval that stands for each allocation */
#define SAMPLING_LEAST 64
#define SAMPLING_MOST (1U << 30)

/* ln 2, in units of 2^-58 */
#define SAMPLING_LN2 199786072581291495ULL

/* The number of leading zero bits. number: not 0. */
static inline unsigned int sampling_zeros(uint64_t number)
{
	unsigned int zeros = 0;

#pragma GCC unroll 6
	for (unsigned int width = 32; width; width /= 2)
		if (!(number >> (64 - width))) {
			number <<= width;
			zeros += width;
		}
	return zeros;
}

/*
 * -ln(1 - t) / t for t from 0 to 1/2 (in units of 2^-32), in units of 2^-31: the polynomial of
 * degree 6 through 7 Chebyshev points. Its relative error is below 2e-6.
 */
static inline uint64_t sampling_quotient(uint64_t t)
{
	int64_t sum = 2082063222;

	sum = -1303078782 + (sum * (int64_t)t >> 32);
	sum = 1085616850 + (sum * (int64_t)t >> 32);
	sum = 412110176 + (sum * (int64_t)t >> 32);
	sum = 726734123 + (sum * (int64_t)t >> 32);
	sum = 1073392699 + (sum * (int64_t)t >> 32);
	return (uint64_t)(2147485438 + (sum * (int64_t)t >> 32));
}

/*
 * The bytes up to the next sample: at least 1. random: 64 random bits, which stand for a number u
 * between 0 and 1. The result is -ln(u) * interval, rounded up; so it is at most s with the
 * probability 1 - exp(-s / interval), for each whole s. interval: at most SAMPLING_MOST.
 */
static inline uint64_t sampling_draw(uint64_t random, uint32_t interval)
{
	unsigned int zeros;
	uint64_t t, quotient, logarithm;

	random |= !random;
	zeros = sampling_zeros(random);
	/* u = (1 - t) * 2^-zeros; t in units of 2^-64, up to 1/2 */
	t = -(random << zeros);
	quotient = sampling_quotient(t >> 32);
	/* -ln(u) in units of 2^-58; products of 64 bits, in two parts */
	logarithm = zeros * SAMPLING_LN2 + ((t >> 32) * quotient >> 5) +
		    ((t & UINT32_MAX) * quotient >> 37);
	return (((logarithm >> 32) * interval + ((logarithm & UINT32_MAX) * interval >> 32)) >>
		26) +
	       1;
}

/* Marks of the pages with sampled objects (bpf/sampled.bpf.h): powers of two. */
#define SAMPLED_MARKS (1 << 17)
#define SAMPLED_MARKS_LEAST (1 << 13)
#define SAMPLED_MARKS_EACH 8

/*
 * The bits of a page's number that choose its mark. About slab_bytes / interval sampled objects are
 * live; each gets SAMPLED_MARKS_EACH marks, so that few other objects find theirs. slab_bytes 0:
 * not known.
 */
static inline uint32_t sampling_mask(uint32_t interval, uint64_t slab_bytes)
{
	uint64_t marks = SAMPLED_MARKS_LEAST;

	if (!slab_bytes || interval == SAMPLING_EACH)
		return SAMPLED_MARKS - 1;
	while (marks < SAMPLED_MARKS && marks < slab_bytes / interval * SAMPLED_MARKS_EACH)
		marks *= 2;
	return (uint32_t)marks - 1;
}

#endif
