// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The buckets of lifetimes cover all times without gaps; none is wider than 1/8 of its start. */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/unit.h"
#include "analysis/lifetimes.h"

static void test_buckets(void **state)
{
	(void)state;
	assert_int_equal(lifetime_first(0), 0);
	for (unsigned int i = 0; i + 1 < LIFETIME_BUCKETS; i++) {
		uint64_t first = lifetime_first(i), last = lifetime_last(i);

		assert_int_equal(lifetime_bucket(first), i);
		assert_int_equal(lifetime_bucket(last), i);
		assert_int_equal(lifetime_first(i + 1), last + 1);
		assert_true(last - first <= first / 8);
	}
	assert_int_equal(lifetime_bucket(UINT64_MAX), LIFETIME_BUCKETS - 1);
	assert_int_equal(lifetime_last(LIFETIME_BUCKETS - 1), UINT64_MAX);
}

static void test_percentile(void **state)
{
	const struct lifetimes empty = { 0 };
	struct lifetimes *lifetimes = NULL;

	(void)state;
	assert_int_equal(lifetimes_percentile(&empty, 50, UINT64_MAX), 0);
	assert_int_equal(lifetimes_count(&lifetimes, 1000, 49), 0);
	assert_int_equal(lifetimes_count(&lifetimes, 1000000, 1), 0);
	assert_int_equal(lifetimes_count(&lifetimes, 5, 50), 0);
	assert_int_equal(lifetimes_percentile(lifetimes, 50, UINT64_MAX), 5);
	assert_int_equal(lifetimes_percentile(lifetimes, 51, UINT64_MAX),
			 lifetime_last(lifetime_bucket(1000)));
	assert_int_equal(lifetimes_percentile(lifetimes, 99, UINT64_MAX),
			 lifetime_last(lifetime_bucket(1000)));
	assert_int_equal(lifetimes_percentile(lifetimes, 100, UINT64_MAX),
			 lifetime_last(lifetime_bucket(1000000)));
	free(lifetimes);
}

/* A class ends behind the window, but no object lived longer than the window, or than the longest.
 */
static void test_percentile_within_window(void **state)
{
	struct lifetimes *lifetimes = NULL;

	(void)state;
	assert_int_equal(lifetimes_count(&lifetimes, 1000, 1), 0);
	assert_int_equal(lifetimes_percentile(lifetimes, 99, 5000),
			 lifetime_last(lifetime_bucket(1000)));
	assert_int_equal(lifetimes_percentile(lifetimes, 99, 1010), 1010);
	assert_int_equal(lifetimes_percentile(lifetimes, 99, 1000), 1000);
	assert_int_equal(lifetimes_percentile(lifetimes, 99, 900), 1000);
	assert_int_equal(lifetimes_count(&lifetimes, 1, 99), 0);
	assert_int_equal(lifetimes_percentile(lifetimes, 99, 900), 1);
	free(lifetimes);
}

/* The buckets between the first and the last have memory, whatever the order of the lifetimes. */
static void test_growth(void **state)
{
	struct lifetimes *lifetimes = NULL, *sum = NULL;
	const unsigned int order[] = { 200, 201, 199, 50, 375, 0, 7 };
	const unsigned int count = sizeof(order) / sizeof(*order);

	(void)state;
	assert_int_equal(lifetimes_add(&sum, NULL), 0);
	assert_null(sum);
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(lifetimes_count(&lifetimes, lifetime_first(order[i]), i + 1), 0);
		assert_int_equal(lifetimes_add(&sum, lifetimes), 0);
		for (unsigned int k = 0; k <= i; k++)
			assert_int_equal(lifetimes_in(lifetimes, order[k]), k + 1);
		if (i < 3)
			assert_true(lifetimes->count <= 4);
	}
	assert_int_equal(lifetimes->first, 0);
	assert_int_equal(lifetimes->count, LIFETIME_BUCKETS);
	assert_int_equal(lifetimes_in(lifetimes, 100), 0);
	for (unsigned int k = 0; k < count; k++)
		assert_int_equal(lifetimes_in(sum, order[k]), (k + 1) * (count - k));
	assert_int_equal(sum->longest, lifetime_first(375));
	free(lifetimes);
	free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_percentile_within_window),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests_name("lifetimes", tests, NULL, NULL);
}
