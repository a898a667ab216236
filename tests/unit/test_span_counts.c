// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allocations and frees by time slice, compared with a plain list of all events: random events
 * whose end is not known, so that slices merge; objects that were live before; which pairs are
 * chosen; and the sum of pairs.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/views/span_counts.h"

#define GROUPS 5
#define CACHES 3
#define EVENTS 20000
#define WIDTH 1000
#define BEGIN 50000

struct plain_event {
	uint32_t group, cache, bytes;
	uint64_t time;
	enum outcome outcome;
};

static struct plain_event events[EVENTS];

static unsigned int draw_chance(uint64_t *seed, unsigned int limit)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(*seed >> 33) % limit;
}

static void make_events(uint64_t seed)
{
	static const enum outcome outcomes[] = { OUTCOME_ALLOCATED, OUTCOME_ALLOCATED,
						 OUTCOME_FREED,	    OUTCOME_MISSED,
						 OUTCOME_UNMATCHED, OUTCOME_FAILED };
	uint64_t time = BEGIN;

	for (size_t i = 0; i < EVENTS; i++) {
		time += draw_chance(&seed, 100);
		events[i] = (struct plain_event){ draw_chance(&seed, GROUPS),
						  draw_chance(&seed, CACHES),
						  8 + draw_chance(&seed, 5000), time,
						  outcomes[draw_chance(&seed, 6)] };
		if (i < 20)
			events[i].outcome = OUTCOME_INITIAL;
	}
}

static void take_plain(struct span_counts *counts, const struct plain_event *plain)
{
	const struct event event = { .time = plain->time };
	const struct analysis analysis = { 0 };
	const struct slab_object object = { .time = plain->time, .allocated = plain->bytes };
	const struct transition transition = { .outcome = plain->outcome,
					       .event = &event,
					       .object = &object,
					       .group = plain->group,
					       .cache = plain->cache };

	assert_int_equal(span_counts_take(counts, &analysis, &transition), 0);
}

static void count_all(struct span_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	assert_int_equal(span_counts_init(counts), 0);
	counts->slices =
		(struct slices){ .begin = BEGIN, .width = WIDTH, .limit = SPAN_SLICES_MAX };
	for (size_t i = 0; i < EVENTS; i++)
		take_plain(counts, &events[i]);
	span_counts_merge(counts);
	assert_true(counts->slices.doublings > 2);
}

static size_t slice_of(const struct span_counts *counts, const struct plain_event *event)
{
	return (size_t)((event->time - BEGIN) / counts->slices.width);
}

static void expect_pair(const struct span_counts *counts, const struct span_pair *pair)
{
	struct span_change wanted[SPAN_SLICES_MAX] = { { 0 } };
	uint64_t initial_objects = 0, initial_bytes = 0;
	size_t used = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		struct span_change *change = &wanted[slice_of(counts, &events[i])];
		bool is_missed = events[i].outcome == OUTCOME_MISSED;
		bool is_freed = is_missed || events[i].outcome == OUTCOME_FREED;

		if (events[i].group != pair->group || events[i].cache != pair->cache)
			continue;
		if (events[i].outcome == OUTCOME_INITIAL) {
			initial_objects++;
			initial_bytes += events[i].bytes;
		}
		change->allocations += events[i].outcome == OUTCOME_ALLOCATED;
		change->allocated += events[i].outcome == OUTCOME_ALLOCATED ? events[i].bytes : 0;
		change->missed += is_missed;
		change->frees += is_freed && !is_missed;
		change->freed += is_freed ? events[i].bytes : 0;
	}
	assert_int_equal(pair->initial_objects, initial_objects);
	assert_int_equal(pair->initial_bytes, initial_bytes);
	for (uint32_t i = 0; i < SPAN_SLICES_MAX; i++) {
		if (!wanted[i].allocations && !wanted[i].frees && !wanted[i].missed)
			continue;
		wanted[i].slice = i;
		assert_true(used < pair->count);
		assert_memory_equal(&pair->changes[used++], &wanted[i], sizeof(wanted[i]));
	}
	assert_int_equal(used, pair->count);
}

static void expect_totals(const struct span_counts *counts)
{
	struct span_slice wanted[SPAN_SLICES_MAX] = { { 0 } };

	for (size_t i = 0; i < EVENTS; i++) {
		struct span_slice *slice = &wanted[slice_of(counts, &events[i])];
		enum outcome outcome = events[i].outcome;

		slice->allocations += outcome == OUTCOME_ALLOCATED;
		slice->frees += outcome == OUTCOME_FREED || outcome == OUTCOME_UNMATCHED;
		slice->unmatched += outcome == OUTCOME_UNMATCHED;
		slice->missed += outcome == OUTCOME_MISSED;
		slice->failed += outcome == OUTCOME_FAILED;
	}
	assert_memory_equal(counts->totals, wanted, sizeof(wanted));
}

static void test_slices(void **state)
{
	struct span_counts counts;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		make_events(seed);
		count_all(&counts);
		assert_int_equal(counts.pair_count, GROUPS * CACHES);
		for (size_t i = 0; i < counts.pair_count; i++)
			expect_pair(&counts, &counts.pairs[i]);
		expect_totals(&counts);
		span_counts_deinit(&counts);
	}
}

/* The pairs with the most live bytes are first, then those that allocated most. */
static void test_choose(void **state)
{
	static const struct plain_event list[] = {
		{ 0, 0, 100, BEGIN, OUTCOME_ALLOCATED }, { 1, 0, 900, BEGIN, OUTCOME_ALLOCATED },
		{ 2, 0, 50, BEGIN, OUTCOME_ALLOCATED },	 { 2, 0, 50, BEGIN + 1, OUTCOME_FREED },
		{ 2, 0, 50, BEGIN, OUTCOME_ALLOCATED },	 { 2, 0, 50, BEGIN + 1, OUTCOME_FREED },
		{ 2, 0, 50, BEGIN, OUTCOME_ALLOCATED },	 { 2, 0, 50, BEGIN + 1, OUTCOME_FREED },
		{ 3, 0, 2000, BEGIN, OUTCOME_INITIAL },	 { 3, 0, 2000, BEGIN, OUTCOME_FREED },
	};
	struct span_counts counts = { 0 };

	(void)state;
	assert_int_equal(span_counts_init(&counts), 0);
	counts.slices = (struct slices){ .begin = BEGIN, .width = WIDTH, .limit = SPAN_SLICES_MAX };
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		take_plain(&counts, &list[i]);
	assert_int_equal(span_counts_choose(&counts, 2, 3), 3);
	assert_int_equal(counts.pairs[0].group, 3);
	assert_int_equal(counts.pairs[0].live_most, 2000);
	assert_int_equal(counts.pairs[1].group, 1);
	assert_int_equal(counts.pairs[2].group, 2); /* 150 bytes allocated, of which 0 are live */
	assert_int_equal(counts.pairs[2].live_most, 0);
	assert_int_equal(span_counts_choose(&counts, 2, 10), 4);
	span_counts_deinit(&counts);
}

static void test_add(void **state)
{
	struct span_pair sum = { 0 };
	struct span_change one[] = { { .slice = 1, .allocations = 2, .allocated = 20 },
				     { .slice = 5, .frees = 1, .freed = 10 } };
	struct span_change other[] = { { .slice = 0, .allocations = 1, .allocated = 7 },
				       { .slice = 5, .missed = 3, .freed = 30 } };

	(void)state;
	assert_int_equal(span_pair_add(&sum, &(struct span_pair){ .changes = one,
								  .count = 2,
								  .initial_objects = 4 }),
			 0);
	assert_int_equal(span_pair_add(&sum, &(struct span_pair){ .changes = other,
								  .count = 2,
								  .initial_bytes = 9 }),
			 0);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.initial_objects, 4);
	assert_int_equal(sum.initial_bytes, 9);
	assert_int_equal(sum.changes[0].slice, 0);
	assert_int_equal(sum.changes[1].allocated, 20);
	assert_int_equal(sum.changes[2].frees, 1);
	assert_int_equal(sum.changes[2].missed, 3);
	assert_int_equal(sum.changes[2].freed, 40);
	free(sum.changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
