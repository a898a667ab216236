// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that fill slots ahead: what is taken is the same without any and with many. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "capture/prefetch.h"

#define SOURCES 7
#define WORDS 50 /* of a slot */

/* A source: says which slot it is, over and over. Its own thread changes it, one at a time. */
struct teller {
	unsigned int slots, told;
	int end; /* what it says behind them */
	uint64_t sum;
};

static int fill(void *data, size_t index, void *slot)
{
	struct teller *teller = (struct teller *)data + index;
	uint64_t *words = slot;

	if (teller->told == teller->slots)
		return teller->end;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = (uint64_t)index << 32 | teller->told;
	teller->sum += teller->told++;
	return (int)teller->told;
}

static struct prefetcher *open_tellers(struct teller *tellers, size_t count, unsigned int threads,
				       size_t space)
{
	const struct prefetcher_settings settings = {
		.sources = count,
		.slot_size = WORDS * sizeof(uint64_t),
		.slot_align = sizeof(uint64_t),
		.threads = threads,
		.space = space,
		.fill = fill,
		.data = tellers,
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

/* Takes all, now of this source and then of that; a slot stays as it is while others are taken. */
static void take_all(unsigned int threads, size_t space, unsigned int slots)
{
	struct teller tellers[SOURCES];
	const void *held[SOURCES] = { NULL };
	unsigned int taken[SOURCES] = { 0 }, ended = 0;
	struct prefetcher *prefetcher;
	unsigned int random = 1;

	for (size_t i = 0; i < SOURCES; i++)
		tellers[i] = (struct teller){ .slots = slots * (unsigned int)i,
					      .end = i == 3 ? -EIO : 0 };
	prefetcher = open_tellers(tellers, SOURCES, threads, space);
	assert_int_equal(prefetcher_take(prefetcher, 2, &held[2]), slots ? 1 : 0);
	taken[2] = slots ? 1 : 0;
	/* not started: nobody but the caller is at it */
	assert_int_equal(tellers[2].told, taken[2]);
	prefetcher_start(prefetcher);
	while (ended < SOURCES) {
		size_t source;
		int got;

		random = random * 1103515245 + 12345;
		source = (random >> 16) % SOURCES;
		if (taken[source] > tellers[source].slots)
			continue;
		if (held[source])
			assert_slot(held[source], source, taken[source] - 1);
		got = prefetcher_take(prefetcher, source, &held[source]);
		if (taken[source]++ < tellers[source].slots) {
			assert_int_equal(got, taken[source]);
			assert_slot(held[source], source, taken[source] - 1);
			continue;
		}
		/* and what belongs to it may be looked at */
		assert_int_equal(got, tellers[source].end);
		assert_int_equal(tellers[source].told, tellers[source].slots);
		assert_int_equal(prefetcher_take(prefetcher, source, &held[source]),
				 tellers[source].end);
		held[source] = NULL;
		ended++;
	}
	prefetcher_close(prefetcher);
}

static void test_take(void **state)
{
	static const unsigned int threads[] = { 0, 1, 2, 3, 8, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		take_all(threads[i], 0, 300);
		take_all(threads[i], 1 << 20, 300);
		take_all(threads[i], 1 << 20, 0);
	}
}

/* Nobody takes any more, while threads are at it or wait. */
static void test_close_early(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads < 6; threads++) {
		struct teller tellers[SOURCES];
		struct prefetcher *prefetcher;
		const void *slot;

		for (size_t i = 0; i < SOURCES; i++)
			tellers[i] = (struct teller){ .slots = 1000000 };
		prefetcher = open_tellers(tellers, SOURCES, threads, 1 << 20);
		prefetcher_start(prefetcher);
		assert_int_equal(prefetcher_take(prefetcher, 1, &slot), 1);
		prefetcher_close(prefetcher);
		for (size_t i = 0; i < SOURCES; i++)
			assert_true(tellers[i].told < 1000);
	}
	prefetcher_close(NULL);
}

static void test_no_sources(void **state)
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
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_close_early),
		cmocka_unit_test(test_no_sources),
	};

	return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
