// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which changes are certain: by formulas with known values, and by simulated loads. Two runs of one
 * load show nothing certain more often than the level says; a row with 10 % more is found.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/diff/change.h"

#define SLICES 20

static double seconds[DIFF_SLICES_MAX];
static const struct diff_work by_time = { seconds, 1, SLICES };

static struct diff_side make_side(void)
{
	for (size_t i = 0; i < SLICES; i++)
		seconds[i] = 1;
	return (struct diff_side){ .slices = SLICES };
}

static void test_batch_means(void **state)
{
	struct diff_side side = { .slices = 4 };
	struct diff_figures figures = { .largest = 1 };
	const double flow[] = { 10, 20, 0, 10 };
	const struct diff_work work = { seconds, 1, 4 };
	struct diff_estimate estimate;

	(void)state;
	make_side();
	memcpy(figures.histories[DIFF_ALLOCATIONS].changes, flow, sizeof(flow));
	estimate = diff_estimate(&side, &work, DIFF_ALLOCATIONS, &figures, NULL);
	assert_true(estimate.value == 10);
	/* 4 / 3 * (0 + 100 + 100 + 0), divided by the square of 4 s */
	assert_true(fabs(estimate.variance - 800.0 / 3 / 16) < 1e-9);
	assert_true(estimate.freedom == 3);
	/* no less than that of the single objects */
	figures.histories[DIFF_ALLOCATIONS].squares = 4000;
	estimate = diff_estimate(&side, &work, DIFF_ALLOCATIONS, &figures, NULL);
	assert_true(fabs(estimate.variance - 4000.0 / 16) < 1e-9);
}

/* With work that varies as the flow does, nothing is left to chance but single objects. */
static void test_ratio(void **state)
{
	struct diff_side side = { .slices = 3 };
	const double work[] = { 1, 5, 2 }, flow[] = { 300, 1500, 600 };
	const struct diff_work by_work = { work, 1, 8 };
	struct diff_figures figures = { .largest = 1 };
	struct diff_estimate estimate;

	(void)state;
	memcpy(figures.histories[DIFF_ALLOCATED].changes, flow, sizeof(flow));
	estimate = diff_estimate(&side, &by_work, DIFF_ALLOCATED, &figures, NULL);
	assert_true(estimate.value == 300);
	assert_true(fabs(estimate.variance - 1.0 / 64) < 1e-12);
}

/* Missing events widen the range; where their number is not known, there is no upper end. */
static void test_ranges(void **state)
{
	struct diff_side side = make_side();
	struct diff_figures figures = {
		.largest = 64, .doubtful = 2, .doubtful_bytes = 100, .unobserved = 3
	};
	struct diff_estimate estimate;

	(void)state;
	side.missing = 5;
	figures.histories[DIFF_LIVE].changes[0] = 1000;
	figures.histories[DIFF_ALLOCATED].changes[0] = 2000;
	estimate = diff_estimate(&side, &by_time, DIFF_LIVE, &figures, NULL);
	assert_true(estimate.low == 1000 - 100 - 5 * 64);
	assert_true(estimate.high == 1000 + (3 + 5) * 64);
	estimate = diff_estimate(&side, &by_time, DIFF_ALLOCATED, &figures, NULL);
	assert_true(estimate.low == 100); /* a second */
	assert_true(estimate.high == (2000 + 5 * 64) / 20.0);
	side.missing = INFINITY;
	estimate = diff_estimate(&side, &by_time, DIFF_LIVE, &figures, NULL);
	assert_true(estimate.low == 0 && isinf(estimate.high));
}

/* 100 lost samples: each may be of the smallest objects, and has a sampling error of its own. */
static void test_lost_samples(void **state)
{
	struct diff_side side = make_side();
	struct diff_figures figures = { .largest = 8192, .smallest = 64 };
	const double small = 1 / -expm1(-64.0 / (1 << 19)), large = 1 / -expm1(-8192.0 / (1 << 19));
	struct diff_estimate estimate;

	(void)state;
	side.interval = 1 << 19;
	side.missing = 100;
	estimate = diff_estimate(&side, &by_time, DIFF_LIVE_OBJECTS, &figures, NULL);
	assert_true(fabs(estimate.high - 100 * small) < 1e-6);
	assert_true(fabs(estimate.variance / (large * large + 100 * small * small) - 1) < 1e-9);
	estimate = diff_estimate(&side, &by_time, DIFF_LIVE, &figures, NULL);
	assert_true(fabs(estimate.high - 100 * large * 8192) < 1e-3);
	assert_true(estimate.variance > 100 * pow(large * 8192, 2));
	side.missing = INFINITY;
	estimate = diff_estimate(&side, &by_time, DIFF_LIVE, &figures, NULL);
	assert_true(isinf(estimate.high) && isfinite(estimate.variance));
}

static void test_states(void **state)
{
	const struct diff_estimate none = { 0, 0, 0, 0, 19 }, ten = { 10, 10, 10, 1e-6, 19 },
				   eleven = { 11, 11, 11, 1e-6, 19 },
				   wide = { 11, 9, 13, 1e-6, 19 };
	struct diff_level level;
	struct diff_change change;

	(void)state;
	diff_level_init(&level, 0.05);
	change = diff_change(ten, eleven, &level);
	assert_int_equal(change.state, DIFF_GROWN);
	assert_true(change.is_certain && change.percent == 10);
	assert_true(change.least > 0.99 && change.least < 1);
	change = diff_change(eleven, ten, &level);
	assert_int_equal(change.state, DIFF_SHRUNK);
	assert_true(change.is_certain && change.least < -0.99);
	change = diff_change(ten, wide, &level);
	assert_int_equal(change.state, DIFF_GROWN);
	assert_false(change.is_certain);
	assert_true(change.least == 0);
	assert_int_equal(diff_change(none, ten, &level).state, DIFF_NEW);
	assert_true(isnan(diff_change(none, ten, &level).percent));
	assert_int_equal(diff_change(ten, none, &level).state, DIFF_GONE);
	assert_int_equal(diff_change(ten, ten, &level).state, DIFF_SAME);
	/* B did twice the work: growth with the work does not explain it, or it does */
	assert_true(diff_change_of_state(ten, eleven, 1.5, &level).is_certain);
	change = diff_change_of_state(ten, eleven, 0.5, &level);
	assert_false(change.is_certain);
	assert_true(change.change == 1 && change.low < -4.4 && change.high > 1 && !change.least);
	assert_true(diff_exceeds(&ten, &eleven, 1.05, 0, &level));
	assert_false(diff_exceeds(&ten, &eleven, 1.1, 0, &level));
	assert_true(diff_exceeds(&ten, &eleven, 1, 0.9, &level));
	assert_false(diff_exceeds(&ten, &wide, 1, 0, &level));
}

static uint64_t seed = 88172645463325252ULL;

static double draw_share(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double draw_poisson(double mean)
{
	double limit = exp(-mean), product = draw_share();
	double count = 0;

	for (; product > limit; count++)
		product *= draw_share();
	return count;
}

/* Loads, each with about the same mean whatever the run. */
enum load {
	LOAD_POISSON, /* objects come one by one */
	LOAD_BURSTS,  /* many at once, in few of the slices */
	LOAD_LEAK,    /* live objects grow by bursts of 10 */
	LOAD_LEVEL,   /* live objects vary about a constant */
	LOAD_FULL,    /* live objects that fill once, early */
	LOADS
};

static enum diff_figure figure_of(enum load load)
{
	return load < LOAD_LEAK ? DIFF_ALLOCATIONS : DIFF_LIVE_OBJECTS;
}

static struct diff_figures make_run(enum load load, double mean)
{
	struct diff_figures figures = { .largest = 1 };
	struct diff_history *history = &figures.histories[figure_of(load)];
	double level = 0;

	for (size_t i = 0; i < SLICES; i++) {
		double next, *change = &history->changes[i];

		switch (load) {
		case LOAD_POISSON:
			*change = draw_poisson(mean);
			break;
		case LOAD_BURSTS:
			*change = draw_share() < 0.1 ? 10 * mean : 0;
			break;
		case LOAD_LEAK:
			*change = 10 * draw_poisson(mean / 10);
			break;
		case LOAD_LEVEL:
			next = 0;
			for (unsigned int part = 0; part < SLICES; part++)
				next += draw_poisson(mean);
			*change = next - level;
			level = next;
			break;
		case LOAD_FULL:
			if (!i)
				for (unsigned int part = 0; part < SLICES; part++)
					*change += draw_poisson(mean);
			break;
		case LOADS:
			break;
		}
		history->squares += fabs(*change) * (load == LOAD_LEAK ? 10 : 1);
	}
	if (load == LOAD_LEVEL)
		history->squares = level;
	return figures;
}

#define ROWS 100
#define RUNS 60

/* How many of RUNS comparisons of ROWS rows have a certain change. */
static unsigned int count_false(enum load load)
{
	struct diff_side side = make_side();
	struct diff_level level;
	unsigned int wrong = 0;

	diff_level_init(&level, DIFF_ERROR / ROWS);
	for (unsigned int run = 0; run < RUNS; run++) {
		bool found = false;

		for (unsigned int row = 0; row < ROWS; row++) {
			struct diff_figures a = make_run(load, 50), b = make_run(load, 50);

			found |=
				diff_change(diff_estimate(&side, &by_time, figure_of(load), &a, &b),
					    diff_estimate(&side, &by_time, figure_of(load), &b, &a),
					    &level)
					.is_certain;
		}
		wrong += found;
	}
	return wrong;
}

/* 3 of 60 are expected at the level of 95 %; more than 8 of 60 come by chance once in 300 times. */
static void test_no_false_change(void **state)
{
	(void)state;
	for (enum load load = 0; load < LOADS; load++) {
		unsigned int wrong = count_false(load);

		if (wrong > 8)
			fail_msg("load %d: %u of %d comparisons of one load show a change", load,
				 wrong, RUNS);
	}
}

/* 10 % more are found if chance alone is much less. */
static void test_finds_change(void **state)
{
	static const enum load loads[] = { LOAD_POISSON, LOAD_LEVEL, LOAD_FULL };
	struct diff_side side = make_side();
	struct diff_level level;

	(void)state;
	diff_level_init(&level, DIFF_ERROR / ROWS);
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct diff_figures a = make_run(loads[i], 500), b = make_run(loads[i], 550);
		struct diff_change change = diff_change(
			diff_estimate(&side, &by_time, figure_of(loads[i]), &a, &b),
			diff_estimate(&side, &by_time, figure_of(loads[i]), &b, &a), &level);

		if (!change.is_certain)
			fail_msg("load %d: %g to %g is not found: %g to %g", loads[i],
				 change.a.value, change.b.value, change.low, change.high);
		assert_int_equal(change.state, DIFF_GROWN);
		assert_true(change.percent > 5 && change.percent < 15);
	}
}

/* One burst in one of the captures may come by chance. */
static void test_one_burst(void **state)
{
	struct diff_side side = make_side();
	struct diff_figures burst = { .largest = 64 };
	struct diff_level level;

	(void)state;
	diff_level_init(&level, DIFF_ERROR);
	for (size_t slice = 1; slice < SLICES; slice++) {
		memset(burst.histories, 0, sizeof(burst.histories));
		for (enum diff_figure figure = 0; figure < DIFF_SLICED; figure++)
			burst.histories[figure].changes[slice] = 100000;
		for (enum diff_figure figure = 0; figure < DIFF_SLICED; figure++)
			assert_false(
				diff_change(diff_estimate(&side, &by_time, figure, NULL, &burst),
					    diff_estimate(&side, &by_time, figure, &burst, NULL),
					    &level)
					.is_certain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batch_means),  cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_ranges),	     cmocka_unit_test(test_lost_samples),
		cmocka_unit_test(test_states),	     cmocka_unit_test(test_no_false_change),
		cmocka_unit_test(test_finds_change), cmocka_unit_test(test_one_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
