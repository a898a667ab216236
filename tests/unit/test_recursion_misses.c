// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recursion misses: how many events were skipped, and when, although events are counted as missed
 * and as recorded by a backup program during the reading.
 */
#include "config.h"

#include "tests/unit/unit.h"
#include "tracer/recursion_misses.h"

/* Replaces the kernel: its counters, and the number of events during the reading. */
static struct kmt_control controls[2];
static uint64_t missed;
static unsigned int recorded_while_read;
static struct programs programs; /* without copies, unless the test sets them */

uint64_t programs_recursion_misses(const struct programs *unused)
{
	(void)unused;
	for (; recorded_while_read; recorded_while_read--) {
		missed++;
		controls[1].from_backup++;
	}
	return missed;
}

void programs_recursion_misses_by_cpu(const struct programs *unused, uint64_t *list)
{
	(void)unused;
	list[0] = missed;
	list[1] = programs.copies.count ? 0 : STATUS_UNKNOWN;
}

/* The front programs' misses; front: there are some. */
static uint64_t front_missed;
static bool front;

uint64_t programs_front_misses(const struct programs *unused)
{
	(void)unused;
	return front_missed;
}

bool copies_have_front(const struct copies *unused)
{
	(void)unused;
	return front;
}

static struct rings rings = { .possible_cpus = 2, .controls = controls };

static int start_misses(void **state)
{
	(void)state;
	controls[0] = controls[1] = (struct kmt_control){ 0 };
	missed = recorded_while_read = front_missed = 0;
	front = false;
	programs.copies.count = 0;
	return 0;
}

static void read_misses(struct recursion_misses *misses, struct status *status)
{
	assert_int_equal(recursion_misses_read(misses, &programs, &rings, status), 0);
}

static void reports_misses_one_reading_later(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;
	uint64_t times[2];

	(void)state;
	recursion_misses_init(&misses, 7);
	read_misses(&misses, &status);
	times[0] = misses.times[0];
	missed = 10;
	controls[0].from_backup = 4;
	controls[1].from_backup = 3;
	read_misses(&misses, &status);
	times[1] = misses.times[0];
	assert_int_equal(misses.reported, 0);
	read_misses(&misses, &status);
	assert_int_equal(misses.reported, 3);
	assert_int_equal(status.skip_span_count, 1);
	assert_int_equal(status.skip_spans[0].count, 3);
	/* they came between the first two readings */
	assert_true(status.skip_spans[0].after == times[0]);
	assert_true(status.skip_spans[0].before > times[1]);
	read_misses(&misses, &status);
	assert_int_equal(status.skip_span_count, 1);
	status_deinit(&status);
}

static void does_not_report_a_free_that_a_backup_program_records_later(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;

	(void)state;
	recursion_misses_init(&misses, 1);
	missed = 1;
	read_misses(&misses, &status);
	controls[0].from_backup = 1;
	read_misses(&misses, &status);
	read_misses(&misses, &status);
	assert_int_equal(misses.reported, 0);
	assert_int_equal(status.skip_span_count, 0);
}

/* The time span of the next report then begins before these readings. */
static void reports_nothing_while_backup_programs_record(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;
	uint64_t time;

	(void)state;
	recursion_misses_init(&misses, 1);
	read_misses(&misses, &status);
	missed = 5;
	for (int i = 0; i < 3; i++) {
		recorded_while_read = 1000;
		read_misses(&misses, &status);
		recorded_while_read = 1000;
		time = misses.times[1];
	}
	recorded_while_read = 0;
	read_misses(&misses, &status);
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, 5);
	assert_int_equal(status.skip_span_count, 1);
	assert_true(status.skip_spans[0].after <= time || time == 1);
	status_deinit(&status);
}

static void reports_all_misses_at_the_end(void **state)
{
	struct status status = { 0 };
	uint64_t list[2], sum = 0;
	struct recursion_misses misses;

	(void)state;
	recursion_misses_init(&misses, 1);
	for (int i = 0; i < 20; i++) {
		missed += i;
		controls[0].from_backup += i / 2;
		read_misses(&misses, &status);
	}
	assert_true(misses.reported < missed - controls[0].from_backup);
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, missed - controls[0].from_backup);
	for (size_t i = 0; i < status.skip_span_count; i++)
		sum += status.skip_spans[i].count;
	assert_int_equal(sum, misses.reported);
	recursion_misses_by_cpu(&misses, &programs, &rings, list);
	assert_int_equal(list[0], misses.reported);
	assert_true(list[1] == STATUS_UNKNOWN);
	status_deinit(&status);
}

/* A preempted task may be recorded by a later copy a second after the first copy was missed. */
static void with_copies_waits_for_tasks_that_are_preempted(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;
	uint64_t list[2];

	(void)state;
	programs.copies.count = 4;
	recursion_misses_init(&misses, 1);
	read_misses(&misses, &status);
	missed = 6;
	controls[0].deferred = 4;
	for (int i = 0; i + 1 < RECURSION_MISSES_READINGS; i++)
		read_misses(&misses, &status);
	assert_int_equal(misses.reported, 0);
	/* on another CPU: of the 10 events 7 are recorded */
	controls[1].from_copies = 7;
	for (int i = 0; i < RECURSION_MISSES_READINGS; i++) {
		read_misses(&misses, &status);
		assert_in_range(misses.reported, 0, 3);
	}
	assert_int_equal(misses.reported, 3);
	assert_int_equal(status.skip_span_count, 1);
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, 3);
	recursion_misses_by_cpu(&misses, &programs, &rings, list);
	assert_int_equal(list[0], 3);
	assert_int_equal(list[1], 0);
	status_deinit(&status);
}

static void read_often(struct recursion_misses *misses, struct status *status)
{
	for (int i = 0; i < 2 * RECURSION_MISSES_READINGS; i++)
		read_misses(misses, status);
}

/*
 * 100 events: front programs recorded 90, of which the kernel skipped copy 1 for 20; 60 of them
 * were found by copy 1, and 10 have not come to it yet. Of the other 10, copy 1 recorded 3, copy 2
 * recorded 2, and 5 were skipped.
 */
static void counts_what_front_programs_and_copies_skip(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;
	uint64_t list[2];

	(void)state;
	programs.copies.count = 4;
	front = true;
	recursion_misses_init(&misses, 1);
	read_misses(&misses, &status);
	front_missed = 8;
	controls[0].front_deferred = 2;
	controls[0].from_front = 90;
	controls[0].front_found[KMT_COPIED_KFREE] = 40;
	controls[1].front_found[KMT_COPIED_KMALLOC] = 20;
	missed = 27;
	controls[1].from_first = 3;
	controls[1].from_backup = 1;
	controls[0].from_copies = 1;
	read_often(&misses, &status);
	assert_int_equal(misses.reported, 5);
	assert_int_equal(misses.upper_bound, 5);
	assert_int_equal(status.skip_span_count, 1);
	assert_int_equal(status.skip_spans[0].count, 5);
	assert_true(status.skip_spans[0].after > 1);

	/* ftrace did not call a front program, and the kernel skipped all copies: copy 1 counts it
	 */
	controls[0].front_found[KMT_COPIED_CACHE_ALLOC] = 10;
	missed++;
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, 6);
	assert_int_equal(status.skip_span_count, 2);
	assert_int_equal(status.skip_spans[1].after, 1);
	assert_int_equal(status.skip_spans[1].count, 1);
	recursion_misses_by_cpu(&misses, &programs, &rings, list);
	assert_int_equal(list[0] + list[1], 6);
	status_deinit(&status);
}

/* The last skipped events are placed in the last second, even if the exact sum is not larger. */
static void places_the_last_events_by_front_programs(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;

	(void)state;
	programs.copies.count = 4;
	front = true;
	recursion_misses_init(&misses, 1);
	read_often(&misses, &status);
	front_missed = 9;
	missed = 4;
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, 4);
	assert_int_equal(status.skip_span_count, 1);
	assert_true(status.skip_spans[0].after > 1);
	status_deinit(&status);
}

/* 3 events of a task that is preempted for longer than all readings take. */
static void a_cpu_is_not_known_when_more_was_reported_than_skipped(void **state)
{
	struct status status = { 0 };
	struct recursion_misses misses;
	uint64_t list[2];

	(void)state;
	programs.copies.count = 4;
	front = true;
	recursion_misses_init(&misses, 1);
	read_misses(&misses, &status);
	front_missed = 3;
	read_often(&misses, &status);
	assert_int_equal(misses.reported, 3);
	controls[1].from_first = 3;
	assert_int_equal(recursion_misses_finish(&misses, &programs, &rings, &status), 0);
	assert_int_equal(misses.reported, 3);
	recursion_misses_by_cpu(&misses, &programs, &rings, list);
	assert_true(list[0] == STATUS_UNKNOWN);
	assert_true(list[1] == STATUS_UNKNOWN);
	status_deinit(&status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(reports_misses_one_reading_later, start_misses),
		cmocka_unit_test_setup(does_not_report_a_free_that_a_backup_program_records_later,
				       start_misses),
		cmocka_unit_test_setup(reports_nothing_while_backup_programs_record, start_misses),
		cmocka_unit_test_setup(reports_all_misses_at_the_end, start_misses),
		cmocka_unit_test_setup(with_copies_waits_for_tasks_that_are_preempted,
				       start_misses),
		cmocka_unit_test_setup(counts_what_front_programs_and_copies_skip, start_misses),
		cmocka_unit_test_setup(places_the_last_events_by_front_programs, start_misses),
		cmocka_unit_test_setup(a_cpu_is_not_known_when_more_was_reported_than_skipped,
				       start_misses),
	};

	return cmocka_run_group_tests_name("recursion_misses", tests, NULL, NULL);
}
