// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Caches told one by one are found as when all of them are read at once. */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/cache_timeline.h"

#define ADDRESSES 3
#define ROUNDS 3000
#define TIMES 60

static uint64_t dice;

static unsigned int below(unsigned int limit)
{
	dice = dice * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(dice >> 33) % limit;
}

static void assert_same(const struct cache *a, const struct cache *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->object_size, b->object_size);
	assert_int_equal(a->size, b->size);
}

/* At each address a few come and go; told in the order of time, looked for at every time. */
static void one_round(FILE *file, struct cache_timeline *book)
{
	unsigned int left[ADDRESSES] = { 3, 3, 3 };

	for (uint64_t time = 1; time < TIMES; time++) {
		unsigned int at = below(ADDRESSES);
		struct cache cache = {
			.address = 0x1000 + at,
			.since = time,
			.object_size = 8 + 8 * below(2),
			.size = 32,
			.name = "a",
		};

		if (below(6))
			continue;
		cache.name[0] = (char)('a' + below(2));
		if (!below(3)) {
			caches_write_gone(file, cache.address, time);
			cache_timeline_end(book, cache.address, time);
		} else if (left[at]) {
			left[at]--;
			caches_write_cache(file, &cache);
			assert_int_equal(cache_timeline_add(book, &cache), 0);
		}
	}
}

static void by_chance(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct caches all, told = { 0 };
		struct cache_timeline book;
		char *text;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		bool known;

		assert_int_equal(cache_timeline_init(&book, &told), 0);
		one_round(file, &book);
		fclose(file);
		assert_int_equal(caches_parse(&all, text), 0);
		for (uint64_t address = 0x1000; address < 0x1000 + ADDRESSES + 1; address++)
			for (uint64_t time = 0; time <= TIMES; time++)
				assert_same(cache_timeline_find(&book, address, time, &known),
					    caches_find(&all, address, time));
		cache_timeline_deinit(&book);
		caches_deinit(&all);
		caches_deinit(&told);
		free(text);
	}
}

static struct cache_timeline book;
static struct caches caches;

static int start(void **state)
{
	(void)state;
	memset(&caches, 0, sizeof(caches));
	return cache_timeline_init(&book, &caches);
}

static int stop(void **state)
{
	(void)state;
	cache_timeline_deinit(&book);
	caches_deinit(&caches);
	return 0;
}

static void add(uint64_t address, uint64_t since, const char *name)
{
	struct cache cache = { .address = address, .since = since, .object_size = 8, .size = 8 };

	snprintf(cache.name, sizeof(cache.name), "%s", name);
	assert_int_equal(cache_timeline_add(&book, &cache), 0);
}

/* None is forgotten as long as an event may still tell of it. */
static void many_stays(void **state)
{
	bool told;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		add(0x1000, 100 * i, i % 2 ? "odd" : "even");
		if (i < 9)
			cache_timeline_end(&book, 0x1000, 100 * i + 50);
	}
	for (uint64_t i = 0; i < 10; i++)
		assert_string_equal(cache_timeline_find(&book, 0x1000, 100 * i + 20, &told)->name,
				    i % 2 ? "odd" : "even");
	assert_int_equal(book.slots[0].count, 10);
	cache_timeline_set_watermark(&book, 760);
	add(0x1000, 940, "even");
	assert_int_equal(book.slots[0].count, 3); /* since 700, ended at 750: no more; open: even */
	cache_timeline_end(&book, 0x1000, 945);
	add(0x1000, 948, "odd");
	assert_string_equal(cache_timeline_find(&book, 0x1000, 920, &told)->name, "odd");
	assert_string_equal(cache_timeline_find(&book, 0x1000, 820, &told)->name, "even");
	assert_int_equal(book.used, 2);
	cache_timeline_end(&book, 0x1000, 950);
	assert_null(cache_timeline_find(&book, 0x1000, 951, &told));
	assert_false(told);
}

/* The same name and sizes is one entry, wherever it lies, so that room lasts. */
static void no_room(void **state)
{
	const struct cache *first;
	char name[32];
	bool told;

	(void)state;
	for (uint64_t i = 0; i < 3 * CACHE_TIMELINE_MAX; i++)
		add(0x1000 + i, i, "same");
	first = cache_timeline_find(&book, 0x1000, 5, &told);
	for (uint64_t i = 1; i < CACHE_TIMELINE_MAX + 5; i++) {
		snprintf(name, sizeof(name), "cache-%" PRIu64, i);
		add(0x800000 + i, 5, name);
	}
	assert_int_equal(book.used, CACHE_TIMELINE_MAX);
	assert_ptr_equal(cache_timeline_find(&book, 0x1000, 5, &told), first);
	assert_ptr_equal(cache_timeline_find(&book, 0x1001, 5, &told), first);
	assert_non_null(cache_timeline_find(&book, 0x800000 + CACHE_TIMELINE_MAX - 1, 6, &told));
	assert_null(cache_timeline_find(&book, 0x800000 + CACHE_TIMELINE_MAX, 6, &told));
	assert_true(told);
	assert_null(cache_timeline_find(&book, 0x900000, 6, &told));
	assert_false(told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_chance),
		cmocka_unit_test_setup_teardown(many_stays, start, stop),
		cmocka_unit_test_setup_teardown(no_room, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
