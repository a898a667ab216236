// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time slices: their width if the end is known, and their doubling if it is not. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/views/slices.h"

#define SECOND 1000000000ULL

static void expect_width(uint64_t span, uint64_t width, size_t count)
{
	struct slices slices;

	slices_init(&slices, 1000, 1000 + span);
	assert_int_equal(slices.width, width);
	assert_int_equal(slices_include(&slices, 1000), 0);
	assert_int_equal(slices.count, 1);
	assert_int_equal(slices_include(&slices, 1000 + span - 1), count - 1);
	assert_int_equal(slices.count, count);
	assert_int_equal(slices_end(&slices, count - 1, 1000 + span), 1000 + span);
	assert_int_equal(slices.doublings, 0);
}

static void test_known_end(void **state)
{
	(void)state;
	expect_width(1, 1, 1);
	expect_width(64, 1, 64);
	expect_width(65, 2, 33);
	expect_width(128, 2, 64);
	expect_width(129, 5, 26);
	expect_width(10 * SECOND, SECOND / 5, 50);
	expect_width(10 * SECOND + 1, SECOND / 5, 51);
	expect_width(UINT64_MAX - 2000, 500000000000000000, 37);
}

/* Times before or after are in the first or last slice; an end before the begin is one slice.
 */
static void test_outside(void **state)
{
	struct slices slices;

	(void)state;
	slices_init(&slices, 1000, 1640);
	assert_int_equal(slices_include(&slices, 0), 0);
	assert_int_equal(slices_include(&slices, 1640), 63);
	assert_int_equal(slices_include(&slices, UINT64_MAX), 63);
	assert_int_equal(slices.width, 10);
	slices_init(&slices, 1000, 1000);
	assert_int_equal(slices_include(&slices, 5000), 0);
	assert_int_equal(slices.count, 1);
}

static void test_ends(void **state)
{
	struct slices slices;

	(void)state;
	slices_init(&slices, 100, 325);
	slices_include(&slices, 324);
	assert_int_equal(slices.count, 45);
	assert_int_equal(slices_end(&slices, 0, 325), 105);
	assert_int_equal(slices_end(&slices, 43, 325), 320);
	assert_int_equal(slices_end(&slices, 44, 325), 325);
	assert_int_equal(slices_end(&slices, 43, 319), 319);
}

/* Values are in the same slices in whatever order their times come. */
static void test_doubling(void **state)
{
	int64_t values[SLICES_MAX] = { 0 }, sum = 0;
	unsigned int merged = 0;
	struct slices slices;
	size_t last;

	(void)state;
	slices_init(&slices, 7, 0);
	assert_int_equal(slices.width, 1000000);
	for (uint64_t i = 0; i < 10000; i++) {
		size_t slice = slices_include(&slices, 7 + i * 1000000);

		for (; merged < slices.doublings; merged++)
			slices_merge(values);
		values[slice]++;
	}
	assert_int_equal(slices.width, 256000000);
	assert_int_equal(slices.doublings, 8);
	assert_int_equal(slices.count, 40);
	for (size_t i = 0; i < SLICES_MAX; i++) {
		assert_int_equal(values[i], i < 39 ? 256 : i == 39 ? 16 : 0);
		sum += values[i];
	}
	assert_int_equal(sum, 10000);
	last = slices_include(&slices, UINT64_MAX);
	assert_int_equal(slices.count, last + 1);
	assert_in_range(slices.count, SLICES_MAX / 2, SLICES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_end),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_doubling),
	};

	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
