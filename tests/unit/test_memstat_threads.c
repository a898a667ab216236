// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two threads with a list each, and two threads that read the size classes meanwhile. Run this with
 * the thread sanitizer too, which finds most of the possible errors.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

#define QUERIES 2000
#define TYPES 40

static const size_t classes[2][3] = { { 8, 16, 32 }, { 9, 18, 27 } };
static atomic_int running;

struct user {
	pthread_t thread;
	const size_t *classes;
	int number;
	const char *wrong;
};

static const char *check_list(const struct user *user, struct memory_type_list *list, int round)
{
	char names[TYPES][16];
	struct source_type types[TYPES];
	struct fake fake = { .types = types,
			     .count = TYPES,
			     .cpus = 2,
			     .classes = user->classes,
			     .class_count = 3,
			     .err = round % 5 ? 0 : EACCES,
			     .fail_after = round % TYPES };
	int result;

	for (int i = 0; i < TYPES; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i + round / 10);
		types[i] = fake_type(i % 2 ? ALLOCATOR_UMA : ALLOCATOR_MALLOC, names[i],
				     round * 2 + user->number, 0);
	}
	result = fake_query(list, QUERY_ALL, &fake);
	if (result != (fake.err ? -1 : 0))
		return "result";
	if (result && (errno != EACCES || memstat_mtl_geterror(list) != MEMSTAT_ERROR_PERMISSION))
		return "error";
	for (int i = 0; i < TYPES && !result; i++) {
		const struct memory_type *type =
			memstat_mtl_find(list, types[i].allocator, names[i]);

		if (memstat_get_count(type) != (uint64_t)(round * 2 + user->number))
			return "count";
	}
	return NULL;
}

static void *use_list(void *argument)
{
	struct user *user = argument;
	struct memory_type_list *list = memstat_mtl_alloc();

	for (int round = 1; round <= QUERIES && !user->wrong; round++) {
		user->wrong = check_list(user, list, round);
		if (round % 500 == 0) {
			memstat_mtl_free(list);
			list = memstat_mtl_alloc();
		}
	}
	memstat_mtl_free(list);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

/* A size is from one of the two tables. */
static void *read_classes(void *argument)
{
	struct user *user = argument;

	while (atomic_load(&running) > 0 && !user->wrong) {
		size_t count = memstat_malloc_zone_get_count();

		if (count && count != 3)
			user->wrong = "count of classes";
		for (size_t i = 0; i < count; i++) {
			size_t bytes = memstat_malloc_zone_get_size(i);

			if (bytes != classes[0][i] && bytes != classes[1][i])
				user->wrong = "size of a class";
		}
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct user users[4] = { { .number = 0 }, { .number = 1 } };

	(void)state;
	atomic_store(&running, 2);
	for (int i = 0; i < 4; i++) {
		users[i].classes = classes[i % 2];
		assert_int_equal(pthread_create(&users[i].thread, NULL,
						i < 2 ? use_list : read_classes, &users[i]),
				 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(users[i].thread, NULL);
	for (int i = 0; i < 4; i++) {
		if (users[i].wrong)
			fail_msg("thread %d: wrong %s", i, users[i].wrong);
	}
	assert_int_equal(memstat_malloc_zone_get_count(), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
