// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The interval between samples, as it follows their number in a second. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/sampling.h"
#include "tracer/sample_rate.h"

#define SECOND 1000000000ULL
#define LIMIT 1000

/* A load that allocates so many bytes a second: returns the interval after some time. */
static uint64_t run(struct sample_rate *rate, uint64_t bytes, unsigned int seconds,
		    uint64_t *samples, uint64_t *now)
{
	uint64_t interval = rate->interval;

	for (unsigned int i = 0; i < seconds * 10; i++) {
		*samples += bytes / 10 / interval;
		*now += SECOND / 10;
		interval = sample_rate_step(rate, *samples, *now);
	}
	return interval;
}

static void follows_the_load(void **state)
{
	struct sample_rate rate;
	uint64_t samples = 5000, now = 7 * SECOND, before;

	(void)state;
	sample_rate_init(&rate, 4096, LIMIT, now);
	rate.samples = samples;
	/* 900 samples a second */
	assert_int_equal(run(&rate, 4096 * 900, 10, &samples, &now), 4096);
	/* at once, 8 times less often: the next seconds stay below the limit */
	assert_int_equal(run(&rate, 4096 * 6000, 1, &samples, &now), 4096 * 8);
	before = samples;
	assert_int_equal(run(&rate, 4096 * 6000, 10, &samples, &now), 4096 * 8);
	assert_in_range(samples - before, 10 * LIMIT / 2, 10 * LIMIT);
	/* slow for less than 4 seconds changes nothing */
	assert_int_equal(run(&rate, 0, 3, &samples, &now), 4096 * 8);
	assert_int_equal(run(&rate, 4096 * 6000, 2, &samples, &now), 4096 * 8);
	/* slow for longer: step by step, never below the one that was asked for */
	assert_int_equal(run(&rate, 0, 6, &samples, &now), 4096 * 4);
	assert_int_equal(run(&rate, 0, 60, &samples, &now), 4096);
	assert_int_equal(rate.most, 4096 * 8);
}

static void ends_at_the_largest_interval(void **state)
{
	struct sample_rate rate;
	uint64_t samples = 0, now = 0;

	(void)state;
	sample_rate_init(&rate, SAMPLING_MOST / 4, 1, now);
	for (unsigned int i = 0; i < 100; i++)
		assert_true(sample_rate_step(&rate, samples += 1000000, now += SECOND) <=
			    SAMPLING_MOST);
	assert_int_equal(rate.interval, SAMPLING_MOST);
	sample_rate_init(&rate, SAMPLING_MOST / 2 + 2, 1, now);
	for (unsigned int i = 0; i < 100; i++)
		sample_rate_step(&rate, samples += 1000000, now += SECOND);
	assert_int_equal(rate.interval, SAMPLING_MOST / 2 + 2);
}

static void without_a_limit_nothing_changes(void **state)
{
	struct sample_rate rate;

	(void)state;
	sample_rate_init(&rate, 4096, 0, 0);
	assert_int_equal(sample_rate_step(&rate, 1000000, SECOND), 4096);
	sample_rate_init(&rate, SAMPLING_EACH, LIMIT, 0);
	assert_int_equal(sample_rate_step(&rate, 1000000, SECOND), SAMPLING_EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_load),
		cmocka_unit_test(ends_at_the_largest_interval),
		cmocka_unit_test(without_a_limit_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
