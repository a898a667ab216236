// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Summaries add up in any order: rows, live figures, sources, facts of the host. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/summary/summary.h"
#include "fleet/summary/summary_file.h"
#include "fleet/summary/summary_storable.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define DAY (86400 * UINT64_C(1000000000))
#define PARTS 12

static void add_source(struct summary *summary, const char *host, uint64_t first, uint64_t last)
{
	char name[16], boot[] = "boot";
	const struct summary_source source = { name, boot, 7, first, last };

	snprintf(name, sizeof(name), "%s", host);
	assert_int_equal(summary_add_source(summary, &source), 0);
}

static struct summary_counts *counts_of(struct summary *summary, const char *function)
{
	const char *const names[SUMMARY_NAMES] = { function, "kernel", "kmalloc-64" };
	struct summary_row *row = summary_get_row(summary, SUMMARY_CODE, names);

	assert_non_null(row);
	return &row->counts;
}

/* Summary number `number` of the host, with one function and live bytes. */
static void make_host_summary(struct summary *summary, const char *host, uint64_t number,
			      uint64_t live)
{
	struct summary_counts *counts;

	assert_int_equal(summary_init(summary), 0);
	add_source(summary, host, number, number);
	summary->begin = 60 * number;
	summary->end = summary->live_at = 60 * number + 60;
	summary->live_hosts = 1;
	summary->resident = 1000 + number;
	counts = counts_of(summary, "f");
	counts->allocations = 1;
	counts->allocated = 64;
	counts->live_bytes = live;
}

static void flows_are_sums_and_live_is_the_last(void **state)
{
	struct summary first, second, sum;

	(void)state;
	make_host_summary(&first, "a", 0, 640);
	make_host_summary(&second, "a", 1, 128);
	counts_of(&first, "g")->live_bytes = 32;
	assert_int_equal(summary_init(&sum), 0);
	assert_int_equal(summary_add(&sum, &second), 0);
	assert_int_equal(summary_add(&sum, &first), 0);
	assert_int_equal(sum.begin, 0);
	assert_int_equal(sum.end, 120);
	assert_int_equal(sum.live_at, 120);
	assert_int_equal(sum.live_hosts, 1);
	assert_int_equal(sum.resident, 1001);
	assert_int_equal(sum.source_count, 1);
	assert_int_equal(sum.sources[0].last, 1);
	assert_int_equal(counts_of(&sum, "f")->allocations, 2);
	assert_int_equal(counts_of(&sum, "f")->allocated, 128);
	assert_int_equal(counts_of(&sum, "f")->live_bytes, 128);
	assert_int_equal(counts_of(&sum, "g")->live_bytes, 0);
	assert_int_equal(summary_total(&sum, SUMMARY_CODE).live_bytes, 128);
	assert_int_equal(sum.row_count, 2);
	summary_deinit(&sum);
	summary_deinit(&first);
	summary_deinit(&second);
}

static void live_of_hosts_at_one_time_is_a_sum(void **state)
{
	struct summary first, second, later;

	(void)state;
	make_host_summary(&first, "a", 3, 640);
	make_host_summary(&second, "b", 3, 128);
	make_host_summary(&later, "c", 4, 64);
	assert_int_equal(summary_add(&first, &second), 0);
	assert_int_equal(first.source_count, 2);
	assert_int_equal(first.live_hosts, 2);
	assert_int_equal(counts_of(&first, "f")->live_bytes, 768);
	assert_int_equal(first.resident, 2006);
	assert_int_equal(summary_add(&first, &later), 0);
	assert_int_equal(first.source_count, 3);
	assert_int_equal(first.live_hosts, 1);
	assert_int_equal(counts_of(&first, "f")->live_bytes, 64);
	summary_deinit(&later);
	summary_deinit(&first);
	summary_deinit(&second);
}

static void the_same_summary_counts_once(void **state)
{
	struct summary first, second, both, third;

	(void)state;
	make_host_summary(&first, "a", 0, 1);
	make_host_summary(&second, "a", 1, 2);
	make_host_summary(&third, "a", 2, 3);
	assert_int_equal(summary_init(&both), 0);
	assert_int_equal(summary_add(&both, &first), 0);
	assert_int_equal(summary_add(&both, &second), 0);
	assert_int_equal(summary_add(&both, &first), -EALREADY);
	assert_int_equal(summary_add(&both, &both), -EALREADY);
	assert_int_equal(counts_of(&both, "f")->allocations, 2);
	assert_int_equal(summary_add(&second, &third), 0);
	assert_int_equal(summary_add(&both, &second), -EEXIST);
	assert_int_equal(summary_add(&first, &both), -EEXIST);
	assert_int_equal(counts_of(&first, "f")->allocations, 1);
	assert_int_equal(first.source_count, 1);
	assert_int_equal(summary_compare_sources(&third, &first), 0);
	summary_deinit(&first);
	summary_deinit(&second);
	summary_deinit(&third);
	assert_int_equal(summary_init(&third), 0);
	assert_int_equal(summary_add(&both, &third), -EINVAL);
	summary_deinit(&third);
	summary_deinit(&both);
}

static void neighbours_become_one_source(void **state)
{
	char host[] = "a", boot[] = "boot";
	struct summary summary;

	(void)state;
	assert_int_equal(summary_init(&summary), 0);
	add_source(&summary, "a", 10, 19);
	add_source(&summary, "a", 0, 4);
	add_source(&summary, "b", 20, 20);
	add_source(&summary, "a", 6, 8);
	assert_int_equal(summary.source_count, 4);
	add_source(&summary, "a", 5, 5);
	assert_int_equal(summary.source_count, 3);
	assert_int_equal(summary.sources[0].first, 0);
	assert_int_equal(summary.sources[0].last, 8);
	add_source(&summary, "a", 9, 9);
	add_source(&summary, "a", 20, UINT64_MAX);
	assert_int_equal(summary.source_count, 2);
	assert_true(summary.sources[0].last == UINT64_MAX);
	for (uint64_t number = 0; number < 30; number += 5) {
		const struct summary_source again = { host, boot, 7, number, number + 3 };

		assert_int_equal(summary_add_source(&summary, &again), -EEXIST);
	}
	summary_deinit(&summary);
}

static void sums_stay_at_the_maximum(void **state)
{
	struct summary first, second;

	(void)state;
	make_host_summary(&first, "a", 0, 1);
	make_host_summary(&second, "a", 1, 2);
	counts_of(&first, "f")->allocated = UINT64_MAX - 1;
	assert_int_equal(summary_add(&first, &second), 0);
	assert_true(counts_of(&first, "f")->allocated == UINT64_MAX);
	summary_deinit(&first);
	summary_deinit(&second);
}

static void rows_over_the_maximum_become_one(void **state)
{
	struct summary summary, sum;
	struct summary_row *row;
	char name[16];

	(void)state;
	assert_int_equal(summary_init(&summary), 0);
	add_source(&summary, "a", 0, 0);
	for (unsigned int i = 0; i < SUMMARY_ROWS_MAX + 10; i++) {
		const char *const names[SUMMARY_NAMES] = { name };

		snprintf(name, sizeof(name), "%u", i);
		row = summary_count_row(&summary, SUMMARY_COMM, names);
		assert_non_null(row);
		row->counts.frees++;
	}
	assert_int_equal(summary.row_count, SUMMARY_ROWS_MAX + 1);
	row = &summary.rows[SUMMARY_ROWS_MAX];
	assert_string_equal(row->names[0], SUMMARY_REST);
	assert_int_equal(row->counts.frees, 10);
	assert_int_equal(summary_total(&summary, SUMMARY_COMM).frees, SUMMARY_ROWS_MAX + 10);
	assert_int_equal(summary_init(&sum), 0);
	assert_int_equal(summary_add(&sum, &summary), 0);
	assert_int_equal(sum.row_count, SUMMARY_ROWS_MAX + 1);
	summary_deinit(&summary);
	summary_deinit(&sum);
}

static void an_empty_name_is_unknown(void **state)
{
	const char *const names[SUMMARY_NAMES] = { "f", "", NULL };
	struct summary summary;
	struct summary_row *row;

	(void)state;
	assert_int_equal(summary_init(&summary), 0);
	row = summary_get_row(&summary, SUMMARY_CODE, names);
	assert_non_null(row);
	assert_string_equal(row->names[1], SUMMARY_UNKNOWN);
	assert_string_equal(row->names[2], SUMMARY_UNKNOWN);
	assert_ptr_equal(summary_get_row(&summary, SUMMARY_CODE, names), row);
	summary_deinit(&summary);
}

static void rows_are_found_after_sorting(void **state)
{
	struct summary summary;

	(void)state;
	make_host_summary(&summary, "a", 0, 1);
	counts_of(&summary, "e")->frees = 5;
	counts_of(&summary, "g")->frees = 7;
	summary_sort(&summary);
	assert_string_equal(summary.rows[0].names[0], "e");
	assert_string_equal(summary.rows[2].names[0], "g");
	assert_int_equal(counts_of(&summary, "e")->frees, 5);
	assert_int_equal(counts_of(&summary, "g")->frees, 7);
	assert_int_equal(summary.row_count, 3);
	summary_deinit(&summary);
}

static void variances_are_whole_units(void **state)
{
	const double unit = SUMMARY_VARIANCE_UNIT;

	(void)state;
	assert_true(summary_round_variance(0) == 0);
	assert_true(summary_round_variance(-1) == 0);
	assert_true(summary_round_variance(0.5) == unit);
	assert_true(summary_round_variance(3 * unit) == 3 * unit);
	assert_true(summary_round_variance(3 * unit + 1) == 4 * unit);
	assert_true(summary_round_variance(1e300) == 1e300);
}

static void set_host(struct summary *summary, const char *kernel)
{
	char text[16], arch[] = "x86_64", role[] = "web";

	snprintf(text, sizeof(text), "%s", kernel);
	assert_int_equal(summary_set_host(summary,
					  &(struct summary_host){ text, arch, role, 4, 1, 2, 3 }),
			 0);
}

static uint64_t random_number(uint64_t *seed, uint64_t bound)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (*seed >> 33) % bound;
}

/* Of two hosts, with rows of all kinds; some without facts of the host. */
static void make_random(struct summary *summary, unsigned int number, uint64_t *seed)
{
	char name[16];
	const char *const names[SUMMARY_NAMES] = { name, "kernel", "x" };

	make_host_summary(summary, number % 2 ? "a" : "b", number / 2, random_number(seed, 1000));
	if (number % 3)
		set_host(summary, number % 4 ? "6.1" : "6.12");
	for (unsigned int i = 0; i < 8; i++) {
		struct summary_row *row;

		snprintf(name, sizeof(name), "n%u", (unsigned int)random_number(seed, 6));
		row = summary_get_row(summary, (enum summary_kind)random_number(seed, 3), names);
		row->counts.frees += random_number(seed, 10);
		row->counts.live_objects += random_number(seed, 10);
		row->counts.allocated_variance +=
			summary_round_variance(1e12 * (double)random_number(seed, 1 << 20));
	}
	summary->missing = (struct missing){ .lost = random_number(seed, 9),
					     .unobserved = random_number(seed, 9),
					     .sampling = 1 + random_number(seed, 9),
					     .names_lost = number == 5 };
}

static void merge_randomly(struct summary *list, size_t count, uint64_t *seed)
{
	for (; count > 1; count--) {
		size_t from = random_number(seed, count), to = random_number(seed, count - 1);
		struct summary taken = list[from];

		list[from] = list[count - 1];
		assert_int_equal(summary_add(&list[to], &taken), 0);
		summary_deinit(&taken);
	}
}

static void any_order_gives_the_same_sum(void **state)
{
	uint64_t rounds = scratch_setting("KMEMTRACE_ROUNDS", 1000), seed = 1, order = 2;
	char *expected = NULL, *text;
	size_t expected_size = 0, size;

	(void)state;
	for (uint64_t i = 0; i < rounds; i++) {
		struct summary list[PARTS];

		seed = 1;
		for (unsigned int j = 0; j < PARTS; j++)
			make_random(&list[j], j, &seed);
		/* a sum of one host, as all others, in some orders */
		merge_randomly(list, PARTS, &order);
		summary_sort(list);
		assert_int_equal(summary_write_text(list, &text, &size), 0);
		summary_deinit(list);
		if (!expected) {
			expected = text;
			expected_size = size;
			continue;
		}
		assert_int_equal(size, expected_size);
		assert_memory_equal(text, expected, size);
		free(text);
	}
	free(expected);
}

static void facts_of_one_host_are_the_last(void **state)
{
	for (unsigned int order = 0; order < 2; order++) {
		struct summary first, second, other;

		(void)state;
		make_host_summary(&first, "a", 0, 1);
		make_host_summary(&second, "a", 1, 2);
		make_host_summary(&other, "b", 1, 2);
		set_host(&first, "6.1");
		set_host(&second, "6.12");
		set_host(&other, "6.12");
		assert_int_equal(summary_add(order ? &first : &second, order ? &second : &first),
				 0);
		assert_string_equal((order ? &first : &second)->host.kernel, "6.12");
		assert_int_equal(summary_add(order ? &first : &second, &other), 0);
		assert_null((order ? &first : &second)->host.kernel);
		summary_deinit(&first);
		summary_deinit(&second);
		summary_deinit(&other);
	}
}

static void a_store_takes_possible_intervals_of_one_host(void **state)
{
	static const struct {
		size_t offset; /* of a number of struct summary */
		uint64_t largest;
	} limits[] = {
		{ offsetof(struct summary, cpu_ns), (UINT64_C(1) << 53) - 1 },
		{ offsetof(struct summary, missing.lost), (UINT64_C(1) << 53) - 1 },
		{ offsetof(struct summary, host.memory), (UINT64_C(1) << 53) - 1 },
	};
	struct summary summary;

	(void)state;
	make_host_summary(&summary, "a", 1, 640);
	assert_non_null(summary_why_not_stored(&summary)); /* no facts of the host */
	set_host(&summary, "6.1");
	assert_null(summary_why_not_stored(&summary));
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		uint64_t *number = (uint64_t *)((char *)&summary + limits[i].offset), was = *number;

		*number = limits[i].largest;
		assert_null(summary_why_not_stored(&summary));
		++*number;
		assert_non_null(summary_why_not_stored(&summary));
		*number = was;
	}
	/* of two rows of a kind, each is possible */
	counts_of(&summary, "f")->freed = (UINT64_C(1) << 53) - 1;
	assert_null(summary_why_not_stored(&summary));
	counts_of(&summary, "g")->freed = 1;
	assert_non_null(summary_why_not_stored(&summary));
	counts_of(&summary, "g")->freed = 0;
	counts_of(&summary, "f")->freed = 0;
	summary.begin = summary.end;
	assert_non_null(summary_why_not_stored(&summary));
	summary.end = (UINT64_C(1) << 62) - 1;
	summary.begin = summary.end - DAY;
	assert_null(summary_why_not_stored(&summary));
	summary.begin--;
	assert_non_null(summary_why_not_stored(&summary));
	summary.begin += 2;
	summary.end++;
	assert_non_null(summary_why_not_stored(&summary));
	summary.end--;
	summary.sources->last++;
	assert_non_null(summary_why_not_stored(&summary)); /* of two intervals */
	summary_deinit(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_takes_possible_intervals_of_one_host),
		cmocka_unit_test(flows_are_sums_and_live_is_the_last),
		cmocka_unit_test(live_of_hosts_at_one_time_is_a_sum),
		cmocka_unit_test(the_same_summary_counts_once),
		cmocka_unit_test(neighbours_become_one_source),
		cmocka_unit_test(sums_stay_at_the_maximum),
		cmocka_unit_test(rows_over_the_maximum_become_one),
		cmocka_unit_test(an_empty_name_is_unknown),
		cmocka_unit_test(rows_are_found_after_sorting),
		cmocka_unit_test(variances_are_whole_units),
		cmocka_unit_test(any_order_gives_the_same_sum),
		cmocka_unit_test(facts_of_one_host_are_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
