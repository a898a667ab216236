// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The counts of bytes from one sample to the next, as the BPF programs draw them. */
#include "config.h"

#include <math.h>

#include "tests/unit/unit.h"
#include "kernel/sampling.h"
#include "tests/unit/scratch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t random_state = 88172645463325252ULL;

static uint64_t next_random(void)
{
	return scratch_random(&random_state) * 0x9e3779b97f4a7c15ULL;
}

/* -ln(random / 2^64), also if it is near 0. */
static long double exponential_of(uint64_t random)
{
	const long double whole = 18446744073709551616.0L;

	return random >> 63 ? -log1pl(-(long double)-random / whole)
			    : -logl((long double)random / whole);
}

/* From the smallest to the largest numbers, and near both ends. */
static void draws_the_logarithm(void **state)
{
	static const uint32_t intervals[] = { SAMPLING_LEAST, 4096, 512 * 1024, SAMPLING_MOST };
	long double worst = 0;

	(void)state;
	for (unsigned int round = 0; round < 64 * 1000; round++) {
		uint64_t random = next_random() >> round % 64;

		if (round & 1)
			random = ~random;
		random |= !random;
		for (size_t i = 0; i < COUNT(intervals); i++) {
			long double expected = exponential_of(random) * intervals[i];
			uint64_t drawn = sampling_draw(random, intervals[i]);
			/* rounded up */
			long double below = expected - (long double)drawn,
				    above = (long double)drawn - 1 - expected;
			long double error = below > above ? below : above;

			assert_true(drawn >= 1);
			if (error / expected > worst)
				worst = error / expected;
		}
	}
	assert_true(worst < 1e-5L);
	assert_int_equal(sampling_draw(0, 4096), sampling_draw(1, 4096));
	assert_int_equal(sampling_draw(UINT64_MAX, 4096), 1);
}

/*
 * Allocations of ten sizes, in bursts, so that one size follows another in a fixed order: each is
 * sampled with its own probability. The sum of squares has ten degrees of freedom: it is above 36
 * in one of 10,000 runs, and the random numbers are always the same.
 */
static void samples_each_size_with_its_probability(void **state)
{
	static const unsigned int sizes[] = { 8, 64, 96, 192, 512, 1024, 2048, 4096, 8192, 65536 };
	const uint32_t interval = 4096;
	uint64_t allocations[COUNT(sizes)] = { 0 }, samples[COUNT(sizes)] = { 0 };
	int64_t left = (int64_t)sampling_draw(next_random(), interval);
	double sum = 0;

	(void)state;
	for (unsigned int round = 0; round < 3000000; round++) {
		size_t i = round / 3 % COUNT(sizes);

		allocations[i]++;
		left -= sizes[i];
		if (left > 0)
			continue;
		samples[i]++;
		left = (int64_t)sampling_draw(next_random(), interval);
	}
	for (size_t i = 0; i < COUNT(sizes); i++) {
		double probability = -expm1(-(double)sizes[i] / interval);
		double expected = (double)allocations[i] * probability;
		double difference = (double)samples[i] - expected;
		double variance = expected * (1 - probability);

		if (variance < 1) /* the largest are nearly always sampled */
			assert_true(fabs(difference) <= 5);
		else
			sum += difference * difference / variance;
	}
	assert_true(sum < 36);
}

/* The numbers of allocations from one sample to the next are independent: no gap is too frequent.
 */
static void gaps_have_no_memory(void **state)
{
	const uint32_t interval = 1024, size = 64;
	const double probability = -expm1(-(double)size / interval);
	uint64_t gaps[40] = { 0 }, samples = 200000;
	double sum = 0, expected = (double)samples * probability;

	(void)state;
	for (uint64_t sample = 0; sample < samples; sample++) {
		uint64_t gap = (sampling_draw(next_random(), interval) - 1) / size;

		gaps[gap < COUNT(gaps) ? gap : COUNT(gaps) - 1]++;
	}
	for (size_t i = 0; i + 1 < COUNT(gaps); i++) {
		double difference = (double)gaps[i] - expected;

		sum += difference * difference / expected;
		expected *= 1 - probability;
	}
	/* 39 degrees of freedom: one of 10,000 */
	assert_true(sum < 81);
}

static void chooses_the_marks(void **state)
{
	(void)state;
	assert_int_equal(sampling_mask(512 * 1024, 0), SAMPLED_MARKS - 1);
	assert_int_equal(sampling_mask(SAMPLING_EACH, 1 << 20), SAMPLED_MARKS - 1);
	assert_int_equal(sampling_mask(512 * 1024, 1 << 20), SAMPLED_MARKS_LEAST - 1);
	assert_int_equal(sampling_mask(512 * 1024, 1ULL << 30), 16384 - 1);
	assert_int_equal(sampling_mask(512 * 1024, (1ULL << 30) + (1 << 20)), 32768 - 1);
	assert_int_equal(sampling_mask(512 * 1024, 1ULL << 40), SAMPLED_MARKS - 1);
	assert_int_equal(sampling_mask(SAMPLING_MOST, 1ULL << 62), SAMPLED_MARKS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_the_logarithm),
		cmocka_unit_test(samples_each_size_with_its_probability),
		cmocka_unit_test(gaps_have_no_memory),
		cmocka_unit_test(chooses_the_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
