/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Type statistics of a small trace, and their counters as text, for tests. */
#ifndef TESTS_UNIT_TYPE_STATS_SCENE_H
#define TESTS_UNIT_TYPE_STATS_SCENE_H

#include "live/stats/type_stats.h"

struct type_stats_scene {
	struct capture capture;
	struct analysis analysis;
	struct type_stats type_stats;
	struct type_stats_settings settings;
	struct select select;
	const char
		*symbols; /* kernel/symbols, if the symbols of the text do not suffice; or NULL */
	uint64_t transitions, transitions_per_generation;
};

/* Analyses the capture of a text as fixture.h describes it. Any failure ends the test. */
void type_stats_scene_open(struct type_stats_scene *scene, const char *text);
void type_stats_scene_close(struct type_stats_scene *scene);

/*
 * Compares the types with a text, a line each: "name: allocs-frees", for functions with bytes and
 * classes, for caches with "(object/size)", and other counters that are not 0; then the same for
 * each CPU with counters.
 */
void assert_types(const struct type_stats *type_stats, const char *expected);

/* Does all of this for a text whose types all find space. */
void check_types(const char *text, const char *expected);

#endif
