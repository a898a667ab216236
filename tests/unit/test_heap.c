// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Readings of the slab allocator: the state of each address, the text, and damaged texts. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/census.h"
#include "tests/unit/unit.h"

#define HEAD "heap 10 20\ncache 0x1000 64 56 8 small one\ncache 0x2000 4096 4096 0 page\n"

static void add_slab_of(struct heap_reading *reading, uint64_t address, uint32_t cache,
			uint32_t bytes, uint32_t objects)
{
	const struct heap_slab slab = {
		.address = address, .cache = cache, .bytes = bytes, .objects = objects
	};

	assert_int_equal(heap_reading_add_slab(reading, &slab), 0);
}

static void set_free(struct heap_reading *reading, size_t slab, uint64_t offset)
{
	assert_true(heap_reading_set_free(reading, &reading->slabs[slab], offset));
}

/* A slab of 63 small objects behind 8 bytes, one of 100 in two pages, and one of a page. */
static void make_reading(struct heap_reading *reading)
{
	*reading = (struct heap_reading){ .begin = 10, .end = 20 };
	assert_int_equal(heap_reading_add_cache(reading, &(struct heap_cache){ 0x1000, "small one",
									       64, 56, 8, false }),
			 0);
	assert_int_equal(heap_reading_add_cache(reading, &(struct heap_cache){ 0x2000, "page", 4096,
									       4096, 0, false }),
			 0);
	add_slab_of(reading, 0x90000, 0, 4096, 63);
	add_slab_of(reading, 0x50000, 0, 8192, 100);
	add_slab_of(reading, 0x70000, 1, 4096, 1);
	set_free(reading, 0, 8);
	set_free(reading, 0, 8 + 62 * 64);
	set_free(reading, 1, 8 + 64 * 64);
	assert_false(heap_reading_set_free(reading, &reading->slabs[0], 9));
	assert_false(heap_reading_set_free(reading, &reading->slabs[0], 0));
	assert_false(heap_reading_set_free(reading, &reading->slabs[0], 8 + 63 * 64));
	heap_reading_sort(reading);
}

static void knows_each_object(void **state)
{
	struct heap_reading reading;
	struct census census;

	(void)state;
	make_reading(&reading);
	assert_int_equal(heap_reading_state(&reading, 0x90008), HEAP_OBJECT_FREE);
	assert_int_equal(heap_reading_state(&reading, 0x90008 + 64), HEAP_OBJECT_ALLOCATED);
	assert_int_equal(heap_reading_state(&reading, 0x90008 + 62 * 64), HEAP_OBJECT_FREE);
	/* no object is there: the slab is of another cache than the object was */
	assert_int_equal(heap_reading_state(&reading, 0x90000), HEAP_OBJECT_NO_SLAB);
	assert_int_equal(heap_reading_state(&reading, 0x90008 + 63 * 64), HEAP_OBJECT_NO_SLAB);
	assert_int_equal(heap_reading_state(&reading, 0x50008 + 63 * 64), HEAP_OBJECT_ALLOCATED);
	assert_int_equal(heap_reading_state(&reading, 0x50008 + 64 * 64), HEAP_OBJECT_FREE);
	assert_int_equal(heap_reading_state(&reading, 0x70000), HEAP_OBJECT_ALLOCATED);
	assert_int_equal(heap_reading_state(&reading, 0x4ffff), HEAP_OBJECT_NO_SLAB);
	assert_int_equal(heap_reading_state(&reading, 0x71000), HEAP_OBJECT_NO_SLAB);
	assert_int_equal(heap_reading_state(&reading, UINT64_MAX), HEAP_OBJECT_NO_SLAB);
	reading.slabs[0].is_unknown = true;
	assert_int_equal(heap_reading_state(&reading, 0x50008 + 64 * 64), HEAP_OBJECT_UNKNOWN);
	assert_int_equal(heap_reading_state(&reading, 0x50009), HEAP_OBJECT_UNKNOWN);
	assert_int_equal(census_init(&census, &reading), 0);
	assert_int_equal(census.all.given, 61 + 99 + 1);
	assert_int_equal(census.all.given_bytes, (61 + 99) * 64 + 4096);
	assert_int_equal(census.all.slabs, 3);
	assert_int_equal(census.all.slab_bytes, 16384);
	assert_int_equal(census.all.unknown, 1);
	assert_int_equal(census.list[0].room, 163);
	/* 0x90000 has 61 objects of 64 bytes: nothing is known of 0x50000 */
	assert_int_equal(census.list[0].unknown_bytes, 8192);
	assert_int_equal(census.all.spare_bytes, 0);
	census_deinit(&census);
	heap_reading_deinit(&reading);
}

static char *write_reading_text(const struct heap_reading *reading)
{
	char *text;
	size_t size;
	FILE *file = text_open(&text, &size);

	assert_non_null(file);
	assert_int_equal(heap_reading_write(file, reading), 0);
	assert_int_equal(text_close(file, &text), 0);
	return text;
}

static void writes_and_parses(void **state)
{
	struct heap_readings parsed;
	struct heap_reading reading;
	char *text, *again;

	(void)state;
	make_reading(&reading);
	reading.slabs[1].is_unknown = true;
	reading.caches[1].is_unsure = true;
	text = write_reading_text(&reading);
	assert_string_equal(text, HEAD "unsure 1\n"
				       "slab 0 0x50000 8192 100 00000000000000001\n"
				       "slab 1 0x70000 4096 1 ?\n"
				       "slab 0 0x90000 4096 63 1000000000000004\nend 3\n");
	assert_int_equal(heap_readings_parse(&parsed, text), 0);
	assert_int_equal(parsed.count, 1);
	assert_false(parsed.list[0].caches[0].is_unsure);
	again = write_reading_text(&parsed.list[0]);
	assert_string_equal(again, text);
	heap_readings_deinit(&parsed);
	heap_reading_deinit(&reading);
	free(text);
	free(again);
}

static void keeps_the_first_and_the_last_reading(void **state)
{
	struct heap_readings parsed;

	(void)state;
	assert_int_equal(heap_readings_parse(&parsed, HEAD
					     "end 0\nheap 30 31\nlater 1 2\n"
					     "cache 0x1000 64 56 8 x\n"
					     "slab 0 0x1000 4096 3 -\nend 1\nheap 50 60\nend 0\n"),
			 0);
	assert_int_equal(parsed.count, 2);
	assert_int_equal(parsed.list[0].begin, 10);
	assert_int_equal(parsed.list[0].cache_count, 2);
	assert_int_equal(parsed.list[1].begin, 50);
	assert_int_equal(parsed.list[1].slab_count, 0);
	heap_readings_deinit(&parsed);
	assert_int_equal(heap_readings_parse(&parsed, ""), 0);
	assert_int_equal(parsed.count, 0);
}

/*
 * Its pages went to another slab while it was read. In a cache with debugging, the first object can
 * lie behind all that is left of it.
 */
static void parses_what_is_left_of_a_slab(void **state)
{
	struct heap_readings parsed;

	(void)state;
	assert_int_equal(heap_readings_parse(&parsed,
					     "heap 10 20\ncache 0x1000 24576 8192 8192 kmalloc-8k\n"
					     "slab 0 0x8000 4096 0 ?\nend 1\n"),
			 0);
	assert_int_equal(heap_reading_state(&parsed.list[0], 0x8000), HEAP_OBJECT_UNKNOWN);
	heap_readings_deinit(&parsed);
}

static void refuses_damaged_texts(void **state)
{
	static const char *const texts[] = {
		"heap 20 10\n",
		"heap 1\n",
		"cache 0x1000 0 0 0 x\n",
		"slab 0 0x1000 4096 1 -\n",
		HEAD "slab 2 0x1000 4096 1 -\n",
		HEAD "unsure 2\n",
		HEAD "slab 0 0x1000 4096 64 -\n",
		HEAD "slab 0 0x1000 4294967295 32768 -\n",
		HEAD "slab 0 0xfffffffffffff000 4097 1 -\n",
		HEAD "slab 0 0x1000 4096 63 g\n",
		HEAD "slab 0 0x1000 4096 63 0000000000000008\n",
		HEAD "slab 0 0x1000 4096 63 00000000000000001\n",
		HEAD "slab 0 0x1000 8192 1 -\nslab 0 0x2000 4096 1 -\nend 2\n",
		HEAD "slab 0 0x1000 4096 1 -\n",
		HEAD "slab 0 0x1000 4096 1 -\nend 2\n",
		HEAD "end 0\nheap 30 40\n",
		HEAD "slab 0 0x1000\n",
	};
	struct heap_readings parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (heap_readings_parse(&parsed, texts[i]) != -EINVAL)
			fail_msg("not refused: %s", texts[i]);
		assert_int_equal(parsed.count, 0);
		assert_null(parsed.list[0].caches);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_each_object),
		cmocka_unit_test(writes_and_parses),
		cmocka_unit_test(keeps_the_first_and_the_last_reading),
		cmocka_unit_test(parses_what_is_left_of_a_slab),
		cmocka_unit_test(refuses_damaged_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
