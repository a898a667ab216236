// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Caches reported one by one are found as when all of them are read at once. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "analysis/cache_timeline.h"

#define ADDRESSES 3
#define ROUNDS 3000
#define TIMES 60

static uint64_t random_state;

static unsigned int draw_from(unsigned int limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(random_state >> 33) % limit;
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

/* Random caches at a few addresses, reported in the order of time. */
static void run_timeline_round(FILE *file, struct cache_timeline *timeline)
{
	unsigned int left[ADDRESSES] = { 3, 3, 3 };

	for (uint64_t time = 1; time < TIMES; time++) {
		unsigned int at = draw_from(ADDRESSES);
		struct cache cache = {
			.address = 0x1000 + at,
			.since = time,
			.object_size = 8 + 8 * draw_from(2),
			.size = 32,
			.name = "a",
		};

		if (draw_from(6))
			continue;
		cache.name[0] = (char)('a' + draw_from(2));
		if (!draw_from(3)) {
			caches_write_gone(file, cache.address, time);
			cache_timeline_end(timeline, cache.address, time);
		} else if (left[at]) {
			left[at]--;
			caches_write_cache(file, &cache);
			assert_int_equal(cache_timeline_add(timeline, &cache), 0);
		}
	}
}

static void finds_what_caches_find_finds(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct caches all, reported = { 0 };
		struct cache_timeline timeline;
		char *text;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		bool is_known;

		assert_int_equal(cache_timeline_init(&timeline, &reported), 0);
		run_timeline_round(file, &timeline);
		fclose(file);
		assert_int_equal(caches_parse(&all, text), 0);
		for (uint64_t address = 0x1000; address < 0x1000 + ADDRESSES + 1; address++) {
			const struct cache *constant = cache_timeline_constant(&timeline, address);

			for (uint64_t time = 0; time <= TIMES; time++) {
				const struct cache *found =
					cache_timeline_find(&timeline, address, time, &is_known);

				assert_same(found, caches_find(&all, address, time));
				if (constant)
					assert_ptr_equal(found, constant);
			}
		}
		cache_timeline_deinit(&timeline);
		caches_deinit(&all);
		caches_deinit(&reported);
		free(text);
	}
}

static struct cache_timeline timeline;
static struct caches caches;

static int start_timeline(void **state)
{
	(void)state;
	memset(&caches, 0, sizeof(caches));
	return cache_timeline_init(&timeline, &caches);
}

static int stop_timeline(void **state)
{
	(void)state;
	cache_timeline_deinit(&timeline);
	caches_deinit(&caches);
	return 0;
}

static void add_timed_cache(uint64_t address, uint64_t since, const char *name)
{
	struct cache cache = { .address = address, .since = since, .object_size = 8, .size = 8 };

	snprintf(cache.name, sizeof(cache.name), "%s", name);
	assert_int_equal(cache_timeline_add(&timeline, &cache), 0);
}

/* A constant cache is the only one that its address had so far, and is still there. */
static void knows_constant_caches(void **state)
{
	uint32_t generation = timeline.generation;

	(void)state;
	assert_null(cache_timeline_constant(&timeline, 0x1000));
	add_timed_cache(0x1000, 100, "first");
	assert_int_not_equal(timeline.generation, generation);
	generation = timeline.generation;
	assert_string_equal(cache_timeline_constant(&timeline, 0x1000)->name, "first");
	assert_null(cache_timeline_constant(&timeline, 0x2000));
	assert_int_equal(timeline.generation, generation);
	cache_timeline_end(&timeline, 0x1000, 200);
	assert_int_not_equal(timeline.generation, generation);
	generation = timeline.generation;
	assert_null(cache_timeline_constant(&timeline, 0x1000));
	add_timed_cache(0x1000, 300, "second");
	assert_int_not_equal(timeline.generation, generation);
	assert_null(cache_timeline_constant(&timeline, 0x1000));
}

/* Intervals are removed only when they ended before the watermark. */
static void keeps_intervals_after_the_watermark(void **state)
{
	bool is_known;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		add_timed_cache(0x1000, 100 * i, i % 2 ? "odd" : "even");
		if (i < 9)
			cache_timeline_end(&timeline, 0x1000, 100 * i + 50);
	}
	for (uint64_t i = 0; i < 10; i++)
		assert_string_equal(
			cache_timeline_find(&timeline, 0x1000, 100 * i + 20, &is_known)->name,
			i % 2 ? "odd" : "even");
	assert_int_equal(timeline.histories[0].count, 10);
	cache_timeline_set_watermark(&timeline, 760);
	add_timed_cache(0x1000, 940, "even");
	assert_int_equal(timeline.histories[0].count,
			 3); /* the interval from 700 to 750 was removed; "even" is open */
	cache_timeline_end(&timeline, 0x1000, 945);
	add_timed_cache(0x1000, 948, "odd");
	assert_string_equal(cache_timeline_find(&timeline, 0x1000, 920, &is_known)->name, "odd");
	assert_string_equal(cache_timeline_find(&timeline, 0x1000, 820, &is_known)->name, "even");
	assert_int_equal(timeline.used, 2);
	cache_timeline_end(&timeline, 0x1000, 950);
	assert_null(cache_timeline_find(&timeline, 0x1000, 951, &is_known));
	assert_false(is_known);
}

/* Caches with the same name and sizes are one element of the list, whatever their addresses. */
static void stores_equal_caches_once(void **state)
{
	const struct cache *first;
	char name[32];
	bool is_known;

	(void)state;
	for (uint64_t i = 0; i < 3 * CACHE_TIMELINE_MAX; i++)
		add_timed_cache(0x1000 + i, i, "same");
	first = cache_timeline_find(&timeline, 0x1000, 5, &is_known);
	for (uint64_t i = 1; i < CACHE_TIMELINE_MAX + 5; i++) {
		snprintf(name, sizeof(name), "cache-%" PRIu64, i);
		add_timed_cache(0x800000 + i, 5, name);
	}
	assert_int_equal(timeline.used, CACHE_TIMELINE_MAX);
	assert_ptr_equal(cache_timeline_find(&timeline, 0x1000, 5, &is_known), first);
	assert_ptr_equal(cache_timeline_find(&timeline, 0x1001, 5, &is_known), first);
	assert_non_null(
		cache_timeline_find(&timeline, 0x800000 + CACHE_TIMELINE_MAX - 1, 6, &is_known));
	assert_null(cache_timeline_find(&timeline, 0x800000 + CACHE_TIMELINE_MAX, 6, &is_known));
	assert_true(is_known);
	assert_null(cache_timeline_find(&timeline, 0x900000, 6, &is_known));
	assert_false(is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_caches_find_finds),
		cmocka_unit_test_setup_teardown(knows_constant_caches, start_timeline,
						stop_timeline),
		cmocka_unit_test_setup_teardown(keeps_intervals_after_the_watermark, start_timeline,
						stop_timeline),
		cmocka_unit_test_setup_teardown(stores_equal_caches_once, start_timeline,
						stop_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
