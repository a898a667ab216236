// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Growth by slabinfo and by events: only the events between two readings count, at any number of
 * events; numbers from a hostile file stay in range.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "analysis/analysis.h"
#include "analysis/slab_growth.h"

struct scene {
	char *directory;
	struct capture capture;
	struct analysis analysis;
	struct slab_growth growth;
};

/* piece_begin: the time of the checkpoint that the capture begins with; 0: it has none. */
static void open_piece(struct scene *scene, const char *text, uint64_t piece_begin)
{
	struct analysis_settings settings = { .threads = 1 };

	scene->directory = scratch_capture(text);
	assert_int_equal(capture_open(&scene->capture, scene->directory), 0);
	scene->capture.checkpoint.begin = piece_begin;
	slab_growth_request(&settings, &scene->capture);
	assert_int_equal(analysis_run(&scene->analysis, &scene->capture, &settings), 0);
	assert_int_equal(slab_growth_init(&scene->growth, &scene->analysis), 0);
}

static void open_growth_scene(struct scene *scene, const char *text)
{
	open_piece(scene, text, 0);
}

static void close_growth_scene(struct scene *scene)
{
	slab_growth_deinit(&scene->growth);
	analysis_deinit(&scene->analysis);
	capture_close(&scene->capture);
	scratch_remove(scene->directory);
}

#define EVENTS 3000

/* One allocation a ns, and a free of every third one; the readings are at any time between them. */
static void only_events_between_the_readings_count(void **state)
{
	(void)state;
	for (unsigned int first = 999; first < 1000 + EVENTS; first += 701) {
		unsigned int last = first + (first * 7) % 1900, end = 1000 + 2 * EVENTS;
		uint64_t allocations = 0, frees = 0;
		const struct slab_growth_cache *cache;
		struct scene scene;
		char *text;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		assert_non_null(file);
		fprintf(file,
			"begin 900\nend %u\nattached %u\ncpu 0 node 0\nsymbol 0x1000 f\n"
			"cache a 0x2000 64 64\nslab %u a 10 10\nslab %u a 20 20 held=0\n",
			end, first, first, last);
		for (unsigned int i = 0; i < EVENTS; i++) {
			unsigned int time = 1000 + 2 * i;

			fprintf(file, "calloc %u 0 %#x a f\n", time, 0x100000 + 64 * i);
			allocations += time >= first && time < last;
			if (i % 3)
				continue;
			fprintf(file, "cfree %u 0 %#x a f\n", time + 1, 0x100000 + 64 * i);
			frees += time + 1 >= first && time + 1 < last;
		}
		fprintf(file, "complete yes\n");
		assert_int_equal(fclose(file), 0);
		open_growth_scene(&scene, text);
		assert_int_equal(scene.growth.state, SLAB_GROWTH_COMPARED);
		assert_int_equal(scene.growth.count, 1);
		cache = slab_growth_find(&scene.growth, "a");
		assert_non_null(cache);
		assert_int_equal(cache->allocations, allocations);
		assert_int_equal(cache->frees, frees);
		assert_int_equal(cache->growth, 10);
		assert_int_equal(cache->difference, 10 - (int64_t)(allocations - frees));
		assert_int_equal(cache->unobserved, cache->difference);
		assert_int_equal(scene.growth.frees + scene.growth.allocations,
				 llabs((long long)cache->difference));
		assert_null(slab_growth_find(&scene.growth, "b"));
		close_growth_scene(&scene);
		free(text);
	}
}

static void hostile_numbers_stay_in_range(void **state)
{
	struct scene scene;

	(void)state;
	open_growth_scene(&scene,
			  "begin 1000\nend 9000\ncpu 0 node 0\n"
			  "slab 1000 kmalloc-1k 0 18446744073709551615 held=18446744073709551614\n"
			  "slab 1000 kmalloc-16 18446744073709551615 0\n"
			  "slab 1000 kmalloc-64 18446744073709551615 0\n"
			  "slab 1000 x-1k 18446744073709551615 0\n"
			  "slab 1000 x-16 18446744073709551615 0\n"
			  "slab 1000 x-64 18446744073709551615 0\n"
			  "slab 1000 - 1 1\n"
			  "slab 5000 kmalloc-1k 18446744073709551615 0 held=18446744073709551614\n"
			  "slab 5000 kmalloc-16 0 18446744073709551615 held=18446744073709551614\n"
			  "slab 5000 kmalloc-64 0 18446744073709551615 held=0\n"
			  "slab 5000 x-1k 18446744073709551615 0 held=18446744073709551614\n"
			  "slab 5000 x-16 0 0 held=18446744073709551614\n"
			  "slab 5000 x-64 0 18446744073709551615 held=18446744073709551614\n"
			  "lose 0 0\nskip 18446744073709551615\ncomplete yes\n");
	assert_int_equal(scene.growth.count, 7);
	for (size_t i = 0; i < scene.growth.count; i++) {
		const struct slab_growth_cache *cache = &scene.growth.list[i];

		if (cache->low == SLAB_GROWTH_UNKNOWN)
			continue;
		assert_true(cache->low <= 0 && cache->low > INT64_MIN / 2);
		assert_true(cache->high >= 0 && cache->high < INT64_MAX / 2);
	}
	assert_false(slab_growth_find(&scene.growth, "x-64")->compared);
	close_growth_scene(&scene);
}

/* Events between the last reading and the begin of a piece are in the piece before. */
static void a_reading_before_a_piece_is_not_compared(void **state)
{
	static const char text[] =
		"begin 900\nend 9000\ncpu 0 node 0\nsymbol 0x1000 f\n"
		"cache a 0x2000 64 64\nslab 900 a 10 10\nslab 5000 a 20 20 held=0\n"
		"calloc 7000 0 0x100000 a f\ncomplete yes\n";
	struct scene scene;

	(void)state;
	open_piece(&scene, text, 5000);
	assert_int_equal(scene.growth.state, SLAB_GROWTH_COMPARED);
	close_growth_scene(&scene);
	open_piece(&scene, text, 5001);
	assert_int_equal(scene.growth.state, SLAB_GROWTH_NO_NUMBERS);
	close_growth_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_events_between_the_readings_count),
		cmocka_unit_test(hostile_numbers_stay_in_range),
		cmocka_unit_test(a_reading_before_a_piece_is_not_compared),
	};

	return cmocka_run_group_tests_name("slab_growth", tests, NULL, NULL);
}
