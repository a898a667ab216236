// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The interval between samples, as it follows their number in a second. */
#include "config.h"

#include <math.h>

#include "tests/unit/unit.h"
#include "kernel/sampling.h"
#include "tracer/sample_rate.h"
#include "tests/unit/scratch.h"

static uint64_t random_state = 88172645463325252;

#define SECOND 1000000000ULL
#define LIMIT 1000

struct load {
	double bytes; /* a second */
	double left;  /* bytes to the next sample */
	uint64_t samples, now;
	uint64_t most; /* bytes: the largest interval */
};

/* Lets the load run, with samples at random: returns the interval after some seconds. */
static uint64_t run_load(struct sample_rate *rate, struct load *load, unsigned int seconds)
{
	uint64_t interval = rate->interval;

	for (unsigned int i = 0; i < seconds * 10; i++) {
		for (load->left -= load->bytes / 10; load->left < 0; load->samples++)
			load->left -= log(scratch_random_share(&random_state)) * (double)interval;
		load->now += SECOND / 10;
		interval = sample_rate_step(rate, load->samples, load->now);
		load->most = interval > load->most ? interval : load->most;
	}
	return interval;
}

static void follows_the_load(void **state)
{
	struct load load = { .samples = 5000, .now = 7 * SECOND };
	struct sample_rate rate;
	uint64_t before;

	(void)state;
	sample_rate_init(&rate, 4096, 0, LIMIT, load.now);
	rate.fast.samples = rate.slow.samples = load.samples;
	load.bytes = 4096 * 700;
	assert_int_equal(run_load(&rate, &load, 60), 4096);
	/* at once, 8 times less often: the next seconds stay below the limit */
	load.bytes = 4096 * 6000;
	assert_int_equal(run_load(&rate, &load, 1), 4096 * 8);
	before = load.samples;
	assert_int_equal(run_load(&rate, &load, 10), 4096 * 8);
	assert_in_range(load.samples - before, 10 * LIMIT / 2, 10 * LIMIT);
	/* a second without samples changes nothing */
	load.bytes = 0;
	assert_int_equal(run_load(&rate, &load, 1), 4096 * 8);
	load.bytes = 4096 * 6000;
	assert_int_equal(run_load(&rate, &load, 8), 4096 * 8);
	/* slow for longer: step by step, never below the one that was asked for */
	load.bytes = 0;
	assert_in_range(run_load(&rate, &load, 8), 4096 * 2, 4096 * 4);
	assert_int_equal(run_load(&rate, &load, 60), 4096);
	assert_int_equal(load.most, 4096 * 8);
}

/* For an hour half of the limit comes: few intervals are long, and the interval goes back. */
static void small_limits_work_too(void **state)
{
	static const uint32_t limits[] = { 1, 2, 3, 10, 20, 50 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct load load = { .bytes = 4096.0 * limits[i] / 2 };
		struct sample_rate rate;

		sample_rate_init(&rate, 4096, 0, limits[i], 0);
		run_load(&rate, &load, 3600);
		assert_in_range(load.samples, 3600 * limits[i] / 3, 3600 * limits[i]);
		assert_in_range(load.most, 4096, 4096 * 4);
		load.bytes = 4096.0 * limits[i] * 100;
		run_load(&rate, &load, 200);
		assert_in_range(rate.interval, 4096 * 64, 4096 * 512);
		load.bytes = 0;
		assert_int_equal(run_load(&rate, &load, 1000), 4096);
	}
}

static void ends_at_the_largest_interval(void **state)
{
	struct sample_rate rate;
	uint64_t samples = 0, now = 0;

	(void)state;
	sample_rate_init(&rate, SAMPLING_MOST / 4, 0, 1, now);
	for (unsigned int i = 0; i < 100; i++)
		assert_true(sample_rate_step(&rate, samples += 1000000, now += SECOND) <=
			    SAMPLING_MOST);
	assert_int_equal(rate.interval, SAMPLING_MOST);
	sample_rate_init(&rate, SAMPLING_MOST / 2 + 2, 0, 1, now);
	for (unsigned int i = 0; i < 100; i++)
		sample_rate_step(&rate, samples += 1000000, now += SECOND);
	assert_int_equal(rate.interval, SAMPLING_MOST / 2 + 2);
}

/* As --stacks without an interval: dense at first, and never longer than the longest. */
static void thins_out_down_to_the_longest_interval(void **state)
{
	struct load load = { .bytes = 4096.0 * LIMIT / 2 };
	struct sample_rate rate;

	(void)state;
	sample_rate_init(&rate, 4096, 4096 * 16, LIMIT, 0);
	assert_int_equal(run_load(&rate, &load, 6), 4096);
	load.bytes = 4096.0 * LIMIT * 6;
	assert_int_equal(run_load(&rate, &load, 2), 4096 * 8);
	load.bytes = 4096.0 * LIMIT * 1000;
	assert_int_equal(run_load(&rate, &load, 10), 4096 * 16);
	load.bytes = 4096.0;
	assert_int_equal(run_load(&rate, &load, 60), 4096);
}

static void without_a_limit_nothing_changes(void **state)
{
	struct sample_rate rate;

	(void)state;
	sample_rate_init(&rate, 4096, 0, 0, 0);
	assert_int_equal(sample_rate_step(&rate, 1000000, SECOND), 4096);
	sample_rate_init(&rate, SAMPLING_EACH, 0, LIMIT, 0);
	assert_int_equal(sample_rate_step(&rate, 1000000, SECOND), SAMPLING_EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_load),
		cmocka_unit_test(small_limits_work_too),
		cmocka_unit_test(ends_at_the_largest_interval),
		cmocka_unit_test(thins_out_down_to_the_longest_interval),
		cmocka_unit_test(without_a_limit_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
