// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An online analysis agrees at every watermark with an analysis of the whole capture up to that
 * time: for random traces, random watermarks and random packet sizes.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/online_scene.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scratch.h"

#define ROUNDS 80

/* ns: an event of a random trace may be so much older than the report of its cache */
#define OLDER 60

/* Compares also where it waits for a name that is never reported. */
static void take_all(struct online_scene *scene, uint64_t begin, uint64_t watermark)
{
	uint64_t processed = online_scene_take_until(scene, watermark);

	if (processed < watermark) {
		if (processed > begin)
			online_scene_compare(scene, begin, processed);
		online_scene_take(scene, watermark);
	}
	online_scene_compare(scene, begin, watermark);
}

static uint64_t last_time(const struct online_scene *scene)
{
	uint64_t last = 0;

	for (size_t i = 0; i < ONLINE_SCENE_CPUS; i++)
		if (scene->sources[i].count &&
		    scene->sources[i].records[scene->sources[i].count - 1].time > last)
			last = scene->sources[i].records[scene->sources[i].count - 1].time;
	return last;
}

/* Returns the number of events in tallies. */
static uint64_t run_online_round(uint64_t seed, bool with_tallies)
{
	struct naive_trace trace;
	struct online_scene scene;
	char *text = random_trace(&trace, seed);
	uint64_t begin, processed = 0, watermark;
	struct whole_analysis whole;
	uint64_t tallied;

	if (with_tallies)
		online_scene_open_with_tallies(&scene, text, 0);
	else
		online_scene_open(&scene, text, 0);
	scene.random_state = seed;
	whole_run(&whole, scene.directory, 0, UINT64_MAX);
	begin = whole.analysis.begin;
	whole_close(&whole);
	for (watermark = begin; watermark <= last_time(&scene);) {
		watermark += 1 + online_scene_below(
					 &scene, 1 + (unsigned int)(last_time(&scene) - begin) / 2);
		online_scene_report_caches(&scene, processed, watermark + OLDER);
		online_scene_put_before(&scene, watermark);
		take_all(&scene, begin, watermark);
		processed = watermark + OLDER;
	}
	online_scene_report_caches(&scene, processed, UINT64_MAX);
	online_scene_put_before(&scene, UINT64_MAX);
	take_all(&scene, begin, UINT64_MAX);
	assert_int_equal(scene.packets, 0);
	tallied = scene.tallied;
	online_scene_close(&scene);
	free(text);
	return tallied;
}

static void agrees_with_the_analysis_of_the_whole_capture(void **state)
{
	const char *text = getenv("KMEMTRACE_SEED");
	uint64_t rounds = text ? 1 : scratch_setting("KMEMTRACE_ROUNDS", ROUNDS);
	uint64_t tallied = 0;
	static uint64_t seed;

	*state = &seed;
	for (uint64_t i = 0; i < rounds; i++) {
		seed = text ? strtoull(text, NULL, 0) : i + 1;
		run_online_round(seed, false);
		tallied += run_online_round(seed, true);
	}
	/* a trace has few events, of which some are fast */
	if (rounds >= 50)
		assert_true(tallied > rounds);
}

/* Prints the seed of the last round, for repeating a failure. */
static int print_seed(void **state)
{
	print_message("the last round: KMEMTRACE_SEED=%" PRIu64 "\n", *(const uint64_t *)*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(agrees_with_the_analysis_of_the_whole_capture,
					  print_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
