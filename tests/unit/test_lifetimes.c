// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The buckets of lifetimes cover all times without gaps; none is wider than 1/8 of its start. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
	struct lifetimes lifetimes = { { 0 } };

	(void)state;
	assert_int_equal(lifetimes_percentile(&lifetimes, 50), 0);
	lifetimes.counts[lifetime_bucket(5)] = 50;
	lifetimes.counts[lifetime_bucket(1000)] = 49;
	lifetimes.counts[lifetime_bucket(1000000)] = 1;
	assert_int_equal(lifetimes_percentile(&lifetimes, 50), 5);
	assert_int_equal(lifetimes_percentile(&lifetimes, 51),
			 lifetime_last(lifetime_bucket(1000)));
	assert_int_equal(lifetimes_percentile(&lifetimes, 99),
			 lifetime_last(lifetime_bucket(1000)));
	assert_int_equal(lifetimes_percentile(&lifetimes, 100),
			 lifetime_last(lifetime_bucket(1000000)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentile),
	};

	return cmocka_run_group_tests_name("lifetimes", tests, NULL, NULL);
}
