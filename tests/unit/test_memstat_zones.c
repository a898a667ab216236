// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The size classes of the process: which queries set them, and indices out of range. */
#include "config.h"

#include <errno.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

static const size_t small[] = { 8, 16, 32 };
static const size_t large[] = { 64, 96, 128, 192, 256 };

static struct fake fake_zones(const size_t *classes, size_t count)
{
	return (struct fake){ .classes = classes, .class_count = count };
}

static void expect_zones(const size_t *classes, size_t count)
{
	assert_int_equal(memstat_malloc_zone_get_count(), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(memstat_malloc_zone_get_size(i), classes[i]);
	assert_int_equal(memstat_malloc_zone_get_size(count), 0);
	assert_int_equal(memstat_malloc_zone_get_size(SIZE_MAX), 0);
}

/* The first test: the table has not been set. */
static void test_before(void **state)
{
	struct memory_type_list *list = memstat_mtl_alloc();
	struct fake fake = fake_zones(small, 3);

	(void)state;
	expect_zones(NULL, 0);
	assert_int_equal(memstat_malloc_zone_used(NULL, 0), 0);
	assert_int_equal(fake_query(list, QUERY_UMA, &fake), 0);
	expect_zones(NULL, 0);
	fake.err = EACCES;
	assert_int_equal(fake_query(list, QUERY_MALLOC, &fake), -1);
	expect_zones(NULL, 0);
	memstat_mtl_free(list);
	expect_zones(NULL, 0);
}

static void test_last_wins(void **state)
{
	struct memory_type_list *one = memstat_mtl_alloc(), *other = memstat_mtl_alloc();
	struct fake first = fake_zones(small, 3), second = fake_zones(large, 5);

	(void)state;
	assert_int_equal(fake_query(one, QUERY_MALLOC, &first), 0);
	expect_zones(small, 3);
	assert_int_equal(fake_query(other, QUERY_ALL, &second), 0);
	expect_zones(large, 5);
	memstat_mtl_free(other);
	expect_zones(large, 5);
	assert_int_equal(fake_query(one, QUERY_UMA, &first), 0);
	expect_zones(large, 5);
	assert_int_equal(fake_query(one, QUERY_MALLOC, &first), 0);
	expect_zones(small, 3);
	memstat_mtl_free(one);
	expect_zones(small, 3);
}

static void test_used(void **state)
{
	struct memory_type_list *list = memstat_mtl_alloc();
	struct source_type types[] = { fake_type(ALLOCATOR_MALLOC, "a", 2, 0),
				       fake_type(ALLOCATOR_UMA, "b", 2, 0) };
	struct fake fake = fake_zones(large, 5), shorter = fake_zones(small, 3);
	struct memory_type_list *other = memstat_mtl_alloc();
	struct memory_type *a, *b;

	(void)state;
	types[0].counters.sizemask = 1 << 1 | 1 << 4;
	fake.types = types;
	fake.count = 2;
	assert_int_equal(fake_query(list, QUERY_ALL, &fake), 0);
	a = memstat_mtl_find(list, ALLOCATOR_MALLOC, "a");
	b = memstat_mtl_find(list, ALLOCATOR_UMA, "b");
	for (size_t n = 0; n < 5; n++) {
		assert_int_equal(memstat_malloc_zone_used(a, n), n == 1 || n == 4);
		assert_int_equal(memstat_malloc_zone_used(b, n), 0);
	}
	assert_int_equal(memstat_malloc_zone_used(a, 5), 0);
	assert_int_equal(memstat_malloc_zone_used(a, 65), 0); /* 1 modulo 64 */
	assert_int_equal(memstat_malloc_zone_used(a, SIZE_MAX), 0);
	/* the table of another query has no class 4 */
	assert_int_equal(fake_query(other, QUERY_ALL, &shorter), 0);
	assert_int_equal(memstat_malloc_zone_used(a, 1), 1);
	assert_int_equal(memstat_malloc_zone_used(a, 4), 0);
	memstat_mtl_free(list);
	memstat_mtl_free(other);
}

/* As many as a sizemask has bits. */
static void test_full(void **state)
{
	struct memory_type_list *list = memstat_mtl_alloc();
	struct source_type type = fake_type(ALLOCATOR_MALLOC, "a", 2, 0);
	struct fake fake;
	size_t classes[CLASSES_MAX];

	(void)state;
	for (size_t i = 0; i < CLASSES_MAX; i++)
		classes[i] = 8 * (i + 1);
	fake = fake_zones(classes, CLASSES_MAX);
	type.counters.sizemask = UINT64_C(1) << 63;
	fake.types = &type;
	fake.count = 1;
	assert_int_equal(fake_query(list, QUERY_ALL, &fake), 0);
	expect_zones(classes, CLASSES_MAX);
	assert_int_equal(memstat_malloc_zone_used(memstat_mtl_first(list), 63), 1);
	assert_int_equal(memstat_malloc_zone_used(memstat_mtl_first(list), 62), 0);
	assert_int_equal(memstat_malloc_zone_used(memstat_mtl_first(list), 64), 0);
	memstat_mtl_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_used),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
