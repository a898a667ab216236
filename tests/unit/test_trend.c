// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The signs of a leak: lines through numbers that a reader can check by hand, and the evenness of
 * allocation times: a leak, a pool that fills once, steps, bursts, few objects.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "tests/unit/unit.h"
#include "report/views/trend.h"

#define END 60000
#define TIMES_MAX 5000

static void expect_line(const double *y, size_t count, double slope, double fit)
{
	static const double x[] = { 0, 1, 2, 3, 4 };
	struct trend trend = trend_line(x, y, count);

	assert_true(fabs(trend.slope - slope) < 1e-9);
	assert_true(fabs(trend.fit_percent - fit) < 1e-9);
}

static void test_line(void **state)
{
	(void)state;
	expect_line((double[]){ 3, 5, 7, 9, 11 }, 5, 2, 100);
	expect_line((double[]){ 11, 9, 7, 5, 3 }, 5, -2, 0);
	expect_line((double[]){ 7, 7, 7, 7, 7 }, 5, 0, 0);
	expect_line((double[]){ 0, 0, 0, 0, 10 }, 5, 2, 50);
	expect_line((double[]){ 0, 10, 0, 10, 0 }, 5, 0, 0);
	expect_line((double[]){ 5 }, 1, 0, 0);
	expect_line((double[]){ 5, 6 }, 2, 1, 100);
	expect_line(NULL, 0, 0, 0);
}

/* A pseudo-random number, the same in every run. */
static unsigned int draw_chance(uint64_t *seed, unsigned int below)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(*seed >> 33) % below;
}

static double steadiness_of(uint64_t *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare_u64);
	return trend_steady(times, count, 0, END);
}

static double one_every(uint64_t interval)
{
	uint64_t times[TIMES_MAX];
	size_t count = 0;

	for (uint64_t time = interval / 2; time < END; time += interval)
		times[count++] = time;
	return steadiness_of(times, count);
}

/* count times at random in a part of the window. */
static double at_random(size_t count, unsigned int from, unsigned int to)
{
	uint64_t times[TIMES_MAX], seed = count;

	for (size_t i = 0; i < count; i++)
		times[i] = from + draw_chance(&seed, to - from);
	return steadiness_of(times, count);
}

/* Bursts of a hundred, evenly spaced. */
static double in_bursts(size_t bursts)
{
	uint64_t times[TIMES_MAX];

	for (size_t i = 0; i < bursts * 100; i++)
		times[i] = END * (2 * (i / 100) + 1) / (2 * bursts) + i % 100;
	return steadiness_of(times, bursts * 100);
}

static void test_leaks(void **state)
{
	(void)state;
	assert_in_range(one_every(1000), 97, 99); /* one a second */
	assert_in_range(one_every(6000), 85, 86); /* ten in all */
	assert_in_range(one_every(20), 99, 100);
	assert_in_range(at_random(60, 0, END), 80, 97);
	assert_in_range(at_random(4000, 0, END), 95, 100);
	assert_in_range(in_bursts(20), 95, 98);
	assert_in_range(in_bursts(10), 90, 96);
}

/* All of these rank below a leak of ten objects. */
static void test_others(void **state)
{
	(void)state;
	assert_in_range(at_random(4000, 0, 100), 0, 1);		   /* filled at the start */
	assert_in_range(at_random(4000, 30000, 30100), 48, 51);	   /* … in the middle */
	assert_in_range(at_random(4000, END - 100, END), 0, 1);	   /* young: turnover */
	assert_in_range(at_random(4000, 0, END * 3 / 10), 28, 31); /* filled slowly */
	assert_in_range(at_random(4000, 21000, 39000), 62, 66);	   /* … in the middle */
	assert_in_range(in_bursts(2), 73, 76);			   /* two bursts */
	assert_in_range(one_every(20000), 49, 51);		   /* three objects */
	assert_in_range(one_every(30000), 24, 26);		   /* two */
	assert_in_range(one_every(60000), 0, 0);		   /* one */
	assert_in_range(trend_steady(NULL, 0, 0, END), 0, 0);	   /* none */
}

/* Times outside of the window count as at its edges; an empty window has no spread. */
static void test_edges(void **state)
{
	const uint64_t times[] = { 5, 50, 200 };

	(void)state;
	assert_true(fabs(trend_steady(times, 3, 10, 110) - 33.333333) < 1e-9);
	assert_true(trend_steady(times, 3, 10, 10) == 0);
	assert_true(trend_steady(times, 3, 10, 5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
