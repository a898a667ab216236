// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A change of a list of symbols, from the states of the modules before and after a reading. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tracer/host/kallsyms.h"

static const struct phase_of_module base[] = {
	{ "young", 9, MODULE_LOADING },
	{ "plant", 7, MODULE_LOADED },
};

/* Compares these modules with base, both ways. */
static bool is_same(const struct phase_of_module *list, size_t count, bool ending)
{
	struct phase_of_module copies[2][2];
	struct module_phases before = { copies[0], 2 }, after = { copies[1], count };
	bool same;

	memcpy(copies[0], base, sizeof(base));
	if (count)
		memcpy(copies[1], list, count * sizeof(*list));
	same = module_phases_same(&before, &after, ending);
	assert_int_equal(module_phases_same(&after, &before, ending), same);
	return same;
}

/* The init functions still run, or have ended before: no list was replaced. */
static void nothing_has_changed(void **state)
{
	const struct module_phases none = { 0 };

	(void)state;
	assert_true(is_same(base, 2, false));
	assert_true(module_phases_same(&none, &none, false));
}

/* Its symbols were replaced while kallsyms was read: a reader missed some. */
static void an_init_function_has_ended(void **state)
{
	struct phase_of_module now[2];

	(void)state;
	memcpy(now, base, sizeof(base));
	now[0].phase = MODULE_LOADED;
	assert_false(is_same(now, 2, false));
	assert_false(is_same(now, 2, true));
	now[0].phase = MODULE_ENDING;
	assert_false(is_same(now, 2, true));
}

static void a_module_came_or_has_gone(void **state)
{
	struct phase_of_module now[2];

	(void)state;
	assert_false(is_same(base, 1, true));
	assert_false(is_same(base, 0, true));
	memcpy(now, base, sizeof(base));
	strcpy(now[0].name, "other");
	assert_false(is_same(now, 2, true));
	/* unloaded and loaded again */
	memcpy(now, base, sizeof(base));
	now[1].id = 8;
	assert_false(is_same(now, 2, true));
}

/* The kernel replaces the list at a time that no file shows. */
static void an_ending_init_function_is_in_doubt(void **state)
{
	struct phase_of_module module = { "young", 9, MODULE_ENDING };
	struct module_phases phases = { &module, 1 };

	(void)state;
	assert_false(module_phases_same(&phases, &phases, false));
	assert_true(module_phases_same(&phases, &phases, true));
}

/* Each line of /proc/modules is one, and what does not change is the same. */
static void reads_the_modules_of_this_machine(void **state)
{
	struct module_phases before, after;
	size_t lines = 0;
	FILE *file;
	int err;

	(void)state;
	err = module_phases_read(&before);
	file = fopen("/proc/modules", "re");
	if (!file) {
		assert_int_equal(err, -ENOENT);
		return;
	}
	assert_int_equal(err, 0);
	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	fclose(file);
	assert_int_equal(module_phases_read(&after), 0);
	assert_int_equal(after.count, lines);
	assert_true(module_phases_same(&before, &after, true));
	for (size_t i = 0; i < after.count; i++)
		assert_int_not_equal(after.list[i].phase, MODULE_LOADING);
	module_phases_deinit(&before);
	module_phases_deinit(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_changed),
		cmocka_unit_test(an_init_function_has_ended),
		cmocka_unit_test(a_module_came_or_has_gone),
		cmocka_unit_test(an_ending_init_function_is_in_doubt),
		cmocka_unit_test(reads_the_modules_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
