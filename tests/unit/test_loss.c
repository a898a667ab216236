// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gaps in sequence numbers: opened, filled, and confirmed as lost. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "capture/loss.h"

#define NUMBERS 20000

static void assert_span(const struct loss_span *span, uint64_t first, uint64_t last, uint64_t after,
			uint64_t before)
{
	assert_int_equal(span->first, first);
	assert_int_equal(span->last, last);
	assert_int_equal(span->after, after);
	assert_int_equal(span->before, before);
}

static void record_numbers(struct loss *loss, uint64_t first, uint64_t last, uint64_t time)
{
	for (uint64_t i = first; i <= last; i++)
		assert_int_equal(loss_record(loss, i, time + i), 0);
}

static void numbers_in_order_lose_nothing(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 100);
	record_numbers(&loss, 0, 999, 1000);
	assert_int_equal(loss_missing(&loss), 0);
	assert_int_equal(loss.next, 1000);
	assert_int_equal(loss.records, 1000);
	assert_int_equal(loss.count, 0);
	loss_deinit(&loss);
}

static void gap_has_its_times(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 100);
	/* Before the first record: after the start. */
	assert_int_equal(loss_record(&loss, 3, 1003), 0);
	/* Fewer than LOSS_MEMORY records: still after the start. */
	record_numbers(&loss, 4, 9, 1000);
	assert_int_equal(loss_record(&loss, 12, 1012), 0);
	/* Then after the oldest of the last LOSS_MEMORY records. */
	record_numbers(&loss, 13, 29, 1000);
	assert_int_equal(loss_record(&loss, 40, 1040), 0);
	assert_int_equal(loss.count, 3);
	assert_span(&loss.spans[0], 0, 2, 100, 1003);
	assert_span(&loss.spans[1], 10, 11, 100, 1012);
	assert_span(&loss.spans[2], 30, 39, 1022, 1040);
	assert_int_equal(loss.confirmed, 0);
	assert_int_equal(loss_missing(&loss), 15);
	loss_deinit(&loss);
}

static void late_numbers_fill_a_gap(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 0);
	assert_int_equal(loss_record(&loss, 10, 1), 0);
	assert_int_equal(loss_record(&loss, 5, 2), 0);
	assert_int_equal(loss.count, 2);
	assert_span(&loss.spans[0], 0, 4, 0, 1);
	assert_span(&loss.spans[1], 6, 9, 0, 1);
	assert_int_equal(loss_record(&loss, 6, 3), 0);
	assert_int_equal(loss_record(&loss, 9, 3), 0);
	assert_span(&loss.spans[1], 7, 8, 0, 1);
	record_numbers(&loss, 7, 8, 3);
	assert_int_equal(loss.count, 1);
	record_numbers(&loss, 0, 4, 3);
	assert_int_equal(loss.count, 0);
	assert_int_equal(loss_missing(&loss), 0);
	assert_int_equal(loss.records, 11);
	assert_int_equal(loss.next, 11);
	loss_deinit(&loss);
}

static void repeated_number_is_refused(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 0);
	record_numbers(&loss, 0, 4, 0);
	assert_int_equal(loss_record(&loss, 2, 9), -EEXIST);
	assert_int_equal(loss_record(&loss, 8, 9), 0);
	assert_int_equal(loss_record(&loss, 8, 9), -EEXIST);
	assert_int_equal(loss.records, 6);
	assert_int_equal(loss_missing(&loss), 3);
	loss_deinit(&loss);
}

static void confirmed_gaps_stay(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 7);
	assert_int_equal(loss_record(&loss, 5, 10), 0);
	assert_int_equal(loss_record(&loss, 20, 11), 0);
	assert_int_equal(loss_confirm(&loss, 10, 12), 0);
	assert_int_equal(loss.confirmed, 9);
	assert_int_equal(loss.open, 2);
	assert_int_equal(loss.count, 3);
	assert_span(&loss.spans[0], 0, 4, 7, 10);
	assert_span(&loss.spans[1], 6, 9, 7, 11);
	assert_span(&loss.spans[2], 10, 19, 7, 11);
	/* Confirmed numbers cannot come any more; the others can. */
	assert_int_equal(loss_record(&loss, 4, 13), -EEXIST);
	assert_int_equal(loss_record(&loss, 10, 13), 0);
	assert_int_equal(loss_confirm(&loss, 25, 14), 0);
	assert_int_equal(loss.confirmed, 9 + 9 + 4);
	assert_int_equal(loss.next, 25);
	assert_span(&loss.spans[3], 21, 24, 7, 14);
	/* Again, or for a lower number: no change. */
	assert_int_equal(loss_confirm(&loss, 25, 15), 0);
	assert_int_equal(loss_confirm(&loss, 3, 15), 0);
	assert_int_equal(loss.confirmed, 22);
	assert_int_equal(loss_missing(&loss), 22);
	assert_int_equal(loss_confirm(&loss, UINT64_MAX, 16), -ERANGE);
	assert_int_equal(loss.confirmed, 22);
	loss_deinit(&loss);
}

static void dropped_records_are_lost(void **state)
{
	struct loss_span span = { .first = 5, .last = 7, .after = 1004, .before = 1009 };
	struct loss loss;

	(void)state;
	loss_init(&loss, 0);
	record_numbers(&loss, 0, 9, 1000);
	assert_int_equal(loss_record(&loss, 12, 1012), 0);
	assert_int_equal(loss_drop_span(&loss, &span), 0);
	assert_int_equal(loss.confirmed, 5);
	assert_int_equal(loss_missing(&loss), 5);
	assert_int_equal(loss.records, 8);
	assert_int_equal(loss.count, 2);
	assert_span(&loss.spans[0], 5, 7, 1004, 1009);
	assert_int_equal(loss_record(&loss, 6, 1013), -EEXIST);
	/* A new gap may have begun as early as the dropped records. */
	assert_int_equal(loss_record(&loss, 20, 1020), 0);
	assert_span(&loss.spans[2], 13, 19, 1004, 1020);
	loss_deinit(&loss);
}

static void widens_to_the_nearest_number(void **state)
{
	struct loss loss;

	(void)state;
	loss_init(&loss, 0);
	assert_int_equal(loss_widen(&loss, 0), 0);
	assert_int_equal(loss_widen(&loss, 0xffffffff), 0xffffffff);
	loss.next = 100;
	assert_int_equal(loss_widen(&loss, 100), 100);
	assert_int_equal(loss_widen(&loss, 99), 99);
	assert_int_equal(loss_widen(&loss, 0), 0);
	loss.next = 0x2fffffff0;
	assert_int_equal(loss_widen(&loss, 0xfffffff0), 0x2fffffff0);
	assert_int_equal(loss_widen(&loss, 5), 0x300000005);
	loss.next = 0x300000002;
	assert_int_equal(loss_widen(&loss, 0xffffffff), 0x2ffffffff);
	assert_int_equal(loss_widen(&loss, 0x80000001), 0x380000001);
	assert_int_equal(loss_widen(&loss, 0x80000003), 0x280000003);
	loss_deinit(&loss);
}

/* For any number of gaps: the count is exact, the memory is bounded, the spans are in order. */
static void very_many_gaps_are_merged(void **state)
{
	struct loss loss;
	uint64_t gaps = 400000;

	(void)state;
	loss_init(&loss, 0);
	for (uint64_t i = 1; i <= gaps; i++) {
		assert_int_equal(loss_record(&loss, i * 4, i), 0);
		if (i % 1000 == 0 && i < gaps / 2)
			assert_int_equal(loss_confirm(&loss, i * 4 - 2, i), 0);
	}
	assert_int_equal(loss_missing(&loss), gaps * 3 + 1);
	assert_int_equal(loss_confirm(&loss, loss.next, gaps + 1), 0);
	assert_int_equal(loss.confirmed, gaps * 3 + 1);
	assert_true(loss.count <= 65536);
	assert_int_equal(loss.spans[0].first, 0);
	assert_int_equal(loss.spans[loss.count - 1].last, gaps * 4 - 1);
	for (size_t i = 0; i < loss.count; i++) {
		const struct loss_span *span = &loss.spans[i];

		/* the record of number 4 N was read at time N */
		assert_true(span->after * 4 <= span->first && span->before * 4 > span->last);
		assert_true(!i || span->first > span[-1].last);
		assert_true(!i || span->before >= span[-1].before);
	}
	loss_deinit(&loss);
}

/* Compares with a table of all numbers: some are lost, some displaced, some confirmed early. */
static void counts_as_a_table_of_all_numbers(void **state)
{
	static uint64_t order[NUMBERS];
	static char seen[NUMBERS];
	struct loss loss;
	uint64_t count = 0, next = 0, missing = 0, numbers = 0;

	(void)state;
	srand(3);
	loss_init(&loss, 0);
	for (uint64_t i = 0; i < NUMBERS; i++)
		if (rand() % 8)
			order[count++] = i;
	for (uint64_t i = 0; i + 40 < count; i++) {
		uint64_t other = i + (uint64_t)(rand() % 10 ? 0 : rand() % 40), moved = order[i];

		order[i] = order[other];
		order[other] = moved;
	}
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(loss_record(&loss, loss_widen(&loss, (uint32_t)order[i]), i), 0);
		seen[order[i]] = 1;
		if (order[i] >= next)
			next = order[i] + 1;
		/* No number is displaced by more than 40 positions: the numbers below are final. */
		if (i % 97 == 0 && next > 400)
			assert_int_equal(loss_confirm(&loss, next - 400, i), 0);
		if (i % 500)
			continue;
		missing = 0;
		for (uint64_t j = 0; j < next; j++)
			missing += !seen[j];
		assert_int_equal(loss_missing(&loss), missing);
		assert_int_equal(loss.next, next);
	}
	assert_int_equal(loss_confirm(&loss, NUMBERS, count), 0);
	assert_int_equal(loss.confirmed, NUMBERS - count);
	assert_int_equal(loss.records, count);
	for (size_t i = 0; i < loss.count; i++) {
		for (uint64_t j = loss.spans[i].first; j <= loss.spans[i].last; j++)
			assert_false(seen[j]);
		numbers += loss.spans[i].last - loss.spans[i].first + 1;
	}
	assert_int_equal(numbers, NUMBERS - count);
	loss_deinit(&loss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_in_order_lose_nothing),
		cmocka_unit_test(gap_has_its_times),
		cmocka_unit_test(late_numbers_fill_a_gap),
		cmocka_unit_test(repeated_number_is_refused),
		cmocka_unit_test(confirmed_gaps_stay),
		cmocka_unit_test(dropped_records_are_lost),
		cmocka_unit_test(widens_to_the_nearest_number),
		cmocka_unit_test(very_many_gaps_are_merged),
		cmocka_unit_test(counts_as_a_table_of_all_numbers),
	};

	return cmocka_run_group_tests_name("loss", tests, NULL, NULL);
}
