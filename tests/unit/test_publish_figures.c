// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The figures for triggers: sums by name of a cache or a function, the holders of most. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/publish/publish_figures.h"

#define ROWS 5

/* Function i has the address 0x1000 * (i + 1); two are named twin, one as a cache. */
static const char symbols[] = "00001000 t alone\n"
			      "00002000 t twin\n"
			      "00003000 t twin\n"
			      "00004000 t both\n"
			      "00005000 t other\t[m]\n"
			      "00006000 t end\n";
static const char *const cache_names[ROWS] = { "dentry", "both", "twin#", "kmalloc-64",
					       "dentry(5:a)" };

struct scene {
	char *folder;
	struct capture capture;
	struct group groups[ROWS];
	struct analysis_cache caches[ROWS];
	struct analysis analysis;
	struct metrics metrics;
	struct tallies tallies;
	struct publish_figures figures;
	uint64_t time;
};

static void open_figures_scene(struct scene *scene)
{
	char *path;

	memset(scene, 0, sizeof(*scene));
	scene->folder = scratch_directory();
	path = scratch_path(scene->folder, "symbols");
	scratch_write(path, symbols, sizeof(symbols) - 1);
	assert_int_equal(symbols_load(&scene->capture.symbols, path), 0);
	free(path);
	for (uint64_t i = 0; i < ROWS; i++) {
		scene->groups[i] = (struct group){ .key = 0x1000 * (i + 1) };
		snprintf(scene->caches[i].name, sizeof(scene->caches[i].name), "%s",
			 cache_names[i]);
	}
	scene->analysis = (struct analysis){ .groups = scene->groups,
					     .group_count = ROWS,
					     .caches = scene->caches,
					     .cache_count = ROWS };
	assert_int_equal(metrics_init(&scene->metrics, &scene->capture, 0), 0);
	publish_figures_init(&scene->figures);
	assert_int_equal(tallies_init(&scene->tallies, 1, &scene->capture.topology), 0);
	scene->figures.pairs.tallies = &scene->tallies;
}

static void close_figures_scene(struct scene *scene)
{
	publish_figures_deinit(&scene->figures);
	tallies_deinit(&scene->tallies);
	metrics_deinit(&scene->metrics);
	symbols_deinit(&scene->capture.symbols);
	scratch_remove(scene->folder);
}

static void count_tally_bytes(struct scene *scene, uint32_t function, uint32_t cache,
			      uint64_t allocated, uint64_t freed)
{
	const struct tally tally = { .group = function, .cache = cache };
	const struct tally_count counts = {
		.allocations = 1, .frees = freed > 0, .allocated = allocated, .freed = freed
	};

	int64_t pair = tallies_find(&scene->tallies, function, cache);

	assert_true(pair >= 0);
	assert_int_equal(metrics_add_tally(&scene->metrics, &scene->analysis, &tally, &counts), 0);
	assert_int_equal(
		figures_pairs_add(&scene->figures.pairs, &scene->tallies.list[pair], &counts), 0);
}

static void want_triggers(struct scene *scene, const char *const *texts, size_t number)
{
	struct trigger triggers[TRIGGERS_MAX];
	struct trigger_error error;

	for (size_t i = 0; i < number; i++)
		if (trigger_parse(&triggers[i], texts[i], &error))
			fail_msg("%s: %s", texts[i], error.text);
	assert_true(publish_figures_want(&scene->figures, triggers, number));
}

static struct figures take_scene_figures(struct scene *scene, uint64_t uncounted)
{
	struct figures figures;

	assert_int_equal(publish_figures_step(&scene->figures, &scene->metrics, NULL, ++scene->time,
					      uncounted),
			 0);
	assert_true(publish_figures_get(&scene->figures, &figures));
	assert_int_equal(figures.time, scene->time);
	assert_int_equal(figures.uncounted, uncounted);
	assert_int_equal(figures.generation, scene->figures.generation);
	return figures;
}

static void names_choose_what_is_summed(void **state)
{
	static const char *const texts[] = { "live > 1",
					     "live(dentry) > 1",
					     "live(alone) > 1",
					     "live(both) > 1",
					     "live(function:both) > 1",
					     "live(cache:both) > 1",
					     "live(twin) > 1",
					     "live(cache:twin) > 1",
					     "live(missing) > 1",
					     "lost > 1%",
					     "live(other) > 1",
					     "live(dent) > 1",
					     "live(dentry(5:a)) > 1" };
	struct scene scene;
	struct figures figures;

	(void)state;
	open_figures_scene(&scene);
	want_triggers(&scene, texts, sizeof(texts) / sizeof(*texts));
	figures = take_scene_figures(&scene, 0);
	assert_int_equal(figures.live, 0);
	count_tally_bytes(&scene, 0, 0, 100, 0);    /* alone, dentry */
	count_tally_bytes(&scene, 1, 3, 20, 5);	    /* twin, kmalloc-64 */
	count_tally_bytes(&scene, 2, 2, 3000, 0);   /* the other twin, twin# */
	count_tally_bytes(&scene, 3, 4, 40000, 1);  /* both, dentry(5:a) */
	count_tally_bytes(&scene, 0, 1, 500000, 0); /* alone, both */
	figures = take_scene_figures(&scene, 7);
	assert_int_equal(figures.live, 543114);
	assert_int_equal(figures.live_of[0], 543114);
	assert_int_equal(figures.live_of[1], 100);
	assert_int_equal(figures.live_of[2], 500100);
	assert_int_equal(figures.live_of[3], 500000);
	assert_int_equal(figures.live_of[4], 39999);
	assert_int_equal(figures.live_of[5], 500000);
	assert_int_equal(figures.live_of[6], 3015);
	assert_int_equal(figures.live_of[7], 0);
	assert_int_equal(figures.live_of[8], 0);
	assert_int_equal(figures.live_of[10], 0);
	assert_int_equal(figures.live_of[11], 0);
	assert_int_equal(figures.live_of[12], 39999);
	/* a row that is new is found, too; a free takes its bytes away */
	count_tally_bytes(&scene, 4, 3, 9, 0); /* other */
	count_tally_bytes(&scene, 0, 0, 0, 60);
	figures = take_scene_figures(&scene, 7);
	assert_int_equal(figures.live_of[10], 9);
	assert_int_equal(figures.live_of[1], 40);
	assert_int_equal(figures.live_of[2], 500040);
	close_figures_scene(&scene);
}

static void other_triggers_get_other_figures(void **state)
{
	static const char *const before[] = { "live(dentry) > 1", "live(alone) > 1" };
	static const char *const after[] = { "live(kmalloc-64) > 1" };
	struct scene scene;
	struct figures figures;

	(void)state;
	open_figures_scene(&scene);
	want_triggers(&scene, before, 2);
	count_tally_bytes(&scene, 0, 0, 100, 0);
	count_tally_bytes(&scene, 1, 3, 20, 0);
	assert_int_equal(take_scene_figures(&scene, 0).live_of[0], 100);
	want_triggers(&scene, after, 1);
	/* the last figures are those of the triggers before */
	assert_true(publish_figures_get(&scene.figures, &figures));
	assert_int_not_equal(figures.generation, scene.figures.generation);
	figures = take_scene_figures(&scene, 0);
	assert_int_equal(figures.live_of[0], 20);
	want_triggers(&scene, NULL, 0);
	assert_int_equal(take_scene_figures(&scene, 0).live, 120);
	close_figures_scene(&scene);
}

static void holders_are_those_of_most(void **state)
{
	struct scene scene;
	struct figures figures;

	(void)state;
	open_figures_scene(&scene);
	count_tally_bytes(&scene, 0, 0, 10, 0);
	figures = take_scene_figures(&scene, 0);
	assert_string_equal(figures.holders[METRICS_CACHE][0].name, "dentry");
	assert_string_equal(figures.holders[METRICS_CACHE][1].name, "");
	count_tally_bytes(&scene, 1, 1, 30, 0);
	count_tally_bytes(&scene, 2, 2, 20, 0);
	count_tally_bytes(&scene, 3, 3, 40, 35);
	figures = take_scene_figures(&scene, 0);
	assert_string_equal(figures.holders[METRICS_CACHE][0].name, "both");
	assert_string_equal(figures.holders[METRICS_CACHE][1].name, "twin#");
	assert_string_equal(figures.holders[METRICS_CACHE][2].name, "dentry");
	assert_int_equal(figures.holders[METRICS_CACHE][2].bytes, 10);
	assert_string_equal(figures.holders[METRICS_FUNCTION][2].name, "alone");
	assert_int_equal(figures.holders[METRICS_FUNCTION][0].bytes, 30);
	close_figures_scene(&scene);
}

#define SECOND 1000000000ULL

static void culprits_are_those_of_the_trigger(void **state)
{
	static const char *const texts[] = { "growth(dentry) > 1/10s", "live(kmalloc-64) > 1" };
	const struct figures_culprits *dentry, *kmalloc;
	struct transition missed = { .outcome = OUTCOME_MISSED, .cache = 3, .group = 1 };
	struct slab_object object = { .allocated = 5, .cache = 3, .group = 1 };
	struct event event = { .time = 1 };
	struct scene scene;
	struct figures figures;

	(void)state;
	open_figures_scene(&scene);
	want_triggers(&scene, texts, 2);
	dentry = &figures.culprits[0];
	kmalloc = &figures.culprits[1];
	count_tally_bytes(&scene, 0, 0, 1000, 0); /* alone, dentry */
	count_tally_bytes(&scene, 1, 3, 25, 0);	  /* twin, kmalloc-64 */
	scene.time = SECOND;
	figures = take_scene_figures(&scene, 0);
	assert_string_equal(dentry->holders[0].name, "alone");
	assert_string_equal(dentry->holders[1].name, "");
	assert_string_equal(dentry->growers[0].name, ""); /* nothing is known of before */
	assert_int_equal(kmalloc->holders[0].bytes, 25);
	/* another function grows; the one with the most does not */
	for (int i = 1; i <= 30; i++) {
		count_tally_bytes(&scene, 3, 0, 10, 0); /* both, dentry */
		scene.time = SECOND + (uint64_t)i * SECOND;
		figures = take_scene_figures(&scene, 0);
		if (i != 5)
			continue;
		assert_int_equal(dentry->growth_ns, 5 * SECOND);
		assert_int_equal(dentry->growers[0].bytes, 50);
	}
	assert_string_equal(dentry->holders[0].name, "alone");
	assert_int_equal(dentry->holders[1].bytes, 300);
	assert_string_equal(dentry->growers[0].name, "both");
	assert_string_equal(dentry->growers[1].name, "");
	assert_true(dentry->growth_ns >= 10 * SECOND && dentry->growth_ns <= 11 * SECOND);
	assert_int_equal(dentry->growers[0].bytes, 10 * (dentry->growth_ns / SECOND));
	/* after a missed free, the bytes are an upper bound */
	assert_false(kmalloc->holders[0].is_bound);
	missed.event = &event;
	missed.object = &object;
	assert_int_equal(figures_pairs_take(&scene.figures.pairs, &scene.analysis, &missed), 0);
	figures = take_scene_figures(&scene, 0);
	assert_int_equal(kmalloc->holders[0].bytes, 20);
	assert_true(kmalloc->holders[0].is_bound);
	assert_false(dentry->holders[0].is_bound);
	close_figures_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_choose_what_is_summed),
		cmocka_unit_test(other_triggers_get_other_figures),
		cmocka_unit_test(holders_are_those_of_most),
		cmocka_unit_test(culprits_are_those_of_the_trigger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
