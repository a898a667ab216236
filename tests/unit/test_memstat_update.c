// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An update is all or nothing: inconsistent counters, failing sources, failing allocations. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/fail_malloc.h"
#include "tests/unit/fake_source.h"

#define MALLOC ALLOCATOR_MALLOC
#define UMA ALLOCATOR_UMA
#define TYPES 150 /* more than the first hash table has buckets */

static const size_t classes[] = { 8, 16, 32 };

static struct {
	char names[2 * TYPES][16];
	struct percpu_counters percpu[8];
	struct source_type before[TYPES], after[2 * TYPES];
} data;

static struct fake before, after;

/* After: the same types with other counters, CPUs and aliases, and as many new types between. */
static int make_types(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 8; cpu++)
		data.percpu[cpu].numallocs = cpu;
	for (int i = 0; i < 2 * TYPES; i++) {
		snprintf(data.names[i], sizeof(data.names[i]), "type-%d", i);
		data.after[i] = fake_type(i < TYPES ? MALLOC : UMA, data.names[i], 1000, i);
		data.after[i].percpu = data.percpu;
		data.after[i].cpus = 8;
		data.after[i].aliases = i < TYPES ? NULL : i % 3 ? "new" : "new,newer";
		if (i % 2)
			continue;
		data.before[i / 2] = data.after[i];
		data.before[i / 2].counters.numallocs = 2000;
		data.before[i / 2].counters.memalloced = 200000;
		data.before[i / 2].cpus = 2;
		if (i >= TYPES)
			data.before[i / 2].aliases = "old";
	}
	before = (struct fake){ .types = data.before,
				.count = TYPES,
				.cpus = 2,
				.classes = classes,
				.class_count = 2,
				.lost = 3 };
	after = (struct fake){ .types = data.after,
			       .count = 2 * TYPES,
			       .cpus = 8,
			       .classes = classes,
			       .class_count = 3,
			       .lost = 4 };
	return 0;
}

static int set_up_memstat_update(void **state)
{
	make_types(NULL);
	*state = memstat_mtl_alloc();
	return fake_query(*state, QUERY_ALL, &before);
}

/* The list shows all types and counters of the query before, in the same order. */
static void expect_before(struct memory_type_list *list)
{
	struct memory_type *type = memstat_mtl_first(list);

	for (int i = TYPES - 1; i >= 0; i--, type = memstat_mtl_next(type)) {
		const struct source_type *was = &data.before[i];

		assert_string_equal(memstat_get_name(type), was->name);
		assert_int_equal(memstat_get_allocator(type), was->allocator);
		assert_int_equal(memstat_get_numallocs(type), 2000);
		assert_int_equal(memstat_get_numfrees(type), was->counters.numfrees);
		assert_int_equal(memstat_get_percpu_numallocs(type, 1), 1);
		assert_int_equal(memstat_get_percpu_numallocs(type, 2), 0);
		assert_ptr_equal(memstat_mtl_find(list, was->allocator, was->name), type);
	}
	assert_null(type);
	assert_null(memstat_mtl_find(list, ALLOCATOR_ANY, "type-1"));
	assert_null(memstat_mtl_find(list, ALLOCATOR_ANY, "new"));
	assert_non_null(memstat_mtl_find(list, UMA, "old"));
	assert_int_equal(memstat_mtl_lost(list, ALLOCATOR_ANY), 3);
	assert_int_equal(memstat_malloc_zone_get_count(), 2);
}

static void expect_after(struct memory_type_list *list)
{
	for (int i = 0; i < 2 * TYPES; i++) {
		const struct source_type *is = &data.after[i];
		struct memory_type *type = memstat_mtl_find(list, is->allocator, is->name);

		assert_int_equal(memstat_get_numallocs(type), 1000);
		assert_int_equal(memstat_get_numfrees(type), is->counters.numfrees);
		assert_int_equal(memstat_get_percpu_numallocs(type, 7), 7);
	}
	assert_null(memstat_mtl_find(list, ALLOCATOR_ANY, "old"));
	assert_non_null(memstat_mtl_find(list, UMA, "newer"));
	assert_int_equal(memstat_mtl_lost(list, ALLOCATOR_ANY), 4);
	assert_int_equal(memstat_malloc_zone_get_count(), 3);
}

static void test_source_fails(void **state)
{
	for (size_t types = 0; types <= 2 * TYPES; types += 7) {
		after.err = EACCES;
		after.fail_after = types;
		assert_int_equal(fake_query(*state, QUERY_ALL, &after), -1);
		expect_before(*state);
	}
	after.err = 0;
	assert_int_equal(fake_query(*state, QUERY_ALL, &after), 0);
	expect_after(*state);
}

static void test_memory_runs_out(void **state)
{
	struct memory_type_list *list = *state;
	size_t failures = 0;
	bool failed;
	int result;

	for (;; failures++) {
		errno = 0;
		fail_after(failures);
		result = fake_query(list, QUERY_ALL, &after);
		fail_never(&failed);
		if (!result)
			break;
		assert_true(failed);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(memstat_mtl_geterror(list), MEMSTAT_ERROR_NOMEMORY);
		assert_true(*memstat_mtl_errortext(list));
		expect_before(list);
	}
	/* each new type allocates itself, its name and its CPUs */
	assert_true(failures >= 3 * TYPES);
	expect_after(list);
}

static void fresh_list(void **state)
{
	memstat_mtl_free(*state);
	set_up_memstat_update(state);
}

/* One allocation fails: the query fails, unless it was a hash table, which may stay small. */
static void test_one_call_fails(void **state)
{
	size_t total, tables = 0;
	bool failed;

	fail_after(SIZE_MAX);
	assert_int_equal(fake_query(*state, QUERY_ALL, &after), 0);
	total = fail_never(&failed);
	assert_false(failed);
	assert_true(total > 3 * TYPES);
	for (size_t call = 0; call < total; call++) {
		fresh_list(state);
		fail_once_after(call);
		if (fake_query(*state, QUERY_ALL, &after)) {
			fail_never(&failed);
			expect_before(*state);
			assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_NOMEMORY);
		} else {
			fail_never(&failed);
			expect_after(*state);
			tables++;
		}
		assert_true(failed);
	}
	assert_true(tables <= 2);
}

/* From the second query on, the same types need no memory. */
static void test_no_memory_needed(void **state)
{
	bool failed;

	assert_int_equal(fake_query(*state, QUERY_ALL, &after), 0);
	assert_int_equal(fake_query(*state, QUERY_ALL, &after), 0);
	fail_after(0);
	assert_int_equal(fake_query(*state, QUERY_ALL, &after), 0);
	assert_int_equal(fail_never(&failed), 0);
	assert_false(failed);
	expect_after(*state);
}

static void test_list_without_memory(void **state)
{
	struct memory_type_list *list;
	bool failed = true;

	(void)state;
	for (size_t calls = 0; failed; calls++) {
		errno = 0;
		fail_after(calls);
		list = memstat_mtl_alloc();
		fail_never(&failed);
		assert_int_equal(!list, failed);
		assert_int_equal(errno, failed ? ENOMEM : 0);
		memstat_mtl_free(list);
		assert_true(calls < 10);
	}
}

/* The data of a caller for a CPU is set completely or not at all. */
static void test_caller_without_memory(void **state)
{
	struct memory_type *type = memstat_mtl_first(*state);
	bool failed = true;

	for (size_t calls = 0; failed; calls++) {
		errno = 0;
		fail_after(calls);
		memstat_set_percpu_caller_uint64(type, 1, 2, 5);
		fail_never(&failed);
		assert_int_equal(memstat_get_percpu_caller_uint64(type, 1, 2), failed ? 0 : 5);
		assert_int_equal(errno, failed ? ENOMEM : 0);
		assert_true(calls < 10);
	}
	assert_int_equal(memstat_get_percpu_caller_uint64(type, 0, 2), 0);
}

static void expect_refused(struct memory_type_list *list, const struct source_type *type, int err)
{
	struct source_type types[] = { fake_type(MALLOC, "fresh", 1, 0), *type,
				       fake_type(UMA, "fresh", 1, 0) };
	struct fake fake = { .types = types,
			     .count = 3,
			     .cpus = 2,
			     .classes = classes,
			     .class_count = 3,
			     .lost = 9 };

	errno = 0;
	assert_int_equal(fake_query(list, QUERY_ALL, &fake), -1);
	assert_int_equal(errno, err);
	assert_int_equal(memstat_mtl_geterror(list), MEMSTAT_ERROR_DATAERROR);
	assert_true(*memstat_mtl_errortext(list));
	expect_before(list);
}

static void test_refused(void **state)
{
	static const struct percpu_counters no_class[2] = { [1] = { .sizemask = 8 } };
	struct source_type type = fake_type(MALLOC, "fresh", 1, 0);

	expect_refused(*state, &type, EEXIST);
	type.name = "";
	expect_refused(*state, &type, EINVAL);
	type.name = NULL;
	expect_refused(*state, &type, EINVAL);
	type = fake_type(UMA, "more freed", 1, 2);
	expect_refused(*state, &type, EBADMSG);
	type = fake_type(MALLOC, "more freed", 1, 2);
	expect_refused(*state, &type, EBADMSG);
	type = fake_type(UMA, "more than there are", 2, 1);
	type.initial_count = UINT64_MAX - 1;
	expect_refused(*state, &type, EBADMSG);
	type = fake_type(MALLOC, "more bytes freed", 1, 1);
	type.counters.memfreed++;
	expect_refused(*state, &type, EBADMSG);
	type = fake_type(MALLOC, "no class", 1, 1);
	type.counters.sizemask = 8;
	expect_refused(*state, &type, EBADMSG);
	type.counters.sizemask = 7;
	type.percpu = no_class;
	type.cpus = 2;
	expect_refused(*state, &type, EBADMSG);
}

/* The first error counts, whatever fails later. */
static void test_first_failure_counts(void **state)
{
	struct source_type types[] = { fake_type(MALLOC, "a", 1, 0), fake_type(MALLOC, "a", 1, 0),
				       fake_type(UMA, "b", 1, 2) };
	struct fake fake = { .types = types, .count = 3 };

	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	assert_int_equal(errno, EEXIST);
	fake.err = EACCES;
	fake.fail_after = 3;
	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	assert_int_equal(errno, EEXIST);
	expect_before(*state);
}

static int puts_the_unasked(struct update *update, void *handle)
{
	const struct source_type *type = handle;

	assert_int_equal(update_put(update, type), -EINVAL);
	return 0;
}

static void test_unasked(void **state)
{
	struct source_type type = fake_type(UMA, "unasked", 1, 0);

	assert_int_equal(query(*state, QUERY_MALLOC, puts_the_unasked, &type), -1);
	expect_before(*state);
	for (int allocator = -1; allocator <= ALLOCATOR_ANY; allocator++) {
		type.allocator = allocator;
		if (allocator == MALLOC || allocator == UMA)
			continue;
		assert_int_equal(query(*state, UINT32_MAX, puts_the_unasked, &type), -1);
		assert_int_equal(errno, EINVAL);
	}
	expect_before(*state);
}

static void test_wrong_classes(void **state)
{
	static const size_t falling[] = { 8, 8 }, zero[] = { 0, 8 };
	size_t many[CLASSES_MAX + 1];
	struct fake fake = { .classes = falling, .class_count = 2 };

	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	assert_int_equal(errno, EBADMSG);
	fake.classes = zero;
	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	for (size_t i = 0; i <= CLASSES_MAX; i++)
		many[i] = i + 1;
	fake = (struct fake){ .classes = many, .class_count = CLASSES_MAX + 1 };
	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	expect_before(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_source_fails, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_memory_runs_out, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_one_call_fails, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_no_memory_needed, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test(test_list_without_memory),
		cmocka_unit_test_setup_teardown(test_caller_without_memory, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_first_failure_counts, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_unasked, set_up_memstat_update,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_classes, set_up_memstat_update,
						fake_list_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
