// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tests of kmemtrace-fleet: probabilities that a reader can check by hand; and which memory
 * grows: a leak does, but not noise, the time of day, a step, or memory that is freed at once. Of
 * random walks, as many seem to grow as the probability says. And the time on which hosts agree.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "fleet/agreement.h"
#include "fleet/statistics.h"

#define HOURS 24
#define CERTAIN 1e-6

static uint64_t seed = 1;

static double draw_fraction(void)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (double)(seed >> 33) / (double)(1U << 31);
}

static double draw_about_normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += draw_fraction();
	return sum;
}

/* The growth in each hour, of memory that has these bytes at the begin and after each hour. */
static struct growth_fit fit_bytes(const double bytes[HOURS + 1])
{
	struct growth_point points[HOURS];
	struct growth_fit fit;

	for (size_t i = 0; i < HOURS; i++)
		points[i] = (struct growth_point){ (double)i + 0.5, bytes[i + 1] - bytes[i] };
	assert_true(statistics_growth(points, HOURS, &fit));
	return fit;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-6);
}

static void test_medians(void **state)
{
	double space[6];
	struct spread spread;

	(void)state;
	assert_near(statistics_median((double[]){ 3, 1, 2 }, 3), 2);
	assert_near(statistics_median((double[]){ 4, 1, 2, 3 }, 4), 2.5);
	assert_near(statistics_median(NULL, 0), 0);
	/* distances 2 1 0 1 2, and above 0 1 2 */
	spread = statistics_spread((double[]){ 5, 1, 2, 3, 4 }, space, 5);
	assert_near(spread.median, 3);
	assert_near(spread.deviation, 1.4826);
	/* above: 0 10 20 */
	spread = statistics_spread((double[]){ 1, 2, 3, 13, 23 }, space, 5);
	assert_near(spread.deviation, 14.826);
	/* most are equal: the mean distance is 10 */
	spread = statistics_spread((double[]){ 7, 7, 7, 7, 57, 7 }, space, 6);
	assert_near(spread.deviation, 1.2533 * 50 / 6);
	assert_near(statistics_far(&spread, 7, 6), 1);
	assert_true(statistics_far(&spread, 57, 6) < 0.1);
	assert_true(statistics_far(&spread, 57, 100) < 1e-4);
}

/* The lady who tastes tea: 4 of 8 cups. */
static void test_fisher(void **state)
{
	(void)state;
	assert_near(statistics_fisher(4, 4, 4, 8), 1.0 / 70);
	assert_near(statistics_fisher(3, 4, 4, 8), 17.0 / 70);
	assert_near(statistics_fisher(0, 4, 4, 8), 1);
	assert_near(statistics_fisher(0, 0, 4, 8), 1);
	assert_near(statistics_fisher(1, 1, 1, 2), 0.5);
}

/* Hosts that are in both parts: coins, and the tea besides. */
static void test_pairs(void **state)
{
	(void)state;
	assert_near(statistics_fisher_pairs(&(struct hits){ 4, 4, 4, 8, 0, 0 }), 1.0 / 70);
	assert_near(statistics_fisher_pairs(&(struct hits){ 0, 0, 0, 0, 5, 0 }), 1.0 / 32);
	assert_near(statistics_fisher_pairs(&(struct hits){ 0, 0, 0, 0, 4, 1 }), 6.0 / 32);
	assert_near(statistics_fisher_pairs(&(struct hits){ 0, 0, 0, 0, 0, 0 }), 1);
	assert_near(statistics_fisher_pairs(&(struct hits){ 0, 3, 0, 9, 0, 3 }), 1);
	assert_near(statistics_fisher_pairs(&(struct hits){ 4, 4, 4, 8, 1, 0 }), 0.5 / 70);
	assert_near(statistics_fisher_pairs(&(struct hits){ 4, 4, 4, 8, 0, 1 }),
		    0.5 * 1.0 / 70 + 0.5 * 17.0 / 70);
}

static void test_ranks(void **state)
{
	struct ranked apart[] = { { 4, true },	{ 1, false }, { 5, true },
				  { 2, false }, { 6, true },  { 3, false } };
	struct ranked equal[] = { { 1, true }, { 1, false }, { 1, true }, { 1, false } };
	struct rank_sum sum = { 0 };

	(void)state;
	assert_near(statistics_rank_probability(&sum), 1);
	statistics_rank(&sum, equal, 4);
	assert_near(statistics_rank_probability(&sum), 1);
	/* ranks 4 5 6 of 1 to 6 */
	statistics_rank(&sum, apart, 6);
	assert_near(sum.difference, 15 - 10.5);
	assert_near(sum.variance, 5.25);
	assert_near(statistics_rank_probability(&sum), erfc(4 / sqrt(10.5)));
}

static void test_leak(void **state)
{
	double bytes[HOURS + 1];
	struct growth_fit fit;

	(void)state;
	for (size_t i = 0; i <= HOURS; i++)
		bytes[i] = 1000 + 50 * (double)i;
	fit = fit_bytes(bytes);
	assert_near(fit.rate, 50);
	assert_true(fit.is_daily && fit.lasts && fit.probability < CERTAIN);
	for (size_t i = 0; i <= HOURS; i++)
		bytes[i] += 400 * sin(2 * M_PI * (double)i / 24 + 1) + 20 * draw_about_normal();
	fit = fit_bytes(bytes);
	assert_true(fabs(fit.rate - 50) < 5);
	assert_true(fit.lasts && fit.probability < CERTAIN);
	for (size_t i = 0; i <= HOURS; i++)
		bytes[i] = -bytes[i];
	assert_near(fit_bytes(bytes).probability, 1);
}

static void test_no_leak(void **state)
{
	double day[HOURS + 1], step[HOURS + 1], freed[HOURS + 1], fills[HOURS + 1];

	(void)state;
	for (size_t i = 0; i <= HOURS; i++) {
		day[i] = 1000 + 400 * sin(2 * M_PI * (double)i / 24 + 4) + 10 * draw_about_normal();
		step[i] = i < 9 ? 0 : 1000;
		freed[i] = 50 * (double)(i % 12) + draw_about_normal();
		fills[i] = 1000 * (1 - exp(-(double)i / 6));
	}
	assert_true(fit_bytes(day).probability > CERTAIN);
	assert_true(fit_bytes(step).probability > 0.01);
	assert_true(fit_bytes(freed).probability > 0.01);
	assert_false(fit_bytes(fills).lasts);
}

/* A series is a random walk, or noise around a level. */
static void test_error_rate(void **state)
{
	unsigned int walks = 0, levels = 0, rounds = 20000;

	(void)state;
	for (unsigned int i = 0; i < rounds; i++) {
		double walk[HOURS + 1] = { 0 }, level[HOURS + 1] = { 0 };

		for (size_t j = 1; j <= HOURS; j++) {
			walk[j] = walk[j - 1] + draw_about_normal();
			level[j] = draw_about_normal();
		}
		walks += fit_bytes(walk).probability < 0.01;
		levels += fit_bytes(level).probability < 0.01;
	}
	assert_in_range(walks, 20, rounds * 0.015);
	assert_in_range(levels, 0, 2);
}

static void test_few_points(void **state)
{
	struct growth_point points[GROWTH_POINTS_MIN] = { { 0, 1 } };
	struct growth_fit fit;

	(void)state;
	assert_false(statistics_growth(points, GROWTH_POINTS_MIN - 1, &fit));
	assert_true(statistics_growth(points, GROWTH_POINTS_MIN, &fit));
	assert_false(fit.is_daily);
}

static uint64_t end_of(const uint64_t *ends, size_t count)
{
	uint64_t sorted[100];

	memcpy(sorted, ends, count * sizeof(*ends));
	return agreement_end(sorted, count);
}

static uint64_t begin_of(const uint64_t *begins, size_t count)
{
	uint64_t sorted[100];

	memcpy(sorted, begins, count * sizeof(*begins));
	return agreement_begin(sorted, count);
}

static void test_agreement(void **state)
{
	const uint64_t times[] = { 50, 900, 51, 1, 52 };
	uint64_t many[100];

	(void)state;
	assert_int_equal(end_of(times, 0), 0);
	assert_int_equal(end_of(times, 1), 50);
	assert_int_equal(end_of(times, 2), 900);
	assert_int_equal(end_of(times, 3), 51);
	assert_int_equal(end_of(times, 5), 52);
	assert_int_equal(begin_of(times, 1), 50);
	assert_int_equal(begin_of(times, 2), 900);
	assert_int_equal(begin_of(times, 5), 50);
	/* five of a hundred */
	for (size_t i = 0; i < 100; i++)
		many[i] = i;
	assert_int_equal(end_of(many, 100), 95);
	assert_int_equal(begin_of(many, 100), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_medians),	   cmocka_unit_test(test_fisher),
		cmocka_unit_test(test_pairs),	   cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_leak),	   cmocka_unit_test(test_no_leak),
		cmocka_unit_test(test_error_rate), cmocka_unit_test(test_few_points),
		cmocka_unit_test(test_agreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
