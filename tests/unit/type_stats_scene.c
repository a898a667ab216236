// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs an analysis with type statistics, and prints their counters as text. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/type_stats_scene.h"

/* Counts the transitions, and increments the generation. */
static int watch_transition(void *data, const struct analysis *analysis,
			    const struct transition *transition)
{
	struct type_stats_scene *scene = data;

	(void)analysis;
	(void)transition;
	if (scene->transitions_per_generation &&
	    scene->transitions++ % scene->transitions_per_generation == 0)
		scene->type_stats.generation++;
	return 0;
}

void type_stats_scene_open(struct type_stats_scene *scene, const char *text)
{
	char *directory = scratch_capture(text), *path = scratch_path(directory, "kernel/symbols");

	if (scene->symbols)
		scratch_write(path, scene->symbols, strlen(scene->symbols));
	free(path);
	if (capture_open(&scene->capture, directory))
		fail_msg("%s", scene->capture.error.text);
	assert_int_equal(type_stats_init(&scene->type_stats, &scene->capture, &scene->settings), 0);
	/* the directory may be removed once the analysis has read the streams */
	{
		const struct analysis_settings settings = {
			.by = GROUP_BY_FUNCTION,
			.select = &scene->select,
			.observers = { { watch_transition, scene },
				       { type_stats_on_transition, &scene->type_stats } },
			.observer_count = 2,
		};

		if (analysis_run(&scene->analysis, &scene->capture, &settings))
			fail_msg("%s", scene->capture.error.text);
	}
	scratch_remove(directory);
}

void type_stats_scene_close(struct type_stats_scene *scene)
{
	type_stats_deinit(&scene->type_stats);
	analysis_deinit(&scene->analysis);
	capture_close(&scene->capture);
}

static void print_counters(FILE *file, bool is_function, uint64_t numallocs, uint64_t numfrees,
			   uint64_t memalloced, uint64_t memfreed, uint64_t sizemask)
{
	fprintf(file, "%" PRIu64 "-%" PRIu64, numallocs, numfrees);
	if (is_function)
		fprintf(file, " %" PRIu64 "-%" PRIu64 " 0x%" PRIx64, memalloced, memfreed,
			sizemask);
	else
		assert_true(!memalloced && !memfreed && !sizemask);
}

static void print_more(FILE *file, const char *what, uint64_t value)
{
	if (value)
		fprintf(file, " %s %" PRIu64, what, value);
}

/*
 * "name: allocs-frees", for functions with bytes and classes, for caches with "(object/size)", and
 * other counters that are not 0; then the same for each CPU with counters.
 */
static void print_type(FILE *file, const struct type_stats_type *type)
{
	bool is_function = type->kind == TYPE_STATS_FUNCTION;

	fprintf(file, "%s", type->name);
	if (!is_function)
		fprintf(file, "(%" PRIu32 "/%" PRIu32 ")", type->object_size, type->size);
	if (type->aliases)
		fprintf(file, " alias %s", type->aliases);
	fprintf(file, ": ");
	print_counters(file, is_function, type->numallocs, type->numfrees, type->memalloced,
		       type->memfreed, type->sizemask);
	print_more(file, "failed", type->failures);
	print_more(file, "far", type->xdomain);
	print_more(file, "missed", type->missed_frees);
	print_more(file, "unmatched", type->frees_unmatched);
	print_more(file, "base", type->initial_count);
	print_more(file, "free", type->kegfree);
	for (size_t i = 0; i < type->cpu_count; i++) {
		const struct type_stats_cpu *cpu = &type->cpus[i];

		if (!cpu->numallocs && !cpu->numfrees)
			continue;
		fprintf(file, "; %zu: ", i);
		print_counters(file, is_function, cpu->numallocs, cpu->numfrees, cpu->memalloced,
			       cpu->memfreed, cpu->sizemask);
	}
	fputc('\n', file);
}

void assert_types(const struct type_stats *type_stats, const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t i = 0; i < type_stats->count; i++)
		print_type(file, &type_stats->types[i]);
	assert_int_equal(fclose(file), 0);
	if (strcmp(text, expected))
		fail_msg("these types:\n%sand not these:\n%s", text, expected);
	free(text);
}

void check_types(const char *text, const char *expected)
{
	struct type_stats_scene scene = { 0 };

	type_stats_scene_open(&scene, text);
	assert_types(&scene.type_stats, expected);
	assert_int_equal(scene.type_stats.omitted_events, 0);
	type_stats_scene_close(&scene);
}
