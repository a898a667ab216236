// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Type statistics become counters of a list: with a base or without, in total and by CPU. */
#include "config.h"

#include <errno.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

static const size_t classes[] = { 8, 16, 32 };

/* Two of four possible CPUs allocated. */
static struct type_stats_cpu function_cpus[2] = {
	{ .numallocs = 1, .memalloced = 16, .sizemask = 2 },
	{ .numallocs = 6, .numfrees = 2, .memalloced = 48, .memfreed = 24, .sizemask = 1 },
};
static struct type_stats_cpu cache_cpus[1] = { { .numallocs = 9, .numfrees = 4 } };

static struct type_stats_type function = {
	.kind = TYPE_STATS_FUNCTION,
	.name = (char *)"caller [module]",
	.numallocs = 7,
	.numfrees = 3,
	.memalloced = 64,
	.memfreed = 32,
	.sizemask = 3,
	.failures = 5,
	.xdomain = 1,
	.cpus = function_cpus,
	.cpu_count = 2,
};
static struct type_stats_type cache = {
	.kind = TYPE_STATS_CACHE,
	.name = (char *)"cache",
	.aliases = "alias,other",
	.object_size = 100,
	.size = 128,
	.numallocs = 9,
	.numfrees = 4,
	.failures = 2,
	.xdomain = 3,
	.frees_unmatched = 6,
	.initial_count = 50,
	.kegfree = 11,
	.cpus = cache_cpus,
	.cpu_count = 1,
};

static int put_type(struct update *update, void *handle)
{
	const struct type_stats_type *only = handle;

	update_set_cpus(update, 4);
	update_set_classes(update, classes, 3);
	update_set_time(update, 12345);
	update_set_begin_time(update, 345);
	assert_int_equal(update_put_type_stats(update, only ? only : &function), 0);
	assert_int_equal(update_put_type_stats(update, only ? only : &cache), only ? -EEXIST : 0);
	return 0;
}

static int set_up_memstat_type_stats(void **state)
{
	*state = memstat_mtl_alloc();
	return *state ? query(*state, QUERY_ALL, put_type, NULL) : -1;
}

static int tear_down_memstat_type_stats(void **state)
{
	memstat_mtl_free(*state);
	cache.frees_unmatched = 6;
	return 0;
}

static const struct memory_type *find_any_type(struct memory_type_list *list, const char *name)
{
	const struct memory_type *type = memstat_mtl_find(list, ALLOCATOR_ANY, name);

	assert_non_null(type);
	return type;
}

static void test_types(void **state)
{
	struct memory_type_list *list = *state;

	fake_expect(list, "caller [module]",
		    "malloc:caller [module] sizemask 3 memalloced 64 memfreed 32 numallocs 7 "
		    "numfrees 3 bytes 32 count 4 failures 5 xdomain 1; 0: memalloced 16 numallocs "
		    "1 sizemask 2; 1: memalloced 48 memfreed 24 numallocs 6 numfrees 2 sizemask 1");
	fake_expect(list, "cache",
		    "uma:cache size 100 rsize 128 memalloced 900 memfreed 400 numallocs 9 numfrees "
		    "4 bytes 500 count 5 free 11 failures 2 xdomain 3 kegfree 11; 0: memalloced "
		    "900 memfreed 400 numallocs 9 numfrees 4");
	assert_ptr_equal(find_any_type(list, "alias"), find_any_type(list, "cache"));
	assert_ptr_equal(find_any_type(list, "other"), find_any_type(list, "cache"));
}

/* All possible CPUs have slots, also those without events. */
static void test_caller_of_quiet_cpu(void **state)
{
	struct memory_type *type = memstat_mtl_first(*state);

	memstat_set_percpu_caller_uint64(type, 3, 0, 7);
	memstat_set_percpu_caller_uint64(type, 4, 0, 7);
	assert_int_equal(memstat_get_percpu_caller_uint64(type, 3, 0), 7);
	assert_int_equal(memstat_get_percpu_caller_uint64(type, 4, 0), 0);
}

static int puts_one_of_eight(struct update *update, void *handle)
{
	static const struct percpu_counters percpu[8] = { { 0 } };
	const struct source_type type = {
		.allocator = ALLOCATOR_UMA, .name = "wide", .percpu = percpu, .cpus = 8
	};

	(void)handle;
	return update_put(update, &type);
}

/* A type with more CPUs than the source reported increases their number. */
static void test_more_cpus_than_told(void **state)
{
	struct memory_type *type;

	assert_int_equal(query(*state, QUERY_UMA, puts_one_of_eight, NULL), 0);
	type = memstat_mtl_find(*state, ALLOCATOR_UMA, "wide");
	memstat_set_percpu_caller_uint64(type, 7, 0, 7);
	assert_int_equal(memstat_get_percpu_caller_uint64(type, 7, 0), 7);
}

static void test_base(void **state)
{
	struct memory_type_list *list = *state;

	memstat_mtl_set_base(list, 1);
	assert_int_equal(memstat_get_numallocs(find_any_type(list, "cache")), 9); /* as yet */
	assert_int_equal(query(list, QUERY_ALL, put_type, NULL), 0);
	fake_expect(list, "cache",
		    "uma:cache size 100 rsize 128 memalloced 5900 memfreed 1000 numallocs 59 "
		    "numfrees 10 bytes 4900 count 49 free 11 failures 2 xdomain 3 kegfree 11; 0: "
		    "memalloced 900 memfreed 400 numallocs 9 numfrees 4");
	assert_int_equal(memstat_get_numallocs(find_any_type(list, "caller [module]")), 7);

	memstat_mtl_set_base(list, 0);
	assert_int_equal(query(list, QUERY_ALL, put_type, NULL), 0);
	assert_int_equal(memstat_get_numallocs(find_any_type(list, "cache")), 9);
	assert_int_equal(memstat_get_numfrees(find_any_type(list, "cache")), 4);
}

/* Unmatched frees beyond the initial objects are not counted. */
static void test_base_is_used_up(void **state)
{
	const struct memory_type *type = find_any_type(*state, "cache");

	memstat_mtl_set_base(*state, -1);
	for (uint64_t freed = 49; freed < 53; freed++) {
		cache.frees_unmatched = freed;
		assert_int_equal(query(*state, QUERY_UMA, put_type, NULL), 0);
		assert_int_equal(memstat_get_numallocs(type), 59);
		assert_int_equal(memstat_get_numfrees(type), freed < 50 ? 53 : 54);
	}
	memstat_mtl_set_base(NULL, 1);
}

static void test_time(void **state)
{
	struct memory_type_list *fresh = memstat_mtl_alloc();

	assert_int_equal(memstat_mtl_time(fresh), 0);
	assert_int_equal(memstat_mtl_begin(fresh), 0);
	assert_int_equal(memstat_mtl_cpus(fresh), 0);
	memstat_mtl_free(fresh);
	assert_int_equal(memstat_mtl_time(NULL), 0);
	assert_int_equal(memstat_mtl_begin(NULL), 0);
	assert_int_equal(memstat_mtl_cpus(NULL), 0);
	assert_int_equal(memstat_mtl_time(*state), 12345);
	assert_int_equal(memstat_mtl_begin(*state), 345);
	assert_int_equal(memstat_mtl_cpus(*state), 4);
	/* a query that fails does not change it */
	assert_int_equal(query(*state, QUERY_ALL, put_type, &cache), -1);
	assert_int_equal(memstat_mtl_time(*state), 12345);
	assert_int_equal(memstat_mtl_begin(*state), 345);
	assert_int_equal(memstat_mtl_cpus(*state), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_types, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
		cmocka_unit_test_setup_teardown(test_caller_of_quiet_cpu, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
		cmocka_unit_test_setup_teardown(test_more_cpus_than_told, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
		cmocka_unit_test_setup_teardown(test_base, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
		cmocka_unit_test_setup_teardown(test_base_is_used_up, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
		cmocka_unit_test_setup_teardown(test_time, set_up_memstat_type_stats,
						tear_down_memstat_type_stats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
