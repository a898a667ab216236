// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An online analysis agrees at every watermark with an analysis of the whole capture up to that
 * time: for random traces, random watermarks and random packet sizes.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/random_trace.h"
#include "tests/unit/scratch.h"
#include "analysis/online.h"
#include "capture/reader.h"
#include "stats/type_stats.h"

#define ROUNDS 400
#define CPUS 16
#define OLDER \
	60 /* ns: an event of a random trace may be so much older than the report of its cache */

/* The records of one CPU, and how many of them were put. */
struct source {
	struct kmt_record *records;
	size_t count, put;
};

struct scene {
	char *directory;
	struct capture capture; /* of the online analysis */
	struct caches reported; /* all caches of the trace, for online_cache() */
	struct source sources[CPUS];
	struct online *online;
	struct type_stats type_stats;
	size_t packets; /* put and not released */
	uint64_t dice;
};

static unsigned int below(struct scene *scene, unsigned int limit)
{
	scene->dice = scene->dice * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(scene->dice >> 33) % limit;
}

static void read_source(struct scene *scene, const struct capture_stream *stream)
{
	struct source *source = &scene->sources[stream->cpu];
	struct packet packet;
	struct cursor cursor;
	struct stream opened;
	struct kmt_record record;

	assert_true(stream->cpu < CPUS);
	assert_int_equal(stream_open(&opened, stream->path), 0);
	while (stream_next(&opened, &packet) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_next(&cursor, &record) == 1) {
			source->records =
				reallocarray(source->records, source->count + 1, sizeof(record));
			assert_non_null(source->records);
			source->records[source->count++] = record;
		}
	}
	stream_close(&opened);
}

static void release(void *data, struct online_packet *packet)
{
	struct scene *scene = data;

	scene->packets--;
	free(packet);
}

static void open_scene(struct scene *scene, const char *text, size_t objects_max)
{
	struct online_settings settings = {
		.cpus = CPUS,
		.objects_max = objects_max,
		.observer = { type_stats_on_transition, &scene->type_stats },
		.release = release,
		.data = scene,
	};

	memset(scene, 0, sizeof(*scene));
	scene->directory = scratch_capture(text);
	if (capture_open(&scene->capture, scene->directory))
		fail_msg("%s", scene->capture.errmsg);
	for (size_t i = 0; i < scene->capture.stream_count; i++)
		read_source(scene, &scene->capture.streams[i]);
	scene->reported.list = scene->capture.caches.list;
	scene->reported.count = scene->capture.caches.count;
	scene->capture.caches.list = NULL;
	assert_int_equal(type_stats_init(&scene->type_stats, &scene->capture, NULL), 0);
	assert_int_equal(online_open(&scene->online, &scene->capture, &settings), 0);
}

static void close_scene(struct scene *scene)
{
	online_close(scene->online);
	assert_int_equal(scene->packets, 0);
	type_stats_deinit(&scene->type_stats);
	free(scene->reported.list);
	for (size_t i = 0; i < CPUS; i++)
		free(scene->sources[i].records);
	capture_close(&scene->capture);
	scratch_remove(scene->directory);
}

/* Reports the caches that were created or destroyed between the times. */
static void report_caches(struct scene *scene, uint64_t after, uint64_t before)
{
	for (size_t i = 0; i < scene->reported.count; i++) {
		const struct cache *cache = &scene->reported.list[i];

		if (cache->since >= after && cache->since < before)
			assert_int_equal(online_cache(scene->online, cache), 0);
		if (cache->until >= after && cache->until < before)
			online_cache_gone(scene->online, cache->address, cache->until);
	}
}

static void put(struct scene *scene, unsigned int cpu, size_t count)
{
	struct source *source = &scene->sources[cpu];
	struct online_packet *packet = malloc(sizeof(*packet));

	assert_non_null(packet);
	packet->cpu = cpu;
	packet->count = count;
	packet->sequence_first = 0;
	packet->size = count * sizeof(struct kmt_record);
	memcpy(packet->records, source->records + source->put, packet->size);
	source->put += count;
	scene->packets++;
	online_put(scene->online, packet);
}

/* Puts all records before the watermark, and some after it. */
static void put_before(struct scene *scene, uint64_t watermark)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		struct source *source = &scene->sources[cpu];
		size_t end = source->put;

		while (end < source->count && source->records[end].time < watermark)
			end++;
		if (end < source->count)
			end += below(scene, source->count - end + 1);
		while (source->put < end)
			put(scene, cpu, 1 + below(scene, end - source->put));
	}
}

static void take(struct scene *scene, uint64_t watermark)
{
	uint64_t processed;

	assert_int_equal(online_take(scene->online, watermark, &processed), 0);
	assert_int_equal(processed, watermark);
}

/* An analysis of the whole capture. */
struct whole {
	struct capture capture;
	struct analysis analysis;
	struct type_stats type_stats;
};

static void run_whole(struct whole *whole, const char *directory, uint64_t begin,
		      uint64_t watermark)
{
	struct select select = { .before = watermark - begin };
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.select = watermark == UINT64_MAX ? NULL : &select,
		.observers = { { type_stats_on_transition, &whole->type_stats } },
		.observer_count = 1,
	};

	if (capture_open(&whole->capture, directory) ||
	    type_stats_init(&whole->type_stats, &whole->capture, NULL) ||
	    analysis_run(&whole->analysis, &whole->capture, &settings))
		fail_msg("%s", whole->capture.errmsg);
	if (watermark != UINT64_MAX)
		assert_int_equal(whole->analysis.begin, begin);
}

static void close_whole(struct whole *whole)
{
	type_stats_deinit(&whole->type_stats);
	analysis_deinit(&whole->analysis);
	capture_close(&whole->capture);
}

static void compare_totals(const struct analysis_totals *a, const struct analysis_totals *b)
{
	assert_int_equal(a->allocations, b->allocations);
	assert_int_equal(a->failed, b->failed);
	assert_int_equal(a->frees, b->frees);
	assert_int_equal(a->frees_unmatched, b->frees_unmatched);
	assert_int_equal(a->null_frees, b->null_frees);
	assert_int_equal(a->resizes, b->resizes);
	assert_int_equal(a->repeated, b->repeated);
	assert_int_equal(a->missed_frees, b->missed_frees);
	assert_int_equal(a->bytes_requested, b->bytes_requested);
	assert_int_equal(a->bytes_allocated, b->bytes_allocated);
	assert_int_equal(a->cross_cpu_frees, b->cross_cpu_frees);
	assert_int_equal(a->temporary, b->temporary);
	assert_int_equal(a->live_objects, b->live_objects);
	assert_int_equal(a->live_bytes, b->live_bytes);
	assert_int_equal(a->peak_bytes, b->peak_bytes);
	assert_int_equal(a->peak_time, b->peak_time);
	assert_int_equal(a->own_allocations, b->own_allocations);
	assert_int_equal(a->own_frees, b->own_frees);
	assert_int_equal(a->from_backup, b->from_backup);
}

static void compare_types(const struct type_stats *a, const struct type_stats *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct type_stats_type *left = &a->types[i], *right = &b->types[i];

		assert_int_equal(left->kind, right->kind);
		assert_string_equal(left->name, right->name);
		assert_int_equal(left->object_size, right->object_size);
		assert_int_equal(left->size, right->size);
		assert_int_equal(left->numallocs, right->numallocs);
		assert_int_equal(left->numfrees, right->numfrees);
		assert_int_equal(left->memalloced, right->memalloced);
		assert_int_equal(left->memfreed, right->memfreed);
		assert_int_equal(left->sizemask, right->sizemask);
		assert_int_equal(left->failures, right->failures);
		assert_int_equal(left->xdomain, right->xdomain);
		assert_int_equal(left->frees_unmatched, right->frees_unmatched);
		assert_int_equal(left->cpu_count, right->cpu_count);
		assert_memory_equal(left->cpus, right->cpus, left->cpu_count * sizeof(*left->cpus));
		if (left->aliases || right->aliases)
			assert_string_equal(left->aliases, right->aliases);
	}
}

static void compare(struct scene *scene, uint64_t begin, uint64_t watermark)
{
	const struct analysis *analysis = online_analysis(scene->online);
	struct whole whole;

	run_whole(&whole, scene->directory, begin, watermark);
	compare_totals(&analysis->totals, &whole.analysis.totals);
	if (watermark == UINT64_MAX)
		assert_int_equal(analysis->totals.unknown, whole.analysis.totals.unknown);
	assert_int_equal(analysis->group_count, whole.analysis.group_count);
	for (size_t i = 0; i < analysis->group_count; i++)
		assert_memory_equal(&analysis->groups[i], &whole.analysis.groups[i],
				    offsetof(struct group, lifetimes));
	compare_types(&scene->type_stats, &whole.type_stats);
	close_whole(&whole);
}

/* Compares also where it waits for a name that is never reported. */
static void take_all(struct scene *scene, uint64_t begin, uint64_t watermark)
{
	uint64_t processed;

	assert_int_equal(online_take(scene->online, watermark, &processed), 0);
	if (processed < watermark) {
		if (processed > begin)
			compare(scene, begin, processed);
		take(scene, watermark);
	}
	compare(scene, begin, watermark);
}

static uint64_t last_time(const struct scene *scene)
{
	uint64_t last = 0;

	for (size_t i = 0; i < CPUS; i++)
		if (scene->sources[i].count &&
		    scene->sources[i].records[scene->sources[i].count - 1].time > last)
			last = scene->sources[i].records[scene->sources[i].count - 1].time;
	return last;
}

static void one_round(uint64_t seed)
{
	struct naive_trace trace;
	struct scene scene;
	char *text = random_trace(&trace, seed);
	uint64_t begin, processed = 0, watermark;
	struct whole whole;

	open_scene(&scene, text, 0);
	scene.dice = seed;
	run_whole(&whole, scene.directory, 0, UINT64_MAX);
	begin = whole.analysis.begin;
	close_whole(&whole);
	for (watermark = begin; watermark <= last_time(&scene);) {
		watermark += 1 + below(&scene, 1 + (unsigned int)(last_time(&scene) - begin) / 2);
		report_caches(&scene, processed, watermark + OLDER);
		put_before(&scene, watermark);
		take_all(&scene, begin, watermark);
		processed = watermark + OLDER;
	}
	report_caches(&scene, processed, UINT64_MAX);
	put_before(&scene, UINT64_MAX);
	take_all(&scene, begin, UINT64_MAX);
	assert_int_equal(scene.packets, 0);
	close_scene(&scene);
	free(text);
}

static void agrees_with_the_analysis_of_the_whole_capture(void **state)
{
	const char *text = getenv("KMEMTRACE_SEED");
	uint64_t rounds = text ? 1 : scratch_setting("KMEMTRACE_ROUNDS", ROUNDS);
	static uint64_t seed;

	*state = &seed;
	for (uint64_t i = 0; i < rounds; i++) {
		seed = text ? strtoull(text, NULL, 0) : i + 1;
		one_round(seed);
	}
}

/* Prints the seed of the last round, for repeating a failure. */
static int print_seed(void **state)
{
	print_message("the last round: KMEMTRACE_SEED=%" PRIu64 "\n", *(const uint64_t *)*state);
	return 0;
}

static const struct type_stats_type *find_type(const struct scene *scene, const char *name)
{
	for (size_t i = 0; i < scene->type_stats.count; i++)
		if (!strcmp(scene->type_stats.types[i].name, name))
			return &scene->type_stats.types[i];
	return NULL;
}

static void assert_type(const struct scene *scene, const char *name, uint64_t numallocs,
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
	struct scene scene;
	uint64_t processed;

	(void)state;
	open_scene(&scene, text, 0);
	put_before(&scene, 100);
	assert_int_equal(online_take(scene.online, 25, &processed), 0);
	assert_int_equal(processed, 10);
	assert_int_equal(scene.type_stats.count, 0);
	report_caches(&scene, 0, 100);
	take(&scene, 25);
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
	take(&scene, 100);
	assert_int_equal(online_analysis(scene.online)->caches_unknown, 2);
	assert_type(&scene, "0xeeee", 1, 0);
	assert_type(&scene, "0xffff", 1, 0);
	assert_type(&scene, "kmalloc-8", 3, 0);
	compare(&scene, 5, 100);
	close_scene(&scene);
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
	struct scene scene;
	uint64_t processed;

	(void)state;
	open_scene(&scene, text, 0);
	put_before(&scene, 100);
	assert_int_equal(online_take(scene.online, 90, &processed), 0);
	assert_int_equal(processed, 20);
	assert_int_equal(online_analysis(scene.online)->totals.allocations, 1);
	report_caches(&scene, 0, 100);
	take(&scene, 90);
	compare(&scene, 5, 90);
	assert_int_equal(online_analysis(scene.online)->totals.frees_unmatched, 0);
	close_scene(&scene);
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
	struct scene scene;

	(void)state;
	open_scene(&scene, text, 0);
	report_caches(&scene, 0, 100);
	put_before(&scene, 100);
	take(&scene, 100);
	assert_type(&scene, "first", 4, 0);
	assert_type(&scene, "second", 2, 0);
	assert_string_equal(find_type(&scene, "first")->aliases, "one,two");
	compare(&scene, 5, 100);
	close_scene(&scene);
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
	struct scene scene;

	(void)state;
	open_scene(&scene, text, 2);
	put_before(&scene, 100);
	take(&scene, 100);
	totals = &online_analysis(scene.online)->totals;
	assert_int_equal(totals->untracked, 1);
	assert_int_equal(totals->allocations, 4);
	assert_int_equal(totals->failed, 1);
	assert_int_equal(totals->frees, 3);
	assert_int_equal(totals->frees_unmatched, 1);
	assert_int_equal(totals->missed_frees, 1);
	assert_type(&scene, "kmalloc-8", 4, 3);
	close_scene(&scene);
}

/* An allocation that a second event may report again waits up to a millisecond. */
static void waits_for_the_second_report(void **state)
{
	static const char text[] = "begin 5\nend 5ms\nsymbol 0x100 __kmalloc_large\n"
				   "symbol 0x200 caller\nsymbol 0x300 end\n"
				   "alloc 10us   0 0x10000 20000/20480 __kmalloc_large+8\n"
				   "alloc 11us   0 0x10000 20000/20480 caller+8\n"
				   "alloc 100us  0 0x20000 20000/20480 __kmalloc_large+8\n"
				   "alloc 1200us 0 0x30000 8/8 caller+8\n";
	struct scene scene;

	(void)state;
	open_scene(&scene, text, 0);
	put_before(&scene, 4000000);
	take(&scene, 10500);
	assert_int_equal(scene.type_stats.count, 0);
	take(&scene, 20000);
	assert_type(&scene, "caller", 1, 0);
	assert_int_equal(online_analysis(scene.online)->totals.repeated, 1);
	take(&scene, 500000);
	assert_null(find_type(&scene, "__kmalloc_large"));
	take(&scene, 1500000);
	assert_type(&scene, "__kmalloc_large", 1, 0);
	assert_type(&scene, "caller", 2, 0);
	close_scene(&scene);
}

static void releases_packets_of_other_cpus(void **state)
{
	static const char text[] = "begin 5\nend 500\nsymbol 0x10 nothing\n"
				   "alloc 10 0 0x1000 8/8 0x100\nraw 20 0 99\n";
	struct online_packet *packet = calloc(1, sizeof(*packet));
	struct scene scene;

	(void)state;
	open_scene(&scene, text, 0);
	assert_non_null(packet);
	packet->cpu = CPUS;
	packet->count = 1;
	scene.packets++;
	online_put(scene.online, packet);
	assert_int_equal(scene.packets, 0);
	put_before(&scene, 100);
	take(&scene, 100);
	assert_int_equal(online_analysis(scene.online)->totals.unknown, 1);
	assert_int_equal(online_events(scene.online), 1);
	close_scene(&scene);
}

/* Puts count records as they are, one after another in words, to CPU 0. */
static void put_words(struct scene *scene, const uint64_t *words, size_t count, size_t size)
{
	struct online_packet *packet = calloc(1, sizeof(*packet));

	assert_non_null(packet);
	packet->count = count;
	packet->size = size;
	memcpy(packet->records, words, size);
	scene->packets++;
	online_put(scene->online, packet);
}

/* Records of a known kind and of an unknown one, of 9 and 255 words, among short ones. */
static void takes_records_of_any_length(void **state)
{
	static const uint8_t lengths[] = { 6, 9, 255, 6, 9, 255, 6 };
	static uint64_t words[1000];
	const size_t count = sizeof(lengths);
	struct scene scene;
	size_t at = 0;

	(void)state;
	open_scene(&scene, "begin 5\nend 500\nsymbol 0x10 caller\nalloc 10 0 0x1000 8/8 0x18\n", 0);
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
	put_words(&scene, words, count, at * KMT_WORD);
	put_words(&scene, words, 0, 0);
	take(&scene, 100);
	assert_type(&scene, "caller", 4, 0);
	assert_int_equal(online_analysis(scene.online)->totals.unknown, 3);
	assert_int_equal(online_events(scene.online), 4);
	close_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(agrees_with_the_analysis_of_the_whole_capture,
					  print_seed),
		cmocka_unit_test(waits_for_the_name_of_a_cache),
		cmocka_unit_test(waits_with_events_of_the_same_time),
		cmocka_unit_test(follows_caches_at_one_address),
		cmocka_unit_test(counts_untracked_objects),
		cmocka_unit_test(waits_for_the_second_report),
		cmocka_unit_test(releases_packets_of_other_cpus),
		cmocka_unit_test(takes_records_of_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
