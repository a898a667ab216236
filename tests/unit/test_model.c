// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the analysis with the naive model on thousands of small random traces, each written to
 * disk and read back: every counter and every finding. $KMEMTRACE_ROUNDS is the number of traces
 * (use fewer under valgrind), $KMEMTRACE_SEED the seed of the first.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/naive.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scratch.h"
#include "analysis/analysis.h"
#include "analysis/heap_sizes.h"

#define ROUNDS 400
#define SEED 1

struct round {
	uint64_t seed;
	char *text;
	struct naive_trace trace;
	struct naive naive;
	struct capture capture;
	struct analysis analysis;
	struct heap_wastes wastes;
	uint64_t seen[FINDING_KIND_COUNT][CERTAINTY_CERTAIN + 1];      /* entries of all rounds */
	uint64_t anonymous[FINDING_KIND_COUNT][CERTAINTY_CERTAIN + 1]; /* of anonymous caches */
	uint64_t delayed;					       /* frees of old kernels */
	uint64_t freed_to_unknown; /* certain findings: freed to a cache that the kernel did not
				      name */
	uint32_t reasons;
};

static void report_difference(const struct round *round, const char *where, const char *what,
			      uint64_t model, uint64_t analysis)
{
	fprintf(stderr, "%s\n", round->text);
	fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s: %s: the model has %" PRIu64 " (0x%" PRIx64
		 "), the analysis %" PRIu64 " (0x%" PRIx64 ")",
		 round->seed, where, what, model, model, analysis, analysis);
}

static void expect_equal(const struct round *round, const char *where, const char *what,
			 uint64_t model, uint64_t analysis)
{
	if (model != analysis)
		report_difference(round, where, what, model, analysis);
}

#define SAME(field) expect_equal(round, where, #field, ours->field, theirs->field)

static void compare_waste(const struct round *round, const char *where,
			  const struct naive_counters *model, const struct heap_waste *waste)
{
	expect_equal(round, where, "waste of the flow", model->flow_waste, waste->flow);
	expect_equal(round, where, "waste of the live heap", model->live_waste, waste->live);
	expect_equal(round, where, "waste of the peak", model->peak_waste, waste->peak);
}

static void compare_totals(const struct round *round)
{
	const struct naive_counters *all = &round->naive.all;
	const struct analysis_totals *theirs = &round->analysis.totals;
	const struct analysis_loss *loss = &round->analysis.loss;
	const char *where = "totals";
	uint64_t own = 0;

	{
		const struct naive_counters *ours = all;

		SAME(allocations);
		SAME(failed);
		SAME(frees);
		SAME(frees_unmatched);
		SAME(missed_frees);
		SAME(bytes_requested);
		SAME(bytes_allocated);
		SAME(cross_cpu_frees);
		SAME(temporary);
		SAME(live_objects);
		SAME(live_bytes);
		SAME(peak_bytes);
	}
	{
		const struct naive_totals *ours = &round->naive.totals;

		SAME(null_frees);
		/* the analysis leaves out the resizes of kmemtraced's own objects */
		expect_equal(round, where, "resizes", ours->resizes,
			     theirs->resizes + theirs->left_out);
		SAME(own_allocations);
		SAME(own_frees);
		SAME(own_frees_by_others);
		SAME(from_backup);
		SAME(unknown);
		SAME(peak_time);
		expect_equal(round, where, "lost", ours->lost, loss->lost);
	}
	compare_waste(round, where, all, &round->wastes.total);
	expect_equal(round, where, "waste by the totals", round->wastes.total.flow,
		     theirs->bytes_allocated - theirs->bytes_requested + theirs->bytes_short);
	for (size_t i = 0; i < round->naive.count; i++)
		own += round->naive.order[i]->task == round->trace.own_task;
	expect_equal(round, where, "own", own, loss->own);
	expect_equal(round, where, "recorded", round->naive.count, loss->recorded);
	expect_equal(round, where, "the sum of all", round->naive.count,
		     theirs->allocations + theirs->failed + theirs->frees + theirs->null_frees +
			     theirs->resizes + theirs->left_out + theirs->own_allocations +
			     theirs->own_frees + theirs->unknown);
}

/* The model's name of a cache. */
static void name_cache(const struct analysis *analysis, uint32_t index, char *name)
{
	const struct analysis_cache *cache;

	snprintf(name, NAIVE_NAME, "%s", index == CACHE_NONE ? "" : "no index");
	if (index >= analysis->cache_count)
		return;
	cache = &analysis->caches[index];
	if (cache->cache)
		snprintf(name, NAIVE_NAME, "%s 0x%" PRIx64 " %" PRIu64, cache->cache->name,
			 cache->cache->address, cache->cache->since);
	else
		snprintf(name, NAIVE_NAME, "%s", cache->name);
}

static void compare_names(const struct round *round, const char *where, const char *what,
			  const char *model, uint32_t index)
{
	char name[NAIVE_NAME], both[3 * NAIVE_NAME];

	name_cache(&round->analysis, index, name);
	if (!strcmp(model, name))
		return;
	snprintf(both, sizeof(both), "%s: %s \"%s\" and \"%s\"", where, what, model, name);
	report_difference(round, both, "the names", 0, 1);
}

/* The lifetimes of a site's objects, and their cache. */
static void compare_site_objects(const struct round *round, const char *where, uint64_t site,
				 const struct group *group)
{
	uint64_t counts[LIFETIME_BUCKETS] = { 0 }, frees = 0;
	const char *cache = NULL;
	bool several = false;

	for (size_t i = 0; i < round->naive.count; i++) {
		const struct naive_event *event = round->naive.order[i];
		const struct naive_event *object = event->object;

		if (object && object->site == site) {
			counts[lifetime_bucket(event->freed_at - object->time)]++;
			frees++;
		}
		if (!naive_is_allocation(event) || !naive_has_object(event) || event->own ||
		    event->site != site)
			continue;
		several |= cache && strcmp(cache, event->cache_name);
		cache = event->cache_name;
	}
	if (several)
		expect_equal(round, where, "several caches", CACHE_SEVERAL, group->cache);
	else if (cache)
		compare_names(round, where, "cache", cache, group->cache);
	expect_equal(round, where, "lifetimes", frees != 0, group->lifetimes != NULL);
	for (size_t i = 0; frees && i < LIFETIME_BUCKETS; i++)
		expect_equal(round, where, "lifetimes of a bucket", counts[i],
			     lifetimes_in(group->lifetimes, (unsigned int)i));
}

static void compare_sites(const struct round *round)
{
	const struct analysis *analysis = &round->analysis;

	expect_equal(round, "sites", "count", round->naive.site_count, analysis->group_count);
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct naive_counters *ours = &round->naive.sites[i];
		const struct group *theirs = &analysis->groups[i];
		const char *where = ours->key;

		expect_equal(round, where, "key", strtoull(ours->key, NULL, 0), theirs->key);
		SAME(first_time);
		SAME(allocations);
		SAME(frees);
		SAME(missed_frees);
		SAME(failed);
		SAME(bytes_requested);
		SAME(bytes_allocated);
		SAME(live_objects);
		SAME(live_bytes);
		SAME(peak_bytes);
		SAME(temporary);
		SAME(cross_cpu_frees);
		compare_waste(round, where, ours, &round->wastes.groups[i]);
		compare_site_objects(round, where, theirs->key, theirs);
	}
}

static void compare_caches(const struct round *round)
{
	static const struct naive_counters none;
	const struct analysis *analysis = &round->analysis;
	size_t found = 0;

	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *theirs = &analysis->caches[i];
		const struct naive_counters *ours = &none;
		char where[NAIVE_NAME];

		name_cache(analysis, (uint32_t)i, where);
		for (size_t k = 0; k < round->naive.cache_count; k++)
			if (!strcmp(round->naive.caches[k].key, where))
				ours = &round->naive.caches[k];
		found += ours != &none;
		SAME(allocations);
		SAME(frees);
		SAME(missed_frees);
		SAME(failed);
		SAME(bytes_requested);
		SAME(bytes_allocated);
		SAME(live_objects);
		SAME(live_bytes);
		SAME(frees_unmatched);
		compare_waste(round, where, ours, &round->wastes.caches[i]);
		expect_equal(round, where, "is_kmalloc", naive_is_kmalloc_name(where),
			     theirs->is_kmalloc);
		expect_equal(round, where, "is_large", !strcmp(where, "kmalloc-large"),
			     theirs->is_large);
	}
	expect_equal(round, "caches", "found", round->naive.cache_count, found);
}

static void compare_live(const struct round *round)
{
	const struct slab_object *object;
	uint64_t count = 0;
	size_t next = 0;

	while ((object = analysis_next_live(&round->analysis, &next))) {
		const struct naive_event *expected = naive_live(&round->naive, object->address);
		const char *where = "a live object";

		if (!expected || expected->own)
			report_difference(round, where, "is not live", 0, object->address);
		expect_equal(round, where, "time", expected->time, object->time);
		expect_equal(round, where, "requested", expected->requested, object->requested);
		expect_equal(round, where, "allocated", expected->allocated, object->allocated);
		expect_equal(round, where, "task", expected->task, object->task);
		expect_equal(round, where, "cpu", expected->cpu, object->cpu);
		expect_equal(round, where, "site", expected->site,
			     round->analysis.groups[object->group].key);
		compare_names(round, where, "cache", expected->cache_name, object->cache);
		count++;
	}
	expect_equal(round, "live objects", "count", round->naive.all.live_objects, count);
}

static bool is_same_entry(const struct round *round, const struct naive_finding *ours,
			  const struct heap_finding *theirs)
{
	char cache[NAIVE_NAME], free_cache[NAIVE_NAME];

	name_cache(&round->analysis, theirs->cache, cache);
	name_cache(&round->analysis, theirs->free_cache, free_cache);
	return ours->kind == theirs->kind && ours->alloc_site == theirs->alloc_site &&
	       ours->free_site == theirs->free_site && ours->other_site == theirs->other_site &&
	       (ours->kind != FINDING_FAILED_ALLOCATION || ours->gfp == theirs->gfp) &&
	       !strcmp(ours->cache, cache) && !strcmp(ours->free_cache, free_cache);
}

static void describe_finding(const struct round *round, const struct heap_finding *finding,
			     char *text, size_t size)
{
	char cache[NAIVE_NAME], free_cache[NAIVE_NAME];

	name_cache(&round->analysis, finding->cache, cache);
	name_cache(&round->analysis, finding->free_cache, free_cache);
	snprintf(text, size,
		 "%s of 0x%" PRIx64 " at %" PRIu64 ", sites 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
		 ", caches \"%s\" \"%s\"",
		 finding_kind_text(finding->kind), finding->address, finding->first_time,
		 finding->alloc_site, finding->free_site, finding->other_site, cache, free_cache);
}

static void count_seen(struct round *round, const struct heap_finding *finding)
{
	const struct analysis *analysis = &round->analysis;

	round->seen[finding->kind][finding->certainty]++;
	round->reasons |= finding->reasons;
	if (finding->cache < analysis->cache_count && analysis->caches[finding->cache].is_anonymous)
		round->anonymous[finding->kind][finding->certainty]++;
	round->freed_to_unknown += finding->kind == FINDING_KMALLOC_TO_CACHE && finding->certain &&
				   finding->free_cache == CACHE_NONE;
}

static void compare_findings(struct round *round)
{
	const struct heap_findings *findings = round->analysis.findings;
	const struct naive *naive = &round->naive;
	size_t count = heap_findings_count(findings);
	char where[600];

	for (size_t i = 0; i < count; i++) {
		const struct heap_finding *theirs = heap_findings_get(findings, i);
		const struct naive_finding *ours = NULL;

		describe_finding(round, theirs, where, sizeof(where));
		for (size_t k = 0; k < naive->finding_count && !ours; k++)
			if (is_same_entry(round, &naive->findings[k], theirs))
				ours = &naive->findings[k];
		if (!ours)
			report_difference(round, where, "found", 0, 1);
		SAME(count);
		SAME(certain);
		SAME(certainty);
		/* The analysis stops at the first reasons that it finds. */
		expect_equal(round, where, "reasons", theirs->reasons & ours->reasons,
			     theirs->reasons);
		expect_equal(round, where, "any reason", ours->reasons != 0, theirs->reasons != 0);
		SAME(first_time);
		SAME(last_time);
		SAME(address);
		if (i)
			assert_true(heap_findings_get(findings, i - 1)->certainty >=
				    theirs->certainty);
		count_seen(round, theirs);
	}
	for (size_t k = 0; k < naive->finding_count; k++) {
		bool found = false;

		for (size_t i = 0; i < count; i++)
			found |= is_same_entry(round, &naive->findings[k],
					       heap_findings_get(findings, i));
		if (found)
			continue;
		snprintf(where, sizeof(where),
			 "%s at %" PRIu64 ", sites 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
			 ", caches \"%s\" \"%s\"",
			 finding_kind_text(naive->findings[k].kind), naive->findings[k].first_time,
			 naive->findings[k].alloc_site, naive->findings[k].free_site,
			 naive->findings[k].other_site, naive->findings[k].cache,
			 naive->findings[k].free_cache);
		report_difference(round, where, "found", 1, 0);
	}
	expect_equal(round, "findings", "count", naive->finding_count, count);
}

static int ignore_transition(void *data, const struct analysis *analysis,
			     const struct transition *transition)
{
	(void)data;
	(void)analysis;
	(void)transition;
	return 0;
}

/* With an observer, no event takes the fast path: odd seeds test the general path. */
static void run_round(struct round *round, uint64_t seed)
{
	const struct analysis_settings settings = { .by = GROUP_BY_SITE,
						    .lifetimes = true,
						    .findings = true,
						    .peak_heap = true,
						    .observers = { { ignore_transition, NULL } },
						    .observer_count = seed % 2 };
	char *directory;

	round->seed = seed;
	round->text = random_trace(&round->trace, seed);
	naive_run(&round->naive, &round->trace);
	round->delayed += round->naive.delayed;
	directory = scratch_capture(round->text);
	if (capture_open(&round->capture, directory) ||
	    analysis_run(&round->analysis, &round->capture, &settings))
		fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s", seed, round->capture.error.text);
	scratch_remove(directory);
	assert_int_equal(heap_wastes_init(&round->wastes, &round->analysis), 0);
	compare_totals(round);
	compare_sites(round);
	compare_caches(round);
	compare_live(round);
	compare_findings(round);
	heap_wastes_deinit(&round->wastes);
	analysis_deinit(&round->analysis);
	capture_close(&round->capture);
	free(round->text);
}

/* The rounds must have had each kind of finding, with its highest certainty. */
static void assert_seen(const struct round *round)
{
	static const enum certainty most[] = {
		[FINDING_KMALLOC_TO_CACHE] = CERTAINTY_CERTAIN,
		[FINDING_WRONG_CACHE] = CERTAINTY_CERTAIN,
		[FINDING_CACHE_KFREED] = CERTAINTY_CERTAIN,
		[FINDING_DOUBLE_FREE] = CERTAINTY_CERTAIN,
		[FINDING_INTERIOR_FREE] = CERTAINTY_CERTAIN,
		[FINDING_UNKNOWN_FREE] = CERTAINTY_CERTAIN,
		[FINDING_OVERLAP] = CERTAINTY_CERTAIN,
		[FINDING_MISSED_FREE] = CERTAINTY_POSSIBLE,
		[FINDING_SHORT_ALLOCATION] = CERTAINTY_CERTAIN,
		[FINDING_FAILED_ALLOCATION] = CERTAINTY_LEGAL,
	};

	enum certainty certainty;

	for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		if (!round->seen[kind][most[kind]])
			fail_msg("no %s %s", certainty_text(most[kind]), finding_kind_text(kind));
		if (kind <= FINDING_OVERLAP && !round->seen[kind][CERTAINTY_POSSIBLE])
			fail_msg("no possible %s", finding_kind_text(kind));
		/* the cache of these three is a kmalloc cache, named, or unknown */
		if (kind == FINDING_KMALLOC_TO_CACHE || kind == FINDING_WRONG_CACHE ||
		    kind == FINDING_UNKNOWN_FREE)
			continue;
		certainty = kind == FINDING_DOUBLE_FREE ? CERTAINTY_POSSIBLE : most[kind];
		if (!round->anonymous[kind][certainty])
			fail_msg("no %s %s of an anonymous cache", certainty_text(certainty),
				 finding_kind_text(kind));
	}
	assert_int_equal(round->anonymous[FINDING_DOUBLE_FREE][CERTAINTY_CERTAIN], 0);
	assert_in_range(round->delayed, ROUNDS / 4, UINT64_MAX);
	assert_true(round->freed_to_unknown);
	assert_true(round->seen[FINDING_CACHE_KFREED][CERTAINTY_LEGAL]);
	/* mktrace clamps no timestamps, and there are fewer than a million cases */
	assert_int_equal(round->reasons,
			 ((1U << FINDING_REASONS) - 1) & ~(uint32_t)(REASON_CLAMPED | REASON_MANY));
}

static void analysis_equals_naive_model(void **state)
{
	uint64_t rounds = scratch_setting("KMEMTRACE_ROUNDS", ROUNDS);
	uint64_t seed = scratch_setting("KMEMTRACE_SEED", SEED);
	struct round *round = calloc(1, sizeof(*round));

	(void)state;
	assert_non_null(round);
	for (uint64_t i = 0; i < rounds; i++)
		run_round(round, seed + i);
	if (rounds >= ROUNDS)
		assert_seen(round);
	free(round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analysis_equals_naive_model),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
