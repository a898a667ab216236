// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Summaries of random traces, by random intervals: they add up to the counters of the analysis, and
 * merged in any order and nesting they are the same to the byte. $KMEMTRACE_ROUNDS is the number of
 * traces, $KMEMTRACE_SEED the seed of the first.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/cache_table.h"
#include "analysis/estimate.h"
#include "fleet/summary/summary_count.h"
#include "fleet/summary/summary_file.h"
#include "kernel/function_names.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define ROUNDS 400
#define PARTS_MAX 60

struct round {
	uint64_t seed, random;
	struct capture capture;
	struct analysis analysis;
	struct summary_counter counter;
	struct summary parts[PARTS_MAX]; /* in order of time */
	size_t count;
	uint64_t next; /* ns: the end of the interval */
};

static uint64_t random_number(struct round *round, uint64_t bound)
{
	round->random = round->random * 6364136223846793005 + 1442695040888963407;
	return (round->random >> 33) % bound;
}

static void expect_figure(const struct round *round, const char *name, const char *what,
			  uint64_t found, uint64_t expected)
{
	if (found != expected)
		fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s: %s: %" PRIu64 ", not %" PRIu64,
			 round->seed, name, what, found, expected);
}

static void close_interval(struct round *round, uint64_t end)
{
	char host[] = "h", boot[] = "b";
	struct summary *part = &round->parts[round->count];

	assert_int_equal(summary_count_take(&round->counter, part), 0);
	part->begin = round->count ? round->parts[round->count - 1].end : 0;
	part->end = part->live_at = end;
	part->live_hosts = 1;
	part->missing.sampling = round->analysis.estimates ? 1 : 0;
	assert_int_equal(summary_add_source(part,
					    &(struct summary_source){ host, boot, 1, round->count,
								      round->count }),
			 0);
	round->count++;
}

static int count_in_round(void *data, const struct analysis *analysis,
			  const struct transition *transition)
{
	struct round *round = data;

	if (transition->event && transition->event->time >= round->next &&
	    round->count < PARTS_MAX - 1) {
		if (round->next)
			close_interval(round, round->next);
		round->next = transition->event->time + 1 + random_number(round, 200);
	}
	return summary_count_transition(&round->counter, analysis, transition);
}

/* The random trace in either byte order, as a profile or not. */
static void count_trace(struct round *round, uint64_t seed)
{
	const char *const heads[] = { "", "endian big\n", "sampling 64 profile=1\n",
				      "endian big\nsampling 100 profile=1\n" };
	const struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observers = { { count_in_round, round } },
		.observer_count = 1,
		.estimate = seed % 4 >= 2,
	};
	struct naive_trace trace;
	char *text = random_trace(&trace, seed), *whole, *directory;

	*round = (struct round){ .seed = seed, .random = seed };
	assert_true(asprintf(&whole, "%s%s", heads[seed % 4], text) > 0);
	directory = scratch_capture(whole);
	assert_int_equal(capture_open(&round->capture, directory), 0);
	assert_int_equal(summary_counter_init(&round->counter, &round->capture), 0);
	assert_int_equal(analysis_run(&round->analysis, &round->capture, &settings), 0);
	close_interval(round, MAX(round->next, round->analysis.end) + 1);
	scratch_remove(directory);
	free(whole);
	free(text);
}

static void finish_round(struct round *round)
{
	for (size_t i = 0; i < round->count; i++)
		summary_deinit(&round->parts[i]);
	summary_counter_deinit(&round->counter);
	analysis_deinit(&round->analysis);
	capture_close(&round->capture);
}

/* The sum of the rows of a summary with this function and module, or with this cache. */
static struct summary_counts sum_of(const struct summary *summary, const char *function,
				    const char *module, const char *cache)
{
	struct summary_counts sum = { 0 };

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];

		if (cache ? !strcmp(row->names[2], cache)
			  : !strcmp(row->names[0], function) && !strcmp(row->names[1], module))
			summary_add_counts(&sum, &row->counts);
	}
	return sum;
}

/* Missed frees that were recorded later may still be negative in the counter. */
static uint64_t negative_rest(const struct round *round, const char *cache)
{
	return sum_of(&round->counter.counting, NULL, NULL, cache).missed;
}

static void compare_caches(const struct round *round, const struct summary *whole)
{
	const struct analysis *analysis = &round->analysis;

	for (size_t i = 0; i < analysis->cache_count; i++) {
		const char *name = analysis_cache_name(&analysis->caches[i]);
		const struct summary_counts sum = sum_of(whole, NULL, NULL, name);
		struct analysis_cache all = { 0 };

		for (size_t j = 0; j < analysis->cache_count; j++) {
			const struct analysis_cache *cache = &analysis->caches[j];

			if (strcmp(analysis_cache_name(cache), name) != 0)
				continue;
			all.allocations += cache->allocations;
			all.frees += cache->frees;
			all.missed_frees += cache->missed_frees;
			all.failed += cache->failed;
			all.bytes_allocated += cache->bytes_allocated;
			all.live_objects += cache->live_objects;
			all.live_bytes += cache->live_bytes;
		}
		expect_figure(round, name, "allocations", sum.allocations, all.allocations);
		expect_figure(round, name, "frees", sum.frees, all.frees + all.missed_frees);
		expect_figure(round, name, "missed", sum.missed,
			      all.missed_frees - negative_rest(round, name));
		expect_figure(round, name, "failed", sum.failed, all.failed);
		expect_figure(round, name, "allocated", sum.allocated, all.bytes_allocated);
		expect_figure(round, name, "live objects", sum.live_objects, all.live_objects);
		expect_figure(round, name, "live bytes", sum.live_bytes, all.live_bytes);
	}
}

static void compare_functions(const struct round *round, const struct summary *whole)
{
	const struct analysis *analysis = &round->analysis;

	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct group *group = &analysis->groups[i];
		struct function_name name;
		struct summary_counts sum;

		assert_int_equal(function_name_find(&name, &round->counter.symbols, group->key,
						    group->first_time),
				 0);
		sum = sum_of(whole, function_name_text(&name), function_name_module(&name), NULL);
		if (name.known) {
			expect_figure(round, name.text, "allocations", sum.allocations,
				      group->allocations);
			expect_figure(round, name.text, "frees", sum.frees,
				      group->frees + group->missed_frees);
			expect_figure(round, name.text, "allocated", sum.allocated,
				      group->bytes_allocated);
			expect_figure(round, name.text, "live", sum.live_bytes, group->live_bytes);
		}
		free(name.text);
	}
}

static void compare_totals(const struct round *round, const struct summary *whole)
{
	const struct analysis_totals *totals = &round->analysis.totals;
	const struct summary_counts sum = summary_total(whole, SUMMARY_CODE);
	const struct summary_counts rest = summary_total(&round->counter.counting, SUMMARY_CODE);

	expect_figure(round, "total", "allocations", sum.allocations, totals->allocations);
	expect_figure(round, "total", "frees", sum.frees,
		      totals->frees - totals->frees_unmatched + totals->missed_frees);
	expect_figure(round, "total", "allocated", sum.allocated, totals->bytes_allocated);
	expect_figure(round, "total", "cross-CPU", sum.cross_cpu + rest.cross_cpu,
		      totals->cross_cpu_frees);
	expect_figure(round, "total", "failed", sum.failed, totals->failed);
	expect_figure(round, "total", "live", sum.live_bytes, totals->live_bytes);
	expect_figure(round, "total", "live objects", sum.live_objects, totals->live_objects);
	expect_figure(round, "total", "growth", sum.allocated - sum.freed, sum.live_bytes);
	expect_figure(round, "total", "objects", sum.allocations - sum.frees, sum.live_objects);
	if (round->analysis.estimates) {
		double variance = round->analysis.estimates->total.allocated;

		assert_true(sum.allocated_variance >= variance * 0.999);
		assert_true(sum.allocated_variance <=
			    variance + (double)(round->count * whole->row_count) *
					       SUMMARY_VARIANCE_UNIT);
	}
}

/* In each interval, the live bytes grow by what was allocated and not freed. */
static void compare_growth(const struct round *round)
{
	struct summary_counts before = { 0 };

	for (size_t i = 0; i < round->count; i++) {
		const struct summary_counts now = summary_total(&round->parts[i], SUMMARY_CODE);

		expect_figure(round, "interval", "growth", now.allocated - now.freed,
			      now.live_bytes - before.live_bytes);
		expect_figure(round, "interval", "objects", now.allocations - now.frees,
			      now.live_objects - before.live_objects);
		before = now;
	}
}

static void copy_summary(const struct summary *from, struct summary *to)
{
	size_t size;
	char *text;
	const char *at;

	assert_int_equal(summary_write_text(from, &text, &size), 0);
	at = text;
	assert_int_equal(summary_parse(to, &at, text + size), 1);
	free(text);
}

/* The text of the sum of all parts, in a random order and nesting; each may be there twice. */
static char *merge_randomly(struct round *round, size_t *size)
{
	struct summary list[PARTS_MAX];
	size_t count = round->count;
	char *text;

	for (size_t i = 0; i < count; i++)
		copy_summary(&round->parts[i], &list[i]);
	for (; count > 1; count--) {
		size_t from = random_number(round, count), to = random_number(round, count - 1);
		struct summary taken = list[from];

		list[from] = list[count - 1];
		assert_int_equal(summary_add(&list[to], &taken), 0);
		if (random_number(round, 2))
			assert_int_equal(summary_add(&list[to], &taken), -EALREADY);
		summary_deinit(&taken);
		/* as a file of the sum would be read */
		if (random_number(round, 2)) {
			copy_summary(&list[to], &taken);
			summary_deinit(&list[to]);
			list[to] = taken;
		}
	}
	summary_sort(list);
	assert_int_equal(summary_write_text(list, &text, size), 0);
	summary_deinit(list);
	return text;
}

static void run_summary_round(uint64_t seed)
{
	struct round round;
	struct summary whole;
	size_t size, other_size;
	char *text;

	count_trace(&round, seed);
	assert_int_equal(summary_init(&whole), 0);
	for (size_t i = 0; i < round.count; i++)
		assert_int_equal(summary_add(&whole, &round.parts[i]), 0);
	compare_caches(&round, &whole);
	compare_functions(&round, &whole);
	compare_totals(&round, &whole);
	compare_growth(&round);
	summary_sort(&whole);
	assert_int_equal(summary_write_text(&whole, &text, &size), 0);
	for (unsigned int i = 0; i < 3; i++) {
		char *other = merge_randomly(&round, &other_size);

		if (size != other_size || memcmp(text, other, size) != 0)
			fail_msg("KMEMTRACE_SEED=%" PRIu64 ": %s is not %s", seed, other, text);
		free(other);
	}
	free(text);
	summary_deinit(&whole);
	finish_round(&round);
}

static void summaries_add_up_to_the_analysis(void **state)
{
	uint64_t rounds = scratch_setting("KMEMTRACE_ROUNDS", ROUNDS);
	uint64_t seed = scratch_setting("KMEMTRACE_SEED", 1);

	(void)state;
	for (uint64_t i = 0; i < rounds; i++)
		run_summary_round(seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries_add_up_to_the_analysis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
