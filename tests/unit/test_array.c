// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Growable arrays. */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/unit.h"
#include "base/array.h"

static void grows_one_by_one_and_keeps_its_elements(void **state)
{
	uint32_t *list = NULL;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		list = array_grow(list, i, sizeof(*list));
		assert_non_null(list);
		list[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	free(list);
}

static void new_elements_are_zero(void **state)
{
	uint32_t *list = NULL;
	size_t space = 0, before;

	(void)state;
	for (size_t count = 1; count < 5000; count += 1 + count / 3) {
		before = space;
		list = array_grow_zeroed(list, &space, count, sizeof(*list));
		assert_non_null(list);
		assert_true(space >= count);
		for (size_t i = 0; i < before; i++)
			assert_int_equal(list[i], 7);
		for (size_t i = before; i < space; i++) {
			assert_int_equal(list[i], 0);
			list[i] = 7;
		}
	}
	free(list);
}

static void large_enough_array_stays(void **state)
{
	size_t space = 0;
	uint64_t *list;

	(void)state;
	list = array_grow_zeroed(NULL, &space, 10, sizeof(*list));
	assert_int_equal(space, 10);
	list[9] = 3;
	assert_ptr_equal(array_grow_zeroed(list, &space, 4, sizeof(*list)), list);
	assert_int_equal(space, 10);
	assert_int_equal(list[9], 3);
	free(list);
}

static void too_large_a_size_fails(void **state)
{
	size_t space = 0;

	(void)state;
	assert_null(array_grow_zeroed(NULL, &space, SIZE_MAX / 4, 16));
	assert_int_equal(space, 0);
	/* powers of two: the bytes overflow, and the elements too */
	assert_null(array_grow(NULL, SIZE_MAX / 4 + 1, 16));
	assert_null(array_grow(NULL, SIZE_MAX / 2 + 1, 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_one_by_one_and_keeps_its_elements),
		cmocka_unit_test(new_elements_are_zero),
		cmocka_unit_test(large_enough_array_stays),
		cmocka_unit_test(too_large_a_size_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
