// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tasks by thread id and time. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/tasks.h"

static const char *name_at(const struct tasks *tasks, uint32_t tid, uint64_t time)
{
	const struct task *task = tasks_find(tasks, tid, time);

	return task ? task->comm : "none";
}

static void names_change_with_time(void **state)
{
	struct tasks tasks;

	(void)state;
	assert_int_equal(tasks_parse(&tasks, "task 7 500 7 make\n"
					     "task 7 100 5 sh\n"
					     "task 0 0 0 swapper\n"
					     "task 4294967295 9 1 x\n"),
			 0);
	assert_int_equal(tasks.count, 4);
	assert_string_equal(name_at(&tasks, 7, 0), "sh");
	assert_string_equal(name_at(&tasks, 7, 499), "sh");
	assert_string_equal(name_at(&tasks, 7, 500), "make");
	assert_string_equal(name_at(&tasks, 7, UINT64_MAX), "make");
	assert_int_equal(tasks_find(&tasks, 7, 100)->tgid, 5);
	assert_string_equal(name_at(&tasks, 0, 3), "swapper");
	assert_string_equal(name_at(&tasks, UINT32_MAX, 3), "x");
	assert_string_equal(name_at(&tasks, 8, 3), "none");
	tasks_deinit(&tasks);
	assert_string_equal(name_at(&tasks, 7, 3), "none");
}

static void written_lines_are_parsed(void **state)
{
	static const struct task odd[] = {
		{ 1, 2, 3, "" },
		{ 2, UINT32_MAX, UINT64_MAX, "(sd pam) \\\t\x01" },
	};
	struct tasks tasks;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(tasks_write(file, &odd[0]), 0);
	assert_int_equal(tasks_write(file, &odd[1]), 0);
	fclose(file);
	assert_string_equal(text, "task 1 3 2 \ntask 2 18446744073709551615 4294967295 "
				  "(sd\\x20pam)\\x20\\x5c\\x09\\x01\n");
	assert_int_equal(tasks_parse(&tasks, text), 0);
	assert_int_equal(tasks.count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tasks.list[i].tid, odd[i].tid);
		assert_int_equal(tasks.list[i].tgid, odd[i].tgid);
		assert_true(tasks.list[i].since == odd[i].since);
		assert_string_equal(tasks.list[i].comm, odd[i].comm);
	}
	tasks_deinit(&tasks);
	free(text);
}

static void damaged_lines_are_skipped(void **state)
{
	struct tasks tasks;

	(void)state;
	assert_int_equal(tasks_parse(&tasks, "task\ntask a 0 1 b\ntask 4294967296 0 1 b\n"
					     "tasks 1 2 3 d\ntask 1 0x10 1 c\ntask 1 0 1x c\n"
					     "task 5 0 5 a_name_that_is_too_long\ntask 6 0"),
			 0);
	assert_int_equal(tasks.count, 1);
	assert_string_equal(tasks.list[0].comm, "a_name_that_is_");
	tasks_deinit(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_change_with_time),
		cmocka_unit_test(written_lines_are_parsed),
		cmocka_unit_test(damaged_lines_are_skipped),
	};

	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
