// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prefetched slots are the same with any number of threads. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "capture/prefetch.h"

#define SOURCES 7
#define WORDS 50 /* of a slot */

/* A source: each slot holds its own number. One thread at a time changes it. */
struct counting_source {
	unsigned int slots, filled;
	int end; /* the result behind the last slot */
	uint64_t sum;
};

static int fill_words(void *data, size_t index, void *slot)
{
	struct counting_source *counting_source = (struct counting_source *)data + index;
	uint64_t *words = slot;

	if (counting_source->filled == counting_source->slots)
		return counting_source->end;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = (uint64_t)index << 32 | counting_source->filled;
	counting_source->sum += counting_source->filled++;
	return (int)counting_source->filled;
}

static struct prefetcher *open_tellers(struct counting_source *counting_sources, size_t count,
				       unsigned int threads, size_t space)
{
	const struct prefetcher_settings settings = {
		.sources = count,
		.slot_size = WORDS * sizeof(uint64_t),
		.slot_align = sizeof(uint64_t),
		.threads = threads,
		.space = space,
		.fill = fill_words,
		.data = counting_sources,
	};
	struct prefetcher *prefetcher;

	assert_int_equal(prefetcher_open(&prefetcher, &settings), 0);
	return prefetcher;
}

static void assert_slot(const void *slot, size_t source, uint64_t number)
{
	const uint64_t *words = slot;

	for (size_t i = 0; i < WORDS; i++)
		assert_int_equal(words[i], (uint64_t)source << 32 | number);
}

/* Takes all slots, alternating between the sources; a slot must not change while others are taken.
 */
static void take_all(unsigned int threads, size_t space, unsigned int slots)
{
	struct counting_source counting_sources[SOURCES];
	const void *held[SOURCES] = { NULL };
	unsigned int taken[SOURCES] = { 0 }, ended = 0;
	struct prefetcher *prefetcher;
	unsigned int random = 1;

	for (size_t i = 0; i < SOURCES; i++)
		counting_sources[i] = (struct counting_source){ .slots = slots * (unsigned int)i,
								.end = i == 3 ? -EIO : 0 };
	prefetcher = open_tellers(counting_sources, SOURCES, threads, space);
	assert_int_equal(prefetcher_take(prefetcher, 2, &held[2]), slots ? 1 : 0);
	taken[2] = slots ? 1 : 0;
	/* not started: only the caller uses the sources */
	assert_int_equal(counting_sources[2].filled, taken[2]);
	prefetcher_start(prefetcher);
	while (ended < SOURCES) {
		size_t source;
		int got;

		random = random * 1103515245 + 12345;
		source = (random >> 16) % SOURCES;
		if (taken[source] > counting_sources[source].slots)
			continue;
		if (held[source])
			assert_slot(held[source], source, taken[source] - 1);
		got = prefetcher_take(prefetcher, source, &held[source]);
		if (taken[source]++ < counting_sources[source].slots) {
			assert_int_equal(got, taken[source]);
			assert_slot(held[source], source, taken[source] - 1);
			continue;
		}
		/* and only the caller uses the source again */
		assert_int_equal(got, counting_sources[source].end);
		assert_int_equal(counting_sources[source].filled, counting_sources[source].slots);
		assert_int_equal(prefetcher_take(prefetcher, source, &held[source]),
				 counting_sources[source].end);
		held[source] = NULL;
		ended++;
	}
	prefetcher_close(prefetcher);
}

static void slots_come_in_order(void **state)
{
	static const unsigned int threads[] = { 0, 1, 2, 3, 8, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		take_all(threads[i], 0, 300);
		take_all(threads[i], 1 << 20, 300);
		take_all(threads[i], 1 << 20, 0);
	}
}

/* The consumer stops while threads are filling or waiting. */
static void may_be_closed_early(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads < 6; threads++) {
		struct counting_source counting_sources[SOURCES];
		struct prefetcher *prefetcher;
		const void *slot;

		for (size_t i = 0; i < SOURCES; i++)
			counting_sources[i] = (struct counting_source){ .slots = 1000000 };
		prefetcher = open_tellers(counting_sources, SOURCES, threads, 1 << 20);
		prefetcher_start(prefetcher);
		assert_int_equal(prefetcher_take(prefetcher, 1, &slot), 1);
		prefetcher_close(prefetcher);
		for (size_t i = 0; i < SOURCES; i++)
			assert_true(counting_sources[i].filled < 1000);
	}
	prefetcher_close(NULL);
}

static void works_without_sources(void **state)
{
	struct prefetcher *prefetcher = open_tellers(NULL, 0, 4, 1 << 20);

	(void)state;
	prefetcher_start(prefetcher);
	prefetcher_close(prefetcher);
	assert_true(prefetcher_default_threads() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_come_in_order),
		cmocka_unit_test(may_be_closed_early),
		cmocka_unit_test(works_without_sources),
	};

	return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
