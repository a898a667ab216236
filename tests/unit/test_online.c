// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An online analysis that waits for names and repeated reports, or meets unusual packets. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/online_scene.h"
#include "analysis/missing.h"

static const struct type_stats_type *find_type(const struct online_scene *scene, const char *name)
{
	for (size_t i = 0; i < scene->type_stats.count; i++)
		if (!strcmp(scene->type_stats.types[i].name, name))
			return &scene->type_stats.types[i];
	return NULL;
}

static void assert_type(const struct online_scene *scene, const char *name, uint64_t numallocs,
			uint64_t numfrees)
{
	const struct type_stats_type *type = find_type(scene, name);

	if (!type)
		fail_msg("there is no %s", name);
	assert_int_equal(type->numallocs, numallocs);
	assert_int_equal(type->numfrees, numfrees);
}

/* A record arrives before the name of its cache, which comes later or never. */
static void waits_for_the_name_of_a_cache(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "cache late 0xd000 192 200 since=15\n"
				   "calloc 10 0 0x1000 late 0x100\n"
				   "alloc  20 1 0x2000 8/8 0x100\n"
				   "calloc 20 2 0x3000 late 0x100\n"
				   "alloc  20 3 0x4000 8/8 0x100\n"
				   "calloc 30 0 0x5000 0xeeee 0x100\n"
				   "alloc  40 0 0x6000 8/8 0x100\n"
				   "calloc 50 0 0x7000 0xffff 0x100\n";
	struct missing missing = { 0 };
	struct online_scene scene;
	uint64_t processed;

	(void)state;
	online_scene_open(&scene, text, 0);
	online_scene_put_before(&scene, 100);
	assert_int_equal(online_take(scene.online, 25, &processed), 0);
	assert_int_equal(processed, 10);
	assert_int_equal(scene.type_stats.count, 0);
	online_scene_report_caches(&scene, 0, 100);
	online_scene_take(&scene, 25);
	assert_type(&scene, "late", 2, 0);
	assert_type(&scene, "kmalloc-8", 2, 0);

	/* an event waits until the next call only, even if the name is still missing */
	assert_int_equal(online_take(scene.online, 45, &processed), 0);
	assert_int_equal(processed, 30);
	assert_type(&scene, "kmalloc-8", 2, 0);
	assert_int_equal(online_analysis(scene.online)->caches_unknown, 0);
	assert_int_equal(online_take(scene.online, 60, &processed), 0);
	assert_int_equal(processed, 50);
	assert_type(&scene, "0xeeee", 1, 0);
	assert_null(find_type(&scene, "0xffff"));
	assert_int_equal(online_analysis(scene.online)->caches_unknown, 1);
	online_scene_take(&scene, 100);
	assert_int_equal(online_analysis(scene.online)->caches_unknown, 2);
	assert_type(&scene, "0xeeee", 1, 0);
	assert_type(&scene, "0xffff", 1, 0);
	assert_type(&scene, "kmalloc-8", 3, 0);
	/* as in a report: both count, only their bytes are not known */
	missing_set_uncounted(&missing, online_analysis(scene.online));
	assert_int_equal(missing.uncounted, 0);
	assert_true(missing.names_lost);
	online_scene_compare(&scene, 5, 100);
	online_scene_close(&scene);
}

/* If a record waits, no record of the same time is taken, not even one that comes before it. */
static void waits_with_events_of_the_same_time(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "cache late 0xd000 192 200 since=15\n"
				   "alloc  20 0 0x2000 8/8 0x100\n"
				   "calloc 20 2 0x3000 late 0x100\n"
				   "free   20 3 0x2000 0x100\n"
				   "alloc  10 3 0x4000 8/8 0x100\n";
	struct online_scene scene;
	uint64_t processed;

	(void)state;
	online_scene_open(&scene, text, 0);
	online_scene_put_before(&scene, 100);
	assert_int_equal(online_take(scene.online, 90, &processed), 0);
	assert_int_equal(processed, 20);
	assert_int_equal(online_analysis(scene.online)->totals.allocations, 1);
	online_scene_report_caches(&scene, 0, 100);
	online_scene_take(&scene, 90);
	online_scene_compare(&scene, 5, 90);
	assert_int_equal(online_analysis(scene.online)->totals.frees_unmatched, 0);
	online_scene_close(&scene);
}

/* Several caches have one address in turn; all are reported before the first record is taken. */
static void follows_caches_at_one_address(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "cache first 0xd000 8 8 since=6\ngone 0xd000 20\n"
				   "cache second 0xd000 16 16 since=30\ngone 0xd000 40\n"
				   "cache first 0xd000 8 8 since=50\n"
				   "alias first one,two\n"
				   "calloc 10 0 0x1000 0xd000 0x100\n"
				   "calloc 20 0 0x2000 0xd000 0x100\n"
				   "calloc 25 0 0x3000 0xd000 0x100\n"
				   "calloc 35 0 0x4000 0xd000 0x100\n"
				   "calloc 45 0 0x5000 0xd000 0x100\n"
				   "calloc 60 0 0x6000 0xd000 0x100\n";
	struct online_scene scene;

	(void)state;
	online_scene_open(&scene, text, 0);
	online_scene_report_caches(&scene, 0, 100);
	online_scene_put_before(&scene, 100);
	online_scene_take(&scene, 100);
	assert_type(&scene, "first", 4, 0);
	assert_type(&scene, "second", 2, 0);
	assert_string_equal(find_type(&scene, "first")->aliases, "one,two");
	online_scene_compare(&scene, 5, 100);
	online_scene_close(&scene);
}

/* Objects beyond objects_max are ignored and counted. */
static void counts_untracked_objects(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "alloc 10 0 0x1000 8/8 0x100\n"
				   "alloc 20 0 0x2000 8/8 0x100\n"
				   "alloc 30 0 0x3000 8/8 0x100\n"
				   "alloc 31 0 0 8/8 0x100\n"
				   "free  40 0 0x3000 0x200\n"
				   "alloc 50 0 0x2000 8/8 0x100\n"
				   "free  60 0 0x1000 0x200\n"
				   "alloc 70 0 0x4000 8/8 0x100\n"
				   "free  80 0 0x4000 0x200\n";
	const struct analysis_totals *totals;
	struct online_scene scene;

	(void)state;
	online_scene_open(&scene, text, 2);
	online_scene_put_before(&scene, 100);
	online_scene_take(&scene, 100);
	totals = &online_analysis(scene.online)->totals;
	assert_int_equal(totals->untracked, 1);
	assert_int_equal(totals->allocations, 4);
	assert_int_equal(totals->failed, 1);
	assert_int_equal(totals->frees, 3);
	assert_int_equal(totals->frees_unmatched, 1);
	assert_int_equal(totals->missed_frees, 1);
	assert_type(&scene, "kmalloc-8", 4, 3);
	online_scene_close(&scene);
}

/* An allocation that a second event may report again waits up to a millisecond. */
static void waits_for_the_second_report(void **state)
{
	static const char text[] = "begin 5\nend 5s\nsymbol 0x100 __kmalloc_large\n"
				   "symbol 0x200 caller\nsymbol 0x300 end\n"
				   "alloc 10us   0 0x10000 20000/20480 __kmalloc_large+8\n"
				   "alloc 11us   0 0x10000 20000/20480 caller+8\n"
				   "alloc 100us  0 0x20000 20000/20480 __kmalloc_large+8\n"
				   "alloc 1200ms 0 0x30000 8/8 caller+8\n";
	struct online_scene scene;

	(void)state;
	online_scene_open(&scene, text, 0);
	online_scene_put_before(&scene, 4000000000);
	online_scene_take(&scene, 10500);
	assert_int_equal(scene.type_stats.count, 0);
	online_scene_take(&scene, 20000);
	assert_type(&scene, "caller", 1, 0);
	assert_int_equal(online_analysis(scene.online)->totals.repeated, 1);
	online_scene_take(&scene, 500000000);
	assert_null(find_type(&scene, "__kmalloc_large"));
	online_scene_take(&scene, 1500000000);
	assert_type(&scene, "__kmalloc_large", 1, 0);
	assert_type(&scene, "caller", 2, 0);
	online_scene_close(&scene);
}

static void releases_packets_of_other_cpus(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "alloc 10 0 0x1000 8/8 0x100\nraw 20 0 99\n";
	const struct kmt_record record = { .id = KMT_KFREE, .words = KMT_RECORD_WORDS };
	struct online_scene scene;

	(void)state;
	online_scene_open(&scene, text, 0);
	online_scene_put_packet(&scene, ONLINE_SCENE_CPUS, &record, 1, sizeof(record));
	assert_int_equal(scene.packets, 0);
	online_scene_put_before(&scene, 100);
	online_scene_take(&scene, 100);
	assert_int_equal(online_analysis(scene.online)->totals.unknown, 1);
	assert_int_equal(online_events(scene.online), 1);
	online_scene_close(&scene);
}

/* Records of a known kind and of an unknown one, of 9 and 255 words, among short ones. */
static void takes_records_of_any_length(void **state)
{
	static const uint8_t lengths[] = { 6, 9, 255, 6, 9, 255, 6 };
	static uint64_t words[1000];
	const size_t count = sizeof(lengths);
	struct online_scene scene;
	size_t at = 0;

	(void)state;
	online_scene_open(&scene,
			  "begin 5\nend 500\nsymbol 0x10 caller\nalloc 10 0 0x1000 8/8 0x18\n", 0);
	memset(words, 0xff, sizeof(words));
	for (size_t i = 0; i < count; at += lengths[i++]) {
		struct kmt_record record = { .time = 10 + i,
					     .id = i < 4 ? KMT_KMALLOC : 200,
					     .words = lengths[i],
					     .pointer = 0x1000 + i * 64,
					     .call_site = 0x18,
					     .requested = 8,
					     .allocated = 8 };

		memcpy(words + at, &record, sizeof(record));
	}
	online_scene_put_packet(&scene, 0, words, count, at * KMT_WORD);
	online_scene_put_packet(&scene, 0, words, 0, 0);
	online_scene_take(&scene, 100);
	assert_type(&scene, "caller", 4, 0);
	assert_int_equal(online_analysis(scene.online)->totals.unknown, 3);
	assert_int_equal(online_events(scene.online), 4);
	online_scene_close(&scene);
}

#define PAIRS 1000

/* A trace of one function that allocates on CPU 0, and frees on CPU 0 or 1, one after the other. */
static char *make_pairs(void)
{
	static const char head[] = "begin 5\nend 90000\nsymbol 0x10 nothing\nsymbol 0x100 maker\n"
				   "symbol 0x200 taker\ncpu 0 node 0\ncpu 1 node 1\n"
				   "cache pool 0xd000 192 256 since=6\n";
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	fputs(head, file);
	for (int i = 0; i < PAIRS; i++) {
		fprintf(file, "alloc %d 0 0x%x 60/64 maker+8\n", 100 + 40 * i, 0x10000 + i * 64);
		fprintf(file, "calloc %d 0 0x%x pool maker+16\n", 110 + 40 * i, 0x90000 + i * 256);
		fprintf(file, "free %d %d 0x%x taker\n", 120 + 40 * i, i % 2, 0x10000 + i * 64);
		fprintf(file, "cfree %d 0 0x%x pool taker\n", 130 + 40 * i, 0x90000 + i * 256);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

static void counts_most_events_in_tallies(void **state)
{
	char *text = make_pairs();
	const struct type_stats_type *type;
	struct online_scene scene;

	(void)state;
	online_scene_open_with_tallies(&scene, text, 0);
	online_scene_report_caches(&scene, 0, 90000);
	online_scene_put_before(&scene, 90000);
	online_scene_take(&scene, 90000);
	assert_int_equal(online_events(scene.online), 4 * PAIRS);
	/* all but the first of each tally and the last of each packet */
	assert_in_range(scene.tallied, 3 * PAIRS, 4 * PAIRS - 2);
	assert_in_range(scene.crossed, PAIRS * 3 / 8, PAIRS / 2);
	type = find_type(&scene, "maker");
	assert_non_null(type);
	assert_int_equal(type->numallocs, PAIRS);
	assert_int_equal(type->memalloced, PAIRS * 64);
	assert_int_equal(type->memfreed, PAIRS * 64);
	assert_int_equal(type->xdomain, PAIRS / 2);
	assert_int_equal(type->cpus[0].numallocs, PAIRS);
	assert_int_equal(type->cpus[0].numfrees, PAIRS / 2);
	assert_int_equal(type->cpus[1].memfreed, PAIRS / 2 * 64);
	assert_type(&scene, "kmalloc-64", PAIRS, PAIRS);
	assert_type(&scene, "pool", PAIRS, PAIRS);
	online_scene_compare(&scene, 5, UINT64_MAX);
	online_scene_close(&scene);
	free(text);
}

/* The events of a type that was omitted are counted once for each omitted type. */
static void counts_tallies_of_omitted_types(void **state)
{
	const struct type_stats_settings one = { .types_max = { 1, 1 } };
	char *text = make_pairs();
	struct online_scene scene;

	(void)state;
	online_scene_open_with_tallies(&scene, text, 0);
	type_stats_deinit(&scene.type_stats);
	assert_int_equal(type_stats_init(&scene.type_stats, &scene.capture, &one), 0);
	online_scene_report_caches(&scene, 0, 90000);
	online_scene_put_before(&scene, 90000);
	online_scene_take(&scene, 90000);
	assert_type(&scene, "maker", PAIRS, PAIRS);
	assert_type(&scene, "kmalloc-64", PAIRS, PAIRS);
	assert_null(find_type(&scene, "pool"));
	assert_int_equal(scene.type_stats.omitted_events, 2 * PAIRS);
	online_scene_close(&scene);
	free(text);
}

/* A free of a counted object needs no name of its cache, so it does not wait for one. */
static void waits_for_names_of_allocations_only(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "cache late 0xd000 192 200 since=15\n"
				   "alloc  10 0 0x1000 8/8 0x100\n"
				   "alloc  20 0 0x2000 8/8 0x100\n"
				   "cfree  30 0 0x1000 late 0x100\n"
				   "calloc 40 0 0x3000 late 0x100\n"
				   "alloc  50 0 0x4000 8/8 0x100\n";
	struct online_scene scene;

	(void)state;
	online_scene_open_with_tallies(&scene, text, 0);
	online_scene_put_packet(&scene, 0, scene.sources[0].records, 5,
				5 * sizeof(struct kmt_record));
	scene.sources[0].put = 5;
	assert_int_equal(online_scene_take_until(&scene, 60), 40);
	assert_type(&scene, "kmalloc-8", 2, 1);
	online_scene_report_caches(&scene, 0, 100);
	online_scene_take(&scene, 60);
	assert_type(&scene, "late", 1, 0);
	assert_type(&scene, "kmalloc-8", 3, 1);
	assert_int_equal(online_analysis(scene.online)->caches_unknown, 0);
	online_scene_compare(&scene, 5, 60);
	online_scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_the_name_of_a_cache),
		cmocka_unit_test(waits_with_events_of_the_same_time),
		cmocka_unit_test(follows_caches_at_one_address),
		cmocka_unit_test(counts_untracked_objects),
		cmocka_unit_test(waits_for_the_second_report),
		cmocka_unit_test(releases_packets_of_other_cpus),
		cmocka_unit_test(takes_records_of_any_length),
		cmocka_unit_test(counts_most_events_in_tallies),
		cmocka_unit_test(counts_tallies_of_omitted_types),
		cmocka_unit_test(waits_for_names_of_allocations_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
