// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of memory types: order, searching, and what stays from query to query. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

#define MALLOC ALLOCATOR_MALLOC
#define UMA ALLOCATOR_UMA
#define ANY ALLOCATOR_ANY

static void query_types(struct memory_type_list *list, unsigned int allocators,
			struct source_type *types, size_t count)
{
	struct fake fake = { .types = types, .count = count, .cpus = 4 };

	assert_int_equal(fake_query(list, allocators, &fake), 0);
}

static void expect_types(struct memory_type_list *list, const char *expected)
{
	char *walked = fake_walk(list);

	assert_string_equal(walked, expected);
	free(walked);
}

static void test_empty(void **state)
{
	assert_null(memstat_mtl_first(*state));
	assert_null(memstat_mtl_find(*state, ANY, "a"));
	assert_null(memstat_mtl_find(*state, ANY, ""));
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_UNDEFINED);
	query_types(*state, QUERY_ALL, NULL, 0);
	assert_null(memstat_mtl_first(*state));
}

static void test_null(void **state)
{
	assert_null(memstat_mtl_first(NULL));
	assert_null(memstat_mtl_next(NULL));
	assert_null(memstat_mtl_find(NULL, ANY, "a"));
	assert_null(memstat_mtl_find(*state, ANY, NULL));
	memstat_mtl_free(NULL);
}

static void test_newest_first(void **state)
{
	struct source_type first[] = { fake_type(MALLOC, "a", 1, 0), fake_type(MALLOC, "b", 1, 0),
				       fake_type(UMA, "c", 1, 0), fake_type(UMA, "d", 1, 0) };
	struct source_type second[] = { fake_type(MALLOC, "b", 1, 0), fake_type(MALLOC, "e", 1, 0),
					fake_type(MALLOC, "a", 1, 0), fake_type(UMA, "f", 1, 0),
					fake_type(UMA, "c", 1, 0) };

	query_types(*state, QUERY_ALL, first, 4);
	expect_types(*state, "uma:d uma:c malloc:b malloc:a");
	query_types(*state, QUERY_ALL, second, 5);
	expect_types(*state, "uma:f malloc:e uma:d uma:c malloc:b malloc:a");
}

static void test_only_what_was_asked(void **state)
{
	struct source_type types[] = { fake_type(MALLOC, "a", 1, 0), fake_type(UMA, "b", 1, 0) };

	query_types(*state, QUERY_UMA, types, 2);
	expect_types(*state, "uma:b");
	query_types(*state, QUERY_MALLOC, types, 2);
	expect_types(*state, "malloc:a uma:b");
}

static void test_find(void **state)
{
	struct source_type types[] = { fake_type(MALLOC, "same", 1, 0),
				       fake_type(MALLOC, "a", 2, 0), fake_type(UMA, "same", 3, 0),
				       fake_type(UMA, "aa", 4, 0) };
	struct memory_type *type;

	query_types(*state, QUERY_ALL, types, 4);
	type = memstat_mtl_find(*state, MALLOC, "same");
	assert_int_equal(memstat_get_allocator(type), MALLOC);
	assert_int_equal(memstat_get_count(type), 1);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, UMA, "same")), 3);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, ANY, "same")), 3);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, ANY, "a")), 2);
	assert_null(memstat_mtl_find(*state, UMA, "a"));
	assert_null(memstat_mtl_find(*state, MALLOC, "aa"));
	assert_null(memstat_mtl_find(*state, ANY, "A"));
	assert_null(memstat_mtl_find(*state, ANY, "sam"));
	assert_null(memstat_mtl_find(*state, ANY, "same "));
	assert_null(memstat_mtl_find(*state, ALLOCATOR_UNKNOWN, "same"));
	assert_null(memstat_mtl_find(*state, 3, "same"));
	assert_null(memstat_mtl_find(*state, -1, "same"));
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_UNDEFINED);
}

/* Of two types with the name, the first in the list is found. */
static void test_find_any_is_newest(void **state)
{
	struct source_type uma = fake_type(UMA, "same", 1, 0);
	struct source_type call = fake_type(MALLOC, "same", 2, 0);

	query_types(*state, QUERY_UMA, &uma, 1);
	query_types(*state, QUERY_MALLOC, &call, 1);
	assert_ptr_equal(memstat_mtl_find(*state, ANY, "same"), memstat_mtl_first(*state));
	assert_int_equal(memstat_get_allocator(memstat_mtl_find(*state, ANY, "same")), MALLOC);
}

static void test_aliases(void **state)
{
	struct source_type types[] = { fake_type(MALLOC, "fork", 9, 0), fake_type(UMA, "pid", 1, 0),
				       fake_type(UMA, "own", 2, 0) };
	const struct memory_type *pid;

	types[1].aliases = "task_delay_info,fork,own";
	query_types(*state, QUERY_ALL, types, 3);
	pid = memstat_mtl_find(*state, UMA, "pid");
	assert_ptr_equal(memstat_mtl_find(*state, UMA, "task_delay_info"), pid);
	assert_ptr_equal(memstat_mtl_find(*state, ANY, "task_delay_info"), pid);
	assert_ptr_equal(memstat_mtl_find(*state, UMA, "fork"), pid);
	assert_null(memstat_mtl_find(*state, MALLOC, "task_delay_info"));
	/* a name comes before an alias */
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, ANY, "fork")), 9);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, UMA, "own")), 2);
	assert_null(memstat_mtl_find(*state, ANY, "task"));
	assert_null(memstat_mtl_find(*state, ANY, "for"));
	assert_null(memstat_mtl_find(*state, ANY, ""));
	assert_null(memstat_mtl_find(*state, ANY, "fork,own"));
	assert_null(memstat_mtl_find(*state, ANY, ","));

	types[1].aliases = "x,,other";
	query_types(*state, QUERY_UMA, types, 3);
	assert_ptr_equal(memstat_mtl_find(*state, UMA, "other"), pid);
	assert_null(memstat_mtl_find(*state, UMA, ""));
	assert_null(memstat_mtl_find(*state, UMA, "task_delay_info"));
	/* a cache that the source no longer has keeps its names */
	query_types(*state, QUERY_UMA, NULL, 0);
	assert_ptr_equal(memstat_mtl_find(*state, UMA, "other"), pid);
}

static void test_long_names(void **state)
{
	char name[1000];
	struct source_type types[2];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	types[0] = fake_type(MALLOC, name, 1, 0);
	types[1] = fake_type(MALLOC, name + 1, 2, 0); /* a part of the name */
	query_types(*state, QUERY_ALL, types, 2);
	assert_string_equal(memstat_get_name(memstat_mtl_find(*state, ANY, name)), name);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, ANY, name + 1)), 2);
	/* the list has a copy of the name */
	name[500] = 'y';
	assert_null(memstat_mtl_find(*state, ANY, name));
}

/* The same names in both allocators are different types. */
static void test_many_names(void **state)
{
	enum {
		COUNT = 5000
	};
	struct source_type *types = calloc(2 * COUNT, sizeof(*types));
	char(*names)[16] = calloc(COUNT, sizeof(*names));

	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		types[i] = fake_type(MALLOC, names[i], i, 0);
		types[COUNT + i] = fake_type(UMA, names[i], COUNT + i, 0);
	}
	query_types(*state, QUERY_ALL, types, 2 * COUNT);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(memstat_get_count(memstat_mtl_find(*state, MALLOC, names[i])), i);
		assert_int_equal(memstat_get_count(memstat_mtl_find(*state, UMA, names[i])),
				 COUNT + i);
	}
	free(types);
	free(names);
}

/* A type stays at its address, with its name and the caller's data. */
static void test_stable(void **state)
{
	enum {
		COUNT = 3000
	};
	struct source_type *types = calloc(COUNT, sizeof(*types));
	struct memory_type **pointers = calloc(COUNT, sizeof(struct memory_type *));
	const char **kept = calloc(COUNT, sizeof(char *));
	char(*names)[16] = calloc(COUNT, sizeof(*names));

	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "type-%d", i);
		types[i] = fake_type(i % 2 ? UMA : MALLOC, names[i], i + 1, 0);
		query_types(*state, QUERY_ALL, types, i < 100 ? i + 1 : 0);
		if (i >= 100)
			continue;
		pointers[i] = memstat_mtl_find(*state, ANY, names[i]);
		memstat_set_caller_uint64(pointers[i], 3, i);
		memstat_set_caller_pointer(pointers[i], 4, &names[i]);
		memstat_set_percpu_caller_uint64(pointers[i], 3, 15, i);
		memstat_set_percpu_caller_pointer(pointers[i], 0, 0, &names[i]);
		kept[i] = memstat_get_name(pointers[i]);
	}
	query_types(*state, QUERY_ALL, types, COUNT);
	for (int i = 0; i < COUNT; i++) {
		struct memory_type *type = memstat_mtl_find(*state, ANY, names[i]);

		assert_int_equal(memstat_get_count(type), i + 1);
		if (i >= 100)
			continue;
		assert_ptr_equal(type, pointers[i]);
		assert_ptr_equal(memstat_get_name(type), kept[i]);
		assert_int_equal(memstat_get_caller_uint64(type, 3), i);
		assert_ptr_equal(memstat_get_caller_pointer(type, 4), &names[i]);
		assert_int_equal(memstat_get_percpu_caller_uint64(type, 3, 15), i);
		assert_ptr_equal(memstat_get_percpu_caller_pointer(type, 0, 0), &names[i]);
	}
	free(types);
	free(pointers);
	free(kept);
	free(names);
}

/* Types are never removed; a type that the source no longer has has no objects. */
static void test_never_removed(void **state)
{
	struct source_type types[] = { fake_type(MALLOC, "a", 5, 1), fake_type(UMA, "b", 7, 2) };
	const struct percpu_counters percpu[4] = { { .numallocs = 7, .free = 3 } };
	struct memory_type *b;

	types[1].percpu = percpu;
	types[1].cpus = 4;
	types[1].counters.rsize = 128;
	query_types(*state, QUERY_ALL, types, 2);
	b = memstat_mtl_find(*state, UMA, "b");
	assert_int_equal(memstat_get_free(b), 3);

	query_types(*state, QUERY_MALLOC, types, 1);
	assert_int_equal(memstat_get_count(b), 5); /* not requested */
	query_types(*state, QUERY_UMA, NULL, 0);
	expect_types(*state, "uma:b malloc:a");
	assert_int_equal(memstat_get_numallocs(b), 0);
	assert_int_equal(memstat_get_bytes(b), 0);
	assert_int_equal(memstat_get_free(b), 0);
	assert_int_equal(memstat_get_percpu_numallocs(b, 0), 0);
	assert_int_equal(memstat_get_size(b), 100);
	assert_int_equal(memstat_get_rsize(b), 128);
	assert_int_equal(memstat_get_count(memstat_mtl_find(*state, ANY, "a")), 4);

	query_types(*state, QUERY_ALL, types, 2);
	assert_ptr_equal(memstat_mtl_find(*state, UMA, "b"), b);
	assert_int_equal(memstat_get_count(b), 5);
	expect_types(*state, "uma:b malloc:a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_empty, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_null, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_newest_first, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_only_what_was_asked, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_find, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_find_any_is_newest, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_aliases, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_long_names, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_many_names, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_stable, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_never_removed, fake_list_set_up,
						fake_list_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
