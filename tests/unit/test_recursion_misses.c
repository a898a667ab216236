// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What was skipped and when, while events are counted as missed and as rescued meanwhile. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/recursion_misses.h"

/* In place of the kernel: what it counts, and what happens between two looks at it. */
static struct kmt_control controls[2];
static uint64_t missed;
static unsigned int rescued_while_read;

uint64_t programs_recursion_misses(const struct programs *programs)
{
	(void)programs;
	for (; rescued_while_read; rescued_while_read--) {
		missed++;
		controls[1].from_backup++;
	}
	return missed;
}

void programs_recursion_misses_by_cpu(const struct programs *programs, uint64_t *list)
{
	(void)programs;
	list[0] = missed;
	list[1] = STATUS_UNKNOWN;
}

static struct rings rings = { .possible_cpus = 2, .controls = controls };

static int start(void **state)
{
	(void)state;
	controls[0] = controls[1] = (struct kmt_control){ 0 };
	missed = rescued_while_read = 0;
	return 0;
}

static void read_skips(struct recursion_misses *skips, struct status *status)
{
	assert_int_equal(recursion_misses_read(skips, NULL, &rings, status), 0);
}

static void told_one_reading_later(void **state)
{
	struct status status = { 0 };
	struct recursion_misses skips;
	uint64_t times[2];

	(void)state;
	recursion_misses_init(&skips, 7);
	read_skips(&skips, &status);
	times[0] = skips.times[0];
	missed = 10;
	controls[0].from_backup = 4;
	controls[1].from_backup = 3;
	read_skips(&skips, &status);
	times[1] = skips.times[0];
	assert_int_equal(skips.told, 0);
	read_skips(&skips, &status);
	assert_int_equal(skips.told, 3);
	assert_int_equal(status.skip_count, 1);
	assert_int_equal(status.skips[0].count, 3);
	/* they came between the first two readings */
	assert_true(status.skips[0].after == times[0]);
	assert_true(status.skips[0].before > times[1]);
	read_skips(&skips, &status);
	assert_int_equal(status.skip_count, 1);
	status_deinit(&status);
}

/* An event that was missed and is rescued a moment later is never told. */
static void under_way(void **state)
{
	struct status status = { 0 };
	struct recursion_misses skips;

	(void)state;
	recursion_misses_init(&skips, 1);
	missed = 1;
	read_skips(&skips, &status);
	controls[0].from_backup = 1;
	read_skips(&skips, &status);
	read_skips(&skips, &status);
	assert_int_equal(skips.told, 0);
	assert_int_equal(status.skip_count, 0);
}

/* While something is rescued at each look, nothing is told, and the span stays open. */
static void never_quiet(void **state)
{
	struct status status = { 0 };
	struct recursion_misses skips;
	uint64_t time;

	(void)state;
	recursion_misses_init(&skips, 1);
	read_skips(&skips, &status);
	missed = 5;
	for (int i = 0; i < 3; i++) {
		rescued_while_read = 1000;
		read_skips(&skips, &status);
		rescued_while_read = 1000;
		time = skips.times[1];
	}
	rescued_while_read = 0;
	read_skips(&skips, &status);
	assert_int_equal(recursion_misses_finish(&skips, NULL, &rings, &status), 0);
	assert_int_equal(skips.told, 5);
	assert_int_equal(status.skip_count, 1);
	assert_true(status.skips[0].after <= time || time == 1);
	status_deinit(&status);
}

static void finished(void **state)
{
	struct status status = { 0 };
	uint64_t list[2], sum = 0;
	struct recursion_misses skips;

	(void)state;
	recursion_misses_init(&skips, 1);
	for (int i = 0; i < 20; i++) {
		missed += i;
		controls[0].from_backup += i / 2;
		read_skips(&skips, &status);
	}
	assert_true(skips.told < missed - controls[0].from_backup);
	assert_int_equal(recursion_misses_finish(&skips, NULL, &rings, &status), 0);
	assert_int_equal(skips.told, missed - controls[0].from_backup);
	for (size_t i = 0; i < status.skip_count; i++)
		sum += status.skips[i].count;
	assert_int_equal(sum, skips.told);
	recursion_misses_by_cpu(NULL, &rings, list);
	assert_int_equal(list[0], skips.told);
	assert_true(list[1] == STATUS_UNKNOWN);
	status_deinit(&status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(told_one_reading_later, start),
		cmocka_unit_test_setup(under_way, start),
		cmocka_unit_test_setup(never_quiet, start),
		cmocka_unit_test_setup(finished, start),
	};

	return cmocka_run_group_tests_name("skips", tests, NULL, NULL);
}
