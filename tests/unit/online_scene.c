// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Feeds an online analysis with a capture, and compares it with an analysis of the whole capture.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/online_scene.h"
#include "tests/unit/scratch.h"
#include "capture/reader.h"

unsigned int online_scene_below(struct online_scene *scene, unsigned int limit)
{
	scene->random_state = scene->random_state * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(scene->random_state >> 33) % limit;
}

static void read_source(struct online_scene *scene, const struct capture_stream *stream)
{
	struct cpu_records *source = &scene->sources[stream->cpu];
	struct packet packet;
	struct cursor cursor;
	struct stream opened;
	struct kmt_record record;

	assert_true(stream->cpu < ONLINE_SCENE_CPUS);
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

static void release_scene_packet(void *data, struct online_packet *packet)
{
	struct online_scene *scene = data;

	scene->packets--;
	free(packet);
}

void online_scene_put_packet(struct online_scene *scene, unsigned int cpu, const void *records,
			     size_t count, size_t size)
{
	struct online_packet *packet = malloc(sizeof(*packet) + size);

	assert_non_null(packet);
	*packet = (struct online_packet){
		.cpu = cpu, .count = count, .size = size, .records = (void *)(packet + 1)
	};
	memcpy(packet + 1, records, size);
	scene->packets++;
	online_put(scene->online, packet);
}

static void open_online(struct online_scene *scene, const char *text, size_t objects_max,
			bool with_tallies)
{
	struct online_settings settings = {
		.cpus = ONLINE_SCENE_CPUS,
		.objects_max = objects_max,
		.observer = { type_stats_on_transition, &scene->type_stats },
		.observer_only = with_tallies,
		.tallies = with_tallies ? &scene->tallies : NULL,
		.release = release_scene_packet,
		.data = scene,
	};

	memset(scene, 0, sizeof(*scene));
	scene->with_tallies = with_tallies;
	scene->directory = scratch_capture(text);
	if (capture_open(&scene->capture, scene->directory))
		fail_msg("%s", scene->capture.error.text);
	for (size_t i = 0; i < scene->capture.stream_count; i++)
		read_source(scene, &scene->capture.streams[i]);
	scene->reported.list = scene->capture.caches.list;
	scene->reported.count = scene->capture.caches.count;
	scene->capture.caches.list = NULL;
	assert_int_equal(type_stats_init(&scene->type_stats, &scene->capture, NULL), 0);
	assert_int_equal(tallies_init(&scene->tallies, ONLINE_SCENE_CPUS, &scene->capture.topology),
			 0);
	assert_int_equal(online_open(&scene->online, &scene->capture, &settings), 0);
}

void online_scene_open(struct online_scene *scene, const char *text, size_t objects_max)
{
	open_online(scene, text, objects_max, false);
}

void online_scene_open_with_tallies(struct online_scene *scene, const char *text,
				    size_t objects_max)
{
	open_online(scene, text, objects_max, true);
}

void online_scene_close(struct online_scene *scene)
{
	online_close(scene->online);
	assert_int_equal(scene->packets, 0);
	type_stats_deinit(&scene->type_stats);
	tallies_deinit(&scene->tallies);
	free(scene->reported.list);
	for (size_t i = 0; i < ONLINE_SCENE_CPUS; i++)
		free(scene->sources[i].records);
	capture_close(&scene->capture);
	scratch_remove(scene->directory);
}

void online_scene_report_caches(struct online_scene *scene, uint64_t after, uint64_t before)
{
	for (size_t i = 0; i < scene->reported.count; i++) {
		const struct cache *cache = &scene->reported.list[i];

		if (cache->since >= after && cache->since < before)
			assert_int_equal(online_cache(scene->online, cache), 0);
		if (cache->until >= after && cache->until < before)
			online_cache_gone(scene->online, cache->address, cache->until);
	}
}

static void put_packet(struct online_scene *scene, unsigned int cpu, size_t count)
{
	struct cpu_records *source = &scene->sources[cpu];

	online_scene_put_packet(scene, cpu, source->records + source->put, count,
				count * sizeof(*source->records));
	source->put += count;
}

void online_scene_put_before(struct online_scene *scene, uint64_t watermark)
{
	for (unsigned int cpu = 0; cpu < ONLINE_SCENE_CPUS; cpu++) {
		struct cpu_records *source = &scene->sources[cpu];
		size_t end = source->put;

		while (end < source->count && source->records[end].time < watermark)
			end++;
		if (end < source->count)
			end += online_scene_below(scene, source->count - end + 1);
		while (source->put < end)
			put_packet(scene, cpu, 1 + online_scene_below(scene, end - source->put));
	}
}

static void count_tallies(struct online_scene *scene)
{
	for (size_t cpu = 0; cpu < scene->tallies.cpu_count; cpu++)
		for (size_t i = 0; i < scene->tallies.cpus[cpu].count; i++) {
			const struct tally_count *tally = &scene->tallies.cpus[cpu].list[i];

			scene->tallied += tally->allocations + tally->frees;
			scene->crossed += tally->cross_cpu;
		}
}

static int add_tally(void *data, const struct tally *tally, unsigned int cpu,
		     const struct tally_count *count)
{
	struct online_scene *scene = data;

	return type_stats_add_tally(&scene->type_stats, online_analysis(scene->online), tally, cpu,
				    count);
}

uint64_t online_scene_take_until(struct online_scene *scene, uint64_t watermark)
{
	uint64_t processed;

	assert_int_equal(online_take(scene->online, watermark, &processed), 0);
	count_tallies(scene);
	assert_int_equal(tallies_take(&scene->tallies, add_tally, scene), 0);
	return processed;
}

void online_scene_take(struct online_scene *scene, uint64_t watermark)
{
	assert_int_equal(online_scene_take_until(scene, watermark), watermark);
}

void whole_run(struct whole_analysis *whole, const char *directory, uint64_t begin,
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
		fail_msg("%s", whole->capture.error.text);
	if (watermark != UINT64_MAX)
		assert_int_equal(whole->analysis.begin, begin);
}

void whole_close(struct whole_analysis *whole)
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
	assert_int_equal(a->missed_frees, b->missed_frees);
	assert_int_equal(a->bytes_requested, b->bytes_requested);
	assert_int_equal(a->bytes_allocated, b->bytes_allocated);
	assert_int_equal(a->cross_cpu_frees, b->cross_cpu_frees);
	assert_int_equal(a->temporary, b->temporary);
	assert_int_equal(a->live_objects, b->live_objects);
	assert_int_equal(a->live_bytes, b->live_bytes);
	assert_int_equal(a->peak_bytes, b->peak_bytes);
	assert_int_equal(a->peak_time, b->peak_time);
}

/* The totals that the matcher counts even if the observer alone counts transitions. */
static void compare_uncounted(const struct analysis_totals *a, const struct analysis_totals *b)
{
	assert_int_equal(a->repeated, b->repeated);
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
		assert_int_equal(left->missed_frees, right->missed_frees);
		assert_int_equal(left->frees_unmatched, right->frees_unmatched);
		assert_int_equal(left->cpu_count, right->cpu_count);
		assert_memory_equal(left->cpus, right->cpus, left->cpu_count * sizeof(*left->cpus));
		if (left->aliases || right->aliases)
			assert_string_equal(left->aliases, right->aliases);
	}
}

void online_scene_compare(struct online_scene *scene, uint64_t begin, uint64_t watermark)
{
	const struct analysis *analysis = online_analysis(scene->online);
	struct whole_analysis whole;

	whole_run(&whole, scene->directory, begin, watermark);
	if (!scene->with_tallies)
		compare_totals(&analysis->totals, &whole.analysis.totals);
	compare_uncounted(&analysis->totals, &whole.analysis.totals);
	if (watermark == UINT64_MAX)
		assert_int_equal(analysis->totals.unknown, whole.analysis.totals.unknown);
	assert_int_equal(analysis->group_count, whole.analysis.group_count);
	for (size_t i = 0; i < analysis->group_count && !scene->with_tallies; i++)
		assert_memory_equal(&analysis->groups[i], &whole.analysis.groups[i],
				    offsetof(struct group, lifetimes));
	compare_types(&scene->type_stats, &whole.type_stats);
	whole_close(&whole);
}
