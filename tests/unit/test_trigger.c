// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Triggers: their texts with the columns of errors, the window of a growth, and when they fire. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tracer/triggers/trigger_state.h"

#define SECOND 1000000000ULL
#define MINUTE (60 * SECOND)
#define TENTH (SECOND / 10)
#define MIB (1024ULL * 1024)
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct trigger parse_trigger(const char *text)
{
	struct trigger_error error;
	struct trigger trigger;

	if (trigger_parse(&trigger, text, &error))
		fail_msg("%s: column %zu: %s", text, error.column, error.text);
	assert_string_equal(trigger.text, text);
	return trigger;
}

static void reads_each_kind(void **state)
{
	struct trigger trigger = parse_trigger("live > 2G");

	(void)state;
	assert_int_equal(trigger.kind, TRIGGER_LIVE);
	assert_int_equal(trigger.scope, TRIGGER_OF_ALL);
	assert_int_equal(trigger.bytes, 2048 * MIB);
	assert_int_equal(trigger.window_ns, 0);
	trigger = parse_trigger("growth(dentry) > 100M/10m");
	assert_int_equal(trigger.kind, TRIGGER_GROWTH);
	assert_int_equal(trigger.scope, TRIGGER_OF_NAME);
	assert_string_equal(trigger.name, "dentry");
	assert_int_equal(trigger.bytes, 100 * MIB);
	assert_int_equal(trigger.window_ns, 10 * MINUTE);
	trigger = parse_trigger("lost > 0.1%");
	assert_int_equal(trigger.kind, TRIGGER_LOST);
	assert_true(trigger.percent == 0.1);
	assert_int_equal(trigger.window_ns, 10 * SECOND);
	trigger = parse_trigger("skipped > 2%/1m");
	assert_int_equal(trigger.kind, TRIGGER_SKIPPED);
	assert_true(trigger.percent == 2);
	assert_int_equal(trigger.window_ns, MINUTE);
	assert_int_equal(parse_trigger("oom").kind, TRIGGER_OOM);
	trigger = parse_trigger("  growth\t>0 / 1.5s ");
	assert_int_equal(trigger.scope, TRIGGER_OF_ALL);
	assert_int_equal(trigger.bytes, 0);
	assert_int_equal(trigger.window_ns, 3 * SECOND / 2);
}

static void name_may_have_any_characters(void **state)
{
	static const struct {
		const char *text, *name;
		enum trigger_scope scope;
	} names[] = {
		{ "live(kmalloc-64)>1", "kmalloc-64", TRIGGER_OF_NAME },
		{ "live(dentry(5:init.scope)) > 1", "dentry(5:init.scope)", TRIGGER_OF_NAME },
		{ "live(a b > c) > 1", "a b > c", TRIGGER_OF_NAME },
		{ "live(a) > b)>1", "a) > b", TRIGGER_OF_NAME },
		{ "live(:a-0000128) > 1", ":a-0000128", TRIGGER_OF_NAME },
		{ "live(cache:d_alloc) > 1", "d_alloc", TRIGGER_OF_CACHE },
		{ "live(function:d_alloc) > 1", "d_alloc", TRIGGER_OF_FUNCTION },
		{ "live(function:f(x)) > 1", "f(x)", TRIGGER_OF_FUNCTION },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct trigger trigger = parse_trigger(names[i].text);

		assert_string_equal(trigger.name, names[i].name);
		assert_int_equal(trigger.scope, names[i].scope);
	}
}

static void error_names_the_column(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *part; /* of the message */
	} wrong[] = {
		{ "", 1, "write live, growth" },
		{ "   ", 4, "write live, growth" },
		{ "life > 2G", 1, "did you mean live?" },
		{ "live", 5, "write live > SIZE" },
		{ "live >= 2G", 6, "write live > SIZE" },
		{ "live < 2G", 6, "write live > SIZE" },
		{ "live >", 7, "limit is missing" },
		{ "live > 2T", 8, "\"2T\" is not a size" },
		{ "live > -2", 8, "\"-2\" is not a size" },
		{ "live > 1%", 8, "\"1%\" is not a size" },
		{ "live > 99999999999G", 8, "is not a size" },
		{ "live > 2G/10m", 10, "live has no duration" },
		{ "live > 2G 3", 11, "nothing may follow" },
		{ "live() > 2G", 6, "name of a slab cache" },
		{ "live(cache:) > 2G", 12, "name of a slab cache" },
		{ "live(x > 2G", 5, "write live > SIZE" },
		{ "live(x) y > 2G", 5, "write live > SIZE" },
		{ "growth > 2G", 12, "duration is missing" },
		{ "growth > 2G/", 13, "\"\" is not a duration" },
		{ "growth > 2G/0.9s", 13, "from 1s to 24h" },
		{ "growth > 2G/25h", 13, "from 1s to 24h" },
		{ "growth > 2G/often", 13, "\"often\" is not a duration" },
		{ "lost(dentry) > 1%", 5, "all events only" },
		{ "lost > 1", 8, "\"1\" is not a share" },
		{ "lost > 100%", 8, "below 100" },
		{ "lost > 1.2.3%", 8, "is not a share" },
		{ "lost > .%", 8, "is not a share" },
		{ "lost > 1e1%", 8, "is not a share" },
		{ "lost > nan%", 8, "is not a share" },
		{ "oom > 1", 5, "nothing may follow" },
		{ "oomm", 1, "did you mean oom?" },
	};
	char text[TRIGGER_LENGTH + 1];
	struct trigger_error error;
	struct trigger trigger;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		if (!trigger_parse(&trigger, wrong[i].text, &error))
			fail_msg("%s: no error", wrong[i].text);
		if (error.column != wrong[i].column || !strstr(error.text, wrong[i].part))
			fail_msg("%s: column %zu: %s", wrong[i].text, error.column, error.text);
	}
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_not_equal(trigger_parse(&trigger, text, &error), 0);
	assert_non_null(strstr(error.text, "longer than"));
}

static void open_trigger(struct trigger_state *trigger, const char *text)
{
	const struct trigger about = parse_trigger(text);

	assert_int_equal(trigger_state_init(trigger, &about), 0);
}

static bool step_trigger(struct trigger_state *trigger, uint64_t time, uint64_t part,
			 uint64_t whole)
{
	const struct trigger_sample reading = { time, part, whole, UINT64_MAX };

	return trigger_state_step(trigger, &reading, MINUTE);
}

static void fires_once_and_again_after_it_was_false(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "live > 100");
	assert_false(step_trigger(&trigger, 1 * SECOND, 99, 0));
	assert_false(step_trigger(&trigger, 2 * SECOND, 100, 0));
	assert_true(step_trigger(&trigger, 3 * SECOND, 101, 0));
	assert_int_equal(trigger.value, 101);
	/* it stays true, much longer than the pause */
	for (uint64_t time = 4; time < 400; time++)
		assert_false(step_trigger(&trigger, time * SECOND, 1000 + time, 0));
	assert_false(step_trigger(&trigger, 400 * SECOND, 100, 0));
	assert_true(step_trigger(&trigger, 401 * SECOND, 101, 0));
	trigger_state_deinit(&trigger);
}

static void waits_for_the_end_of_the_pause(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "live > 100");
	assert_true(step_trigger(&trigger, 10 * SECOND, 101, 0));
	assert_false(step_trigger(&trigger, 11 * SECOND, 100, 0));
	assert_false(step_trigger(&trigger, 12 * SECOND, 101, 0));
	assert_false(step_trigger(&trigger, 70 * SECOND - 1, 101, 0));
	/* it became true in the pause, and still is */
	assert_true(step_trigger(&trigger, 70 * SECOND, 102, 0));
	assert_false(step_trigger(&trigger, 71 * SECOND, 102, 0));
	/* it is false again when the pause ends */
	assert_false(step_trigger(&trigger, 80 * SECOND, 0, 0));
	assert_false(step_trigger(&trigger, 90 * SECOND, 200, 0));
	assert_false(step_trigger(&trigger, 100 * SECOND, 0, 0));
	assert_false(step_trigger(&trigger, 200 * SECOND, 0, 0));
	assert_true(step_trigger(&trigger, 201 * SECOND, 101, 0));
	trigger_state_deinit(&trigger);
}

static void growth_counts_from_the_begin_of_its_window(void **state)
{
	struct trigger_state trigger;

	(void)state;
	/* 10 bytes a second: 100 in a window, never more than that */
	open_trigger(&trigger, "growth > 101/10s");
	for (uint64_t i = 0; i < 3000; i++) {
		assert_false(step_trigger(&trigger, SECOND + i * TENTH, i, 0));
		assert_int_equal(trigger.value, i < 100 ? i : 100);
	}
	/* a growth is there at once, and as long as the window */
	assert_true(step_trigger(&trigger, SECOND + 3000 * TENTH, 3000 + 2, 0));
	assert_int_equal(trigger.value, 102);
	for (uint64_t i = 3001; i < 3100; i++) {
		assert_false(step_trigger(&trigger, SECOND + i * TENTH, 5000, 0));
		assert_true(trigger.was_true);
	}
	for (uint64_t i = 3100; i < 3201; i++)
		assert_false(step_trigger(&trigger, SECOND + i * TENTH, 5000, 0));
	assert_int_equal(trigger.value, 0);
	/* what shrinks does not grow */
	assert_false(step_trigger(&trigger, SECOND + 3201 * TENTH, 10, 0));
	assert_int_equal(trigger.value, 0);
	assert_true(step_trigger(&trigger, SECOND + 3800 * TENTH, 112, 0));
	assert_int_equal(trigger.value, 102);
	trigger_state_deinit(&trigger);
}

/* Readings come more often than samples are kept: the window is too long by one of these. */
static void long_window_is_exact_to_a_part_in_4096(void **state)
{
	const uint64_t window = 24 * 60 * MINUTE, spacing = window / TRIGGER_HISTORY_SAMPLES + 1;
	struct trigger_state trigger;
	uint64_t time = SECOND;

	(void)state;
	open_trigger(&trigger, "growth > 1G/24h");
	for (; time < 3 * window; time += SECOND) {
		step_trigger(&trigger, time, time / SECOND, 0);
		if (time - SECOND < window)
			assert_int_equal(trigger.value, (time - SECOND) / SECOND);
		else
			assert_in_range(trigger.value, window / SECOND,
					(window + spacing) / SECOND + 1);
	}
	trigger_state_deinit(&trigger);
}

static void share_is_that_of_the_last_events(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "lost > 1%/2s");
	assert_false(step_trigger(&trigger, 1 * SECOND, 0, 0));
	assert_false(step_trigger(&trigger, 2 * SECOND, 0, 0));
	assert_false(step_trigger(&trigger, 3 * SECOND, 10, 1000)); /* 1 % is not more than 1 % */
	assert_true(trigger.percent == 1);
	assert_true(step_trigger(&trigger, 4 * SECOND, 30, 2000));
	assert_true(trigger.percent == 1.5);
	assert_int_equal(trigger.value, 30);
	/* no new loss: after 2 s the share is 0, whatever it was since the begin */
	assert_false(step_trigger(&trigger, 5 * SECOND, 30, 2000));
	assert_false(step_trigger(&trigger, 6 * SECOND, 30, 2000));
	assert_true(trigger.percent == 0);
	assert_false(trigger.was_true);
	trigger_state_deinit(&trigger);
}

static void each_kill_fires_but_for_the_pause(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "oom");
	assert_false(step_trigger(&trigger, 1 * SECOND, 0, 0));
	assert_true(step_trigger(&trigger, 2 * SECOND, 1, 0));
	assert_int_equal(trigger.value, 1);
	assert_false(step_trigger(&trigger, 3 * SECOND, 1, 0));
	assert_false(step_trigger(&trigger, 4 * SECOND, 3, 0));
	assert_false(step_trigger(&trigger, 70 * SECOND, 3, 0));
	/* its message counts those in the pause */
	assert_true(step_trigger(&trigger, 71 * SECOND, 4, 0));
	assert_int_equal(trigger.value, 3);
	trigger_state_deinit(&trigger);
}

static bool step_audited(struct trigger_state *trigger, uint64_t time, uint64_t part,
			 uint64_t audited)
{
	const struct trigger_sample reading = { time, part, .audited = audited };

	return trigger_state_step(trigger, &reading, MINUTE);
}

/* Some of the live bytes may be of objects that were freed without an event. */
static void waits_for_a_reading_of_the_allocator(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "live > 100M");
	assert_false(step_audited(&trigger, 10 * SECOND, 90 * MIB, 0));
	assert_false(trigger.needs_audit);
	assert_false(step_audited(&trigger, 11 * SECOND, 110 * MIB, 0));
	assert_true(trigger.needs_audit);
	/* this reading began before; what it ended is not enough */
	assert_false(step_audited(&trigger, 12 * SECOND, 105 * MIB, 10 * SECOND));
	assert_true(trigger.needs_audit);
	/* it was only an error */
	assert_false(step_audited(&trigger, 13 * SECOND, 50 * MIB, 12 * SECOND));
	assert_false(trigger.needs_audit);
	assert_false(step_audited(&trigger, 14 * SECOND, 110 * MIB, 12 * SECOND));
	assert_true(trigger.needs_audit);
	assert_true(step_audited(&trigger, 16 * SECOND, 105 * MIB, 15 * SECOND));
	assert_false(trigger.needs_audit);
	assert_false(step_audited(&trigger, 17 * SECOND, 120 * MIB, 15 * SECOND));
	assert_false(trigger.needs_audit);
	trigger_state_deinit(&trigger);
}

/* The begin of a long window has no error: it is right after a reading. */
static void compares_growth_with_a_reading(void **state)
{
	struct trigger_state trigger;

	(void)state;
	open_trigger(&trigger, "growth > 100M/1m");
	assert_false(step_audited(&trigger, 10 * SECOND, 10 * MIB, 0));
	assert_false(step_audited(&trigger, 40 * SECOND, 200 * MIB, 0)); /* 180 of them are freed */
	assert_true(trigger.needs_audit);
	assert_false(step_audited(&trigger, 41 * SECOND, 20 * MIB, 40 * SECOND));
	assert_false(step_audited(&trigger, 60 * SECOND, 110 * MIB, 40 * SECOND)); /* 80 */
	assert_false(step_audited(&trigger, 70 * SECOND, 40 * MIB, 69 * SECOND));
	/* a minute ago there were 20, and not the 110 of a moment later */
	assert_false(step_audited(&trigger, 121 * SECOND, 125 * MIB, 69 * SECOND));
	assert_true(trigger.needs_audit);
	assert_true(step_audited(&trigger, 122 * SECOND, 125 * MIB, 121 * SECOND));
	assert_int_equal(trigger.value, 105 * MIB);
	trigger_state_deinit(&trigger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_kind),
		cmocka_unit_test(name_may_have_any_characters),
		cmocka_unit_test(error_names_the_column),
		cmocka_unit_test(fires_once_and_again_after_it_was_false),
		cmocka_unit_test(waits_for_the_end_of_the_pause),
		cmocka_unit_test(growth_counts_from_the_begin_of_its_window),
		cmocka_unit_test(long_window_is_exact_to_a_part_in_4096),
		cmocka_unit_test(share_is_that_of_the_last_events),
		cmocka_unit_test(each_kill_fires_but_for_the_pause),
		cmocka_unit_test(waits_for_a_reading_of_the_allocator),
		cmocka_unit_test(compares_growth_with_a_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
