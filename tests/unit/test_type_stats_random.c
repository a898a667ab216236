// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Type statistics of thousands of small random traces: the counters equal those of the analysis and
 * of the naive model, and no transition decreases a counter. $KMEMTRACE_ROUNDS is the number of
 * traces, $KMEMTRACE_SEED the first seed.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/stats/type_stats.h"
#include "tests/unit/naive.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define ROUNDS 400
#define SEED 1
#define CPUS 3
#define TYPES_MAX 64

/* Functions of random_trace()'s six call sites, 16 bytes apart. */
static const char functions[] = "symbol 0xffffffff81000000 same\nsymbol 0xffffffff81000020 same\n"
				"symbol 0xffffffff81000040 alone module\n";
static const char *const function_names[] = { "same#1", "same#2", "alone [module]" };
#define FIRST_SITE 0xffffffff81000000
#define SITES_OF_FUNCTION 2 /* with 16 bytes between sites */

static const char nodes[] = "cpu 0 node 0\ncpu 1 node 1\ncpu 2 node 0\n";
static const int node_of[CPUS] = { 0, 1, 0 };

struct round {
	uint64_t seed, transition;
	bool has_functions;
	char *text;
	struct naive_trace trace;
	struct naive naive;
	struct capture capture;
	struct analysis analysis;
	struct type_stats type_stats;
	struct type_stats_type before[TYPES_MAX]; /* after the last transition */
	struct type_stats_cpu cpus[TYPES_MAX][CPUS];
	size_t count;
	uint64_t seen_missed, seen_found, seen_instead, seen_far, seen_failed; /* of all rounds */
};

static void expect_counts(const struct round *round, const char *where, const char *what,
			  uint64_t expected, uint64_t found)
{
	if (expected == found)
		return;
	fprintf(stderr, "%s\n", round->text);
	fail_msg("KMEMTRACE_SEED=%" PRIu64 ", step %" PRIu64 ": %s: %s: %" PRIu64
		 " and not %" PRIu64,
		 round->seed, round->transition, where, what, found, expected);
}

static void expect_no_less(const struct round *round, const char *where, const char *what,
			   uint64_t before, uint64_t now)
{
	if (now < before)
		expect_counts(round, where, what, before, now);
}

#define NO_LESS(counter) expect_no_less(round, name, #counter, was->counter, is->counter)

static void compare_cpu(const struct round *round, const char *name,
			const struct type_stats_cpu *was, const struct type_stats_cpu *is)
{
	NO_LESS(numallocs);
	NO_LESS(numfrees);
	NO_LESS(memalloced);
	NO_LESS(memfreed);
	NO_LESS(sizemask);
}

static void compare_type(const struct round *round, size_t index)
{
	const struct type_stats_type *was = &round->before[index],
				     *is = &round->type_stats.types[index];
	const char *name = is->name;

	NO_LESS(numallocs);
	NO_LESS(numfrees);
	NO_LESS(memalloced);
	NO_LESS(memfreed);
	NO_LESS(sizemask);
	NO_LESS(failures);
	NO_LESS(xdomain);
	NO_LESS(frees_unmatched);
	NO_LESS(object_size);
	NO_LESS(cpu_count);
	expect_no_less(round, name, "live", is->numfrees, is->numallocs);
	expect_no_less(round, name, "live bytes", is->memfreed, is->memalloced);
	for (size_t i = 0; i < was->cpu_count; i++)
		compare_cpu(round, name, &round->cpus[index][i], &is->cpus[i]);
}

static void keep_types(struct round *round)
{
	const struct type_stats *type_stats = &round->type_stats;

	assert_in_range(type_stats->count, 0, TYPES_MAX);
	for (size_t i = 0; i < type_stats->count; i++) {
		round->before[i] = type_stats->types[i];
		assert_in_range(type_stats->types[i].cpu_count, 0, CPUS);
		if (type_stats->types[i].cpu_count)
			memcpy(round->cpus[i], type_stats->types[i].cpus,
			       type_stats->types[i].cpu_count * sizeof(struct type_stats_cpu));
	}
	round->count = type_stats->count;
}

static const struct type_stats_type *find_type(const struct type_stats *type_stats,
					       enum type_stats_kind kind, const char *name)
{
	for (size_t i = 0; i < type_stats->count; i++)
		if (type_stats->types[i].kind == kind && !strcmp(type_stats->types[i].name, name))
			return &type_stats->types[i];
	return NULL;
}

/* Caches of one name are one type, since none here differ in size. */
static void compare_caches(const struct round *round)
{
	static const struct type_stats_type none;
	const struct analysis *analysis = &round->analysis;

	for (size_t i = 0; i < analysis->cache_count; i++) {
		const char *name = analysis->caches[i].name;
		const struct type_stats_type *type =
			find_type(&round->type_stats, TYPE_STATS_CACHE, name);
		uint64_t allocations = 0, frees = 0, failed = 0, unmatched = 0, live = 0;

		for (size_t k = 0; k < analysis->cache_count; k++) {
			const struct analysis_cache *cache = &analysis->caches[k];

			if (strcmp(cache->name, name) || cache->is_large)
				continue;
			allocations += cache->allocations;
			frees += cache->frees + cache->missed_frees;
			failed += cache->failed;
			unmatched += cache->frees_unmatched;
			live += cache->live_objects;
		}
		expect_counts(round, name, "is a type", allocations || failed || unmatched,
			      type != NULL);
		if (!type)
			type = &none;
		expect_counts(round, name, "numallocs", allocations, type->numallocs);
		expect_counts(round, name, "numfrees", frees, type->numfrees);
		expect_counts(round, name, "count", live, type->numallocs - type->numfrees);
		expect_counts(round, name, "failures", failed, type->failures);
		expect_counts(round, name, "frees_unmatched", unmatched, type->frees_unmatched);
	}
}

/* Runs before type_stats, which has counted all transitions but this one. */
static int look_at_transition(void *data, const struct analysis *analysis,
			      const struct transition *transition)
{
	struct round *round = data;

	(void)analysis;
	for (size_t i = 0; i < round->count; i++)
		compare_type(round, i);
	keep_types(round);
	if (round->transition % 16 == 0)
		compare_caches(round);
	round->transition++;
	round->seen_missed += transition->outcome == OUTCOME_MISSED;
	round->seen_found += transition->outcome == OUTCOME_MISSED_FREE_MATCHED;
	round->seen_instead += transition->outcome == OUTCOME_FREE_REASSIGNED;
	round->seen_failed += transition->outcome == OUTCOME_FAILED;
	return 0;
}

static void name_function(const struct round *round, uint64_t site, char *name, size_t size)
{
	if (round->has_functions)
		snprintf(name, size, "%s",
			 function_names[(site - FIRST_SITE) / 16 / SITES_OF_FUNCTION]);
	else
		snprintf(name, size, "0x%" PRIx64, site);
}

static bool is_of_function(const struct round *round, const struct naive_event *object,
			   const char *name)
{
	char own[40];

	if (object->id != KMT_KMALLOC || object->own)
		return false;
	name_function(round, object->site, own, sizeof(own));
	return !strcmp(own, name);
}

static uint64_t class_of(uint32_t bytes)
{
	static const uint32_t classes[] = { 8,	 16,  32,   64,	  96,	128, 192,
					    256, 512, 1024, 2048, 4096, 8192 };

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i] == bytes)
			return 1U << i;
	return 0;
}

/* The counters of a function, from the events of the model. */
static void compare_function(struct round *round, const char *name)
{
	const struct type_stats_type *type =
		find_type(&round->type_stats, TYPE_STATS_FUNCTION, name);
	struct type_stats_type all = { 0 };
	struct type_stats_cpu cpus[CPUS] = { 0 };

	for (size_t i = 0; i < round->naive.count; i++) {
		const struct naive_event *event = round->naive.order[i], *object = event->object;

		if (naive_is_allocation(event) && is_of_function(round, event, name)) {
			bool succeeds = naive_has_object(event);

			all.failures += !succeeds;
			all.numallocs += succeeds;
			all.memalloced += succeeds ? event->allocated : 0;
			all.sizemask |= succeeds ? class_of(event->allocated) : 0;
			all.numfrees += succeeds && !event->live;
			all.memfreed += succeeds && !event->live ? event->allocated : 0;
			cpus[event->cpu].numallocs += succeeds;
			cpus[event->cpu].memalloced += succeeds ? event->allocated : 0;
		}
		if (!object || !is_of_function(round, object, name))
			continue;
		cpus[event->cpu].numfrees++;
		cpus[event->cpu].memfreed += object->allocated;
		all.xdomain += node_of[event->cpu] != node_of[object->cpu];
	}
	expect_counts(round, name, "is a type", all.numallocs || all.failures, type != NULL);
	if (!type)
		return;
	expect_counts(round, name, "numallocs", all.numallocs, type->numallocs);
	expect_counts(round, name, "numfrees", all.numfrees, type->numfrees);
	expect_counts(round, name, "memalloced", all.memalloced, type->memalloced);
	expect_counts(round, name, "memfreed", all.memfreed, type->memfreed);
	expect_counts(round, name, "sizemask", all.sizemask, type->sizemask);
	expect_counts(round, name, "failures", all.failures, type->failures);
	expect_counts(round, name, "xdomain", all.xdomain, type->xdomain);
	for (size_t i = 0; i < CPUS; i++) {
		static const struct type_stats_cpu none;
		const struct type_stats_cpu *cpu = i < type->cpu_count ? &type->cpus[i] : &none;

		expect_counts(round, name, "numallocs of a CPU", cpus[i].numallocs, cpu->numallocs);
		expect_counts(round, name, "numfrees of a CPU", cpus[i].numfrees, cpu->numfrees);
		expect_counts(round, name, "memalloced of a CPU", cpus[i].memalloced,
			      cpu->memalloced);
		expect_counts(round, name, "memfreed of a CPU", cpus[i].memfreed, cpu->memfreed);
	}
	round->seen_far += all.xdomain;
}

/* The counters by CPU add up to the total, except for frees that no event reported. */
static void compare_cache_cpus(const struct round *round, const struct type_stats_type *type)
{
	uint64_t numallocs = 0, numfrees = 0, frees = 0;

	for (size_t i = 0; i < type->cpu_count; i++) {
		numallocs += type->cpus[i].numallocs;
		numfrees += type->cpus[i].numfrees;
	}
	for (size_t i = 0; i < round->analysis.cache_count; i++)
		if (!strcmp(round->analysis.caches[i].name, type->name))
			frees += round->analysis.caches[i].frees;
	expect_counts(round, type->name, "numallocs of all CPUs", type->numallocs, numallocs);
	expect_counts(round, type->name, "numfrees of all CPUs", frees, numfrees);
}

static void compare_all(struct round *round)
{
	size_t functions_found = 0;
	char name[40];

	compare_caches(round);
	if (round->has_functions) {
		for (size_t i = 0; i < sizeof(function_names) / sizeof(*function_names); i++)
			compare_function(round, function_names[i]);
	} else {
		for (uint64_t site = FIRST_SITE; site < FIRST_SITE + 6 * 16; site += 16) {
			name_function(round, site, name, sizeof(name));
			compare_function(round, name);
		}
	}
	for (size_t i = 0; i < round->type_stats.count; i++) {
		const struct type_stats_type *type = &round->type_stats.types[i];

		functions_found += type->kind == TYPE_STATS_FUNCTION;
		if (type->kind == TYPE_STATS_CACHE)
			compare_cache_cpus(round, type);
		for (size_t k = 0; k < i; k++)
			assert_false(round->type_stats.types[k].kind == type->kind &&
				     !strcmp(round->type_stats.types[k].name, type->name));
	}
	assert_in_range(functions_found, 0, round->has_functions ? 3 : 6);
	expect_counts(round, "types", "left out", 0, round->type_stats.omitted_events);
}

static void run_round(struct round *round, uint64_t seed)
{
	const struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observers = { { look_at_transition, round },
			       { type_stats_on_transition, &round->type_stats } },
		.observer_count = 2,
	};
	char *directory, *text;

	round->seed = seed;
	round->transition = round->count = 0;
	round->has_functions = seed % 2;
	text = random_trace(&round->trace, seed);
	naive_run(&round->naive, &round->trace);
	assert_true(asprintf(&round->text, "%s%s%s", nodes, round->has_functions ? functions : "",
			     text) > 0);
	free(text);
	directory = scratch_capture(round->text);
	if (capture_open(&round->capture, directory))
		fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s", seed, round->capture.error.text);
	assert_int_equal(type_stats_init(&round->type_stats, &round->capture, NULL), 0);
	if (analysis_run(&round->analysis, &round->capture, &settings))
		fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s", seed, round->capture.error.text);
	scratch_remove(directory);
	compare_all(round);
	type_stats_deinit(&round->type_stats);
	analysis_deinit(&round->analysis);
	capture_close(&round->capture);
	free(round->text);
}

static void test_rounds(void **state)
{
	uint64_t rounds = scratch_setting("KMEMTRACE_ROUNDS", ROUNDS);
	uint64_t seed = scratch_setting("KMEMTRACE_SEED", SEED);
	struct round *round = calloc(1, sizeof(*round));

	(void)state;
	assert_non_null(round);
	for (uint64_t i = 0; i < rounds; i++)
		run_round(round, seed + i);
	if (rounds >= ROUNDS) {
		assert_in_range(round->seen_missed, ROUNDS, UINT64_MAX);
		assert_in_range(round->seen_found, ROUNDS / 10, UINT64_MAX);
		assert_in_range(round->seen_instead, ROUNDS / 10, UINT64_MAX);
		assert_in_range(round->seen_far, ROUNDS, UINT64_MAX);
		assert_in_range(round->seen_failed, ROUNDS, UINT64_MAX);
	}
	free(round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests_name("type_stats of random traces", tests, NULL, NULL);
}
