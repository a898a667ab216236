// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions that read a type: each counter, computed values, and arguments out of range. */
#include "config.h"

#include <limits.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

static const size_t classes[] = { 8, 16, 32, 64 };

static const struct percpu_counters percpu[3] = {
	{ .numallocs = 30, .numfrees = 3, .memalloced = 300, .memfreed = 30, .sizemask = 1 },
	{ .numallocs = 10, .numfrees = 11, .memalloced = 100, .memfreed = 110, .sizemask = 8 },
	{ .numallocs = 2, .free = 5 },
};

static struct source_type source_types[] = {
	{ .allocator = ALLOCATOR_MALLOC,
	  .name = "call",
	  .percpu = percpu,
	  .cpus = 3,
	  .counters = { .size = 1,
			.rsize = 1,
			.countlimit = 1,
			.numallocs = 42,
			.numfrees = 14,
			.memalloced = 400,
			.memfreed = 140,
			.sizemask = 9,
			.failures = 6,
			.sleeps = 7,
			.xdomain = 8 } },
	{ .allocator = ALLOCATOR_UMA,
	  .name = "cache",
	  .percpu = percpu,
	  .cpus = 3,
	  .counters = { .size = 40,
			.rsize = 48,
			.countlimit = 1000,
			.numallocs = 42,
			.numfrees = 14,
			.memalloced = 1,
			.memfreed = 1,
			.sizemask = UINT64_MAX,
			.failures = 1,
			.sleeps = 2,
			.xdomain = 3,
			.zonefree = 20,
			.kegfree = 100 } },
};

struct types {
	struct memory_type_list *list;
	struct memory_type *call, *cache;
};

static int set_up_memstat_accessors(void **state)
{
	static struct types types;
	struct fake fake = {
		.types = source_types, .count = 2, .cpus = 3, .classes = classes, .class_count = 4
	};

	types.list = memstat_mtl_alloc();
	if (fake_query(types.list, QUERY_ALL, &fake))
		return -1;
	types.call = memstat_mtl_find(types.list, ALLOCATOR_MALLOC, "call");
	types.cache = memstat_mtl_find(types.list, ALLOCATOR_UMA, "cache");
	*state = &types;
	return 0;
}

static int tear_down_memstat_accessors(void **state)
{
	struct types *types = *state;

	memstat_mtl_free(types->list);
	return 0;
}

static void test_figures(void **state)
{
	struct types *types = *state;

	fake_expect(types->list, "call",
		    "malloc:call sizemask 9 memalloced 400 memfreed 140 numallocs 42 numfrees 14 "
		    "bytes 260 count 28 free 5 failures 6 sleeps 7 xdomain 8; 0: memalloced 300 "
		    "memfreed 30 numallocs 30 numfrees 3 sizemask 1; 1: memalloced 100 memfreed "
		    "110 numallocs 10 numfrees 11 sizemask 8; 2: numallocs 2 free 5");
	fake_expect(types->list, "cache",
		    "uma:cache countlimit 1000 byteslimit 40000 size 40 rsize 48 memalloced 1680 "
		    "memfreed 560 numallocs 42 numfrees 14 bytes 1120 count 28 free 125 failures 1 "
		    "sleeps 2 xdomain 3 zonefree 20 kegfree 100; 0: memalloced 1200 memfreed 120 "
		    "numallocs 30 numfrees 3; 1: memalloced 400 memfreed 440 numallocs 10 numfrees "
		    "11; 2: memalloced 80 numallocs 2 free 5");
}

static void percpu_keeps_nothing(struct memory_type *type, int cpu, int index)
{
	memstat_set_percpu_caller_uint64(type, cpu, index, 1);
	memstat_set_percpu_caller_pointer(type, cpu, index, type);
	assert_int_equal(memstat_get_percpu_caller_uint64(type, cpu, index), 0);
	assert_null(memstat_get_percpu_caller_pointer(type, cpu, index));
}

static void keeps_nothing(struct memory_type *type, int index)
{
	memstat_set_caller_uint64(type, index, 1);
	memstat_set_caller_pointer(type, index, type);
	assert_int_equal(memstat_get_caller_uint64(type, index), 0);
	assert_null(memstat_get_caller_pointer(type, index));
}

static void test_out_of_range(void **state)
{
	static const int cpus[] = { 3, 4, 1000000, INT_MAX, -1, INT_MIN };
	static const int slots[] = { 16, 17, INT_MAX, -1, INT_MIN };
	struct types *types = *state;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		fake_expect_nothing(types->call, cpus[i]);
		fake_expect_nothing(types->cache, cpus[i]);
		percpu_keeps_nothing(types->cache, cpus[i], 0);
	}
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++) {
		keeps_nothing(types->cache, slots[i]);
		percpu_keeps_nothing(types->cache, 0, slots[i]);
	}
	/* and nothing was written outside of them */
	for (int slot = 0; slot < MEMSTAT_MAXCALLER; slot++) {
		assert_int_equal(memstat_get_caller_uint64(types->cache, slot), 0);
		assert_null(memstat_get_caller_pointer(types->cache, slot));
		for (int cpu = 0; cpu < 3; cpu++) {
			assert_int_equal(memstat_get_percpu_caller_uint64(types->cache, cpu, slot),
					 0);
			assert_null(memstat_get_percpu_caller_pointer(types->cache, cpu, slot));
		}
	}
}

static void test_null(void **state)
{
	(void)state;
	fake_expect(NULL, "call", "");
	assert_null(memstat_get_name(NULL));
	assert_int_equal(memstat_get_allocator(NULL), ALLOCATOR_UNKNOWN);
	fake_expect_nothing(NULL, 0);
	percpu_keeps_nothing(NULL, 0, 0);
	keeps_nothing(NULL, 0);
}

/* All slots are independent, the first and the last too. */
static void test_caller(void **state)
{
	struct types *types = *state;
	char places[4][MEMSTAT_MAXCALLER];

	for (int slot = 0; slot < MEMSTAT_MAXCALLER; slot++) {
		memstat_set_caller_uint64(types->call, slot, 1000 + slot);
		memstat_set_caller_pointer(types->call, slot, &places[3][slot]);
		for (int cpu = 0; cpu < 3; cpu++) {
			memstat_set_percpu_caller_uint64(types->call, cpu, slot, 100 * cpu + slot);
			memstat_set_percpu_caller_pointer(types->call, cpu, slot,
							  &places[cpu][slot]);
		}
	}
	for (int slot = 0; slot < MEMSTAT_MAXCALLER; slot++) {
		assert_int_equal(memstat_get_caller_uint64(types->call, slot), 1000 + slot);
		assert_ptr_equal(memstat_get_caller_pointer(types->call, slot), &places[3][slot]);
		for (int cpu = 0; cpu < 3; cpu++) {
			assert_int_equal(memstat_get_percpu_caller_uint64(types->call, cpu, slot),
					 100 * cpu + slot);
			assert_ptr_equal(memstat_get_percpu_caller_pointer(types->call, cpu, slot),
					 &places[cpu][slot]);
		}
		assert_int_equal(memstat_get_caller_uint64(types->cache, slot), 0);
		assert_null(memstat_get_percpu_caller_pointer(types->cache, 0, slot));
	}
}

/* A query without counters by CPU clears those of the query before. */
static void test_no_percpu(void **state)
{
	struct source_type type = source_types[1];
	struct fake fake = { .types = &type, .count = 1, .cpus = 3 };
	struct types *types = *state;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(fake_query(types->list, QUERY_UMA, &fake), 0);
		assert_int_equal(memstat_get_free(types->cache), type.percpu ? 125 : 120);
		assert_int_equal(memstat_get_percpu_numallocs(types->cache, 0),
				 type.percpu ? 30 : 0);
		if (i)
			type.percpu = NULL;
	}
}

/* The slots of CPUs keep their values when a query has fewer CPUs, and then more. */
static void test_other_cpus(void **state)
{
	static const struct percpu_counters many[5] = { [4] = { .numallocs = 1 } };
	struct source_type type = {
		.allocator = ALLOCATOR_UMA, .name = "cache", .percpu = many, .cpus = 1
	};
	struct fake fake = { .types = &type, .count = 1, .cpus = 1 };
	struct types *types = *state;

	memstat_set_percpu_caller_uint64(types->cache, 2, 7, 77);
	assert_int_equal(fake_query(types->list, QUERY_UMA, &fake), 0);
	assert_int_equal(memstat_mtl_cpus(types->list), 1);
	assert_int_equal(memstat_get_percpu_numallocs(types->cache, 2), 0);
	assert_int_equal(memstat_get_percpu_caller_uint64(types->cache, 2, 7), 77);
	memstat_set_percpu_caller_uint64(types->cache, 1, 7, 66);
	assert_int_equal(memstat_get_percpu_caller_uint64(types->cache, 1, 7), 66);

	fake.cpus = type.cpus = 5;
	assert_int_equal(fake_query(types->list, QUERY_UMA, &fake), 0);
	assert_int_equal(memstat_get_percpu_numallocs(types->cache, 4), 1);
	memstat_set_percpu_caller_uint64(types->cache, 4, 7, 55);
	assert_int_equal(memstat_get_percpu_caller_uint64(types->cache, 4, 7), 55);
	assert_int_equal(memstat_get_percpu_caller_uint64(types->cache, 2, 7), 77);
	percpu_keeps_nothing(types->cache, 5, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_figures, set_up_memstat_accessors,
						tear_down_memstat_accessors),
		cmocka_unit_test_setup_teardown(test_out_of_range, set_up_memstat_accessors,
						tear_down_memstat_accessors),
		cmocka_unit_test(test_null),
		cmocka_unit_test_setup_teardown(test_caller, set_up_memstat_accessors,
						tear_down_memstat_accessors),
		cmocka_unit_test_setup_teardown(test_no_percpu, set_up_memstat_accessors,
						tear_down_memstat_accessors),
		cmocka_unit_test_setup_teardown(test_other_cpus, set_up_memstat_accessors,
						tear_down_memstat_accessors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
