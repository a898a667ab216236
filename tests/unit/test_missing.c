// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events that figures lack: sums, shares and sentences. */
#include "config.h"

#include "tests/unit/unit.h"
#include "analysis/missing.h"
#include "analysis/model.h"

static void expect_sentence(const struct missing *missing, enum missing_kind kind,
			    const char *expected)
{
	char text[MISSING_TEXT];

	if (expected)
		assert_string_equal(missing_text(missing, kind, text), expected);
	else
		assert_null(missing_text(missing, kind, text));
}

static void uncounted_events_are_recorded(void **state)
{
	const struct missing missing = {
		.recorded = 70, .lost = 20, .skipped = 10, .uncounted = 5
	};
	char text[MISSING_TEXT];

	(void)state;
	assert_int_equal(missing_events(&missing), 35);
	expect_sentence(
		&missing, MISSING_EVENTS,
		"35.000% of the events are lost, skipped or uncounted; each may be an allocation or a free");
	assert_string_equal(missing_message(&missing, text),
			    "lost 20, skipped 10 and did not count 5 of 100 events");
}

static void skipped_events_of_a_profile_are_a_share_of_all(void **state)
{
	const struct missing missing = { .recorded = 90,
					 .lost = 10,
					 .skipped = 1000,
					 .counted = 99000,
					 .skipped_partial = true };
	char text[MISSING_TEXT];

	(void)state;
	expect_sentence(
		&missing, MISSING_EVENTS,
		"11.000% of the events are lost or skipped; each may be an allocation or a free");
	assert_string_equal(missing_message(&missing, text),
			    "lost 10 and skipped 1000 or more of 1100 events");
}

static void a_sum_of_profiles_counts_all_events(void **state)
{
	const struct missing profile = { .recorded = 10, .skipped = 10, .counted = 999990 };
	const struct missing others = { .recorded = 1000000, .no_slab = true };
	struct missing sum = { 0 };

	(void)state;
	missing_add(&sum, &profile);
	missing_add(&sum, &profile);
	expect_sentence(
		&sum, MISSING_EVENTS,
		"0.001% of the events are lost or skipped; each may be an allocation or a free");
	/* a part that records all events */
	missing_add(&sum, &others);
	assert_true(sum.counted == 2 * 999990 + 1000000 && !sum.no_slab);
	sum = (struct missing){ 0 };
	missing_add(&sum, &others);
	missing_add(&sum, &others);
	assert_true(!sum.counted && sum.no_slab);
}

static void a_profile_without_its_count_has_a_bound(void **state)
{
	const struct missing profile = { .recorded = 10, .skipped = 10, .counted_unknown = true };
	struct missing sum = { .recorded = 20 };

	(void)state;
	expect_sentence(
		&profile, MISSING_EVENTS,
		"at most 50.000% of the events are lost or skipped; each may be an allocation or a free");
	missing_add(&sum, &profile);
	expect_sentence(
		&sum, MISSING_EVENTS,
		"at most 25.000% of the events are lost or skipped; each may be an allocation or a free");
}

static void nothing_is_missing(void **state)
{
	const struct missing missing = { .recorded = 1 };

	(void)state;
	for (enum missing_kind kind = 0; kind < MISSING_KINDS; kind++)
		expect_sentence(&missing, kind, NULL);
}

/* Two hosts observe all paths but one, the third lacks three; the order makes no difference. */
static void sum_has_the_most_unobserved_paths(void **state)
{
	const struct missing one = { .recorded = 5, .unobserved = 1 };
	const struct missing three = { .recorded = UINT64_MAX,
				       .unobserved = 3,
				       .names_lost = true };
	const struct missing partial = { .skipped_partial = true };
	struct missing sum = { 0 }, other = three;

	(void)state;
	missing_add(&sum, &one);
	missing_add(&sum, &one);
	expect_sentence(&sum, MISSING_PATHS,
			"1 path is not observed: the allocations and frees there are missing");
	missing_add(&sum, &three);
	missing_add(&other, &one);
	expect_sentence(
		&sum, MISSING_PATHS,
		"up to 3 paths are not observed: the allocations and frees there are missing");
	expect_sentence(
		&other, MISSING_PATHS,
		"up to 3 paths are not observed: the allocations and frees there are missing");
	assert_true(sum.recorded == UINT64_MAX && sum.names_lost);
	/* more events may be skipped than one part knows: so they may in the sum */
	assert_false(sum.skipped_partial);
	missing_add(&sum, &partial);
	assert_true(sum.skipped_partial);
}

/* A status can have any number. */
static void sums_of_a_status_end_at_the_maximum(void **state)
{
	struct status_cpu cpus[2] = { { .counted = { .allocations = UINT64_MAX, .frees = 3 } },
				      { .counted = { .allocations = 2, .frees = 4 } } };
	struct capture capture = { .status = { .cpus = cpus,
					       .cpu_count = 2,
					       .sampling = { .is_profile = true,
							     .dropped = UINT64_MAX - 1 } } };
	const struct analysis analysis = { .capture = &capture, .loss = { .lost = 5 } };
	struct missing missing = missing_of_capture(&analysis);

	(void)state;
	assert_true(missing.lost == UINT64_MAX);
	assert_true(status_sum_counted(&capture.status).allocations == UINT64_MAX);
	assert_int_equal(status_sum_counted(&capture.status).frees, 7);
	capture.status.sampling.dropped = 2;
	missing = missing_of_capture(&analysis);
	assert_int_equal(missing.lost, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncounted_events_are_recorded),
		cmocka_unit_test(skipped_events_of_a_profile_are_a_share_of_all),
		cmocka_unit_test(a_sum_of_profiles_counts_all_events),
		cmocka_unit_test(a_profile_without_its_count_has_a_bound),
		cmocka_unit_test(nothing_is_missing),
		cmocka_unit_test(sum_has_the_most_unobserved_paths),
		cmocka_unit_test(sums_of_a_status_end_at_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
