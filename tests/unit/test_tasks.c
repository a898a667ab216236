// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tasks by thread id and time. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
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

static void written_tasks_are_parsed(void **state)
{
	static const struct task odd[] = {
		{ 1, 2, 3, "", true, 5 }, /* without a name there is no uid */
		{ 2, UINT32_MAX, UINT64_MAX, "(sd pam) \\\t\x01", true, UINT32_MAX - 1 },
	};
	struct tasks tasks;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(task_write(file, &odd[0]), 0);
	assert_int_equal(task_write(file, &odd[1]), 0);
	fclose(file);
	assert_string_equal(text, "task 1 3 2 \ntask 2 18446744073709551615 4294967295 "
				  "(sd\\x20pam)\\x20\\x5c\\x09\\x01 4294967294\n");
	assert_int_equal(tasks_parse(&tasks, text), 0);
	assert_int_equal(tasks.count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tasks.list[i].tid, odd[i].tid);
		assert_int_equal(tasks.list[i].tgid, odd[i].tgid);
		assert_true(tasks.list[i].since == odd[i].since);
		assert_string_equal(tasks.list[i].comm, odd[i].comm);
		assert_true(tasks.list[i].has_uid == (i == 1));
	}
	assert_int_equal(tasks.list[1].uid, odd[1].uid);
	tasks_deinit(&tasks);
	free(text);
}

static void a_user_is_known_from_a_line_on(void **state)
{
	struct tasks tasks;

	(void)state;
	assert_int_equal(tasks_parse(&tasks, "task 1 0 1 a 0\ntask 2 0 2 b 1000\n"
					     "task 2 10 2 c\ntask 2 20 3 d\ntask 2 30 3 e 7\n"
					     "task 3 0 3 f 4294967296\n"),
			 0);
	assert_true(tasks_find(&tasks, 1, 5)->has_uid);
	assert_int_equal(tasks_find(&tasks, 1, 5)->uid, 0);
	assert_int_equal(tasks_find(&tasks, 2, 5)->uid, 1000);
	/* the same thread of the same process keeps it, another process has another user */
	assert_true(tasks_find(&tasks, 2, 15)->has_uid);
	assert_int_equal(tasks_find(&tasks, 2, 15)->uid, 1000);
	assert_false(tasks_find(&tasks, 2, 25)->has_uid);
	assert_int_equal(tasks_find(&tasks, 2, 35)->uid, 7);
	assert_false(tasks_find(&tasks, 3, 5)->has_uid);
	tasks_deinit(&tasks);
}

static void names_of_users_are_found(void **state)
{
	static const struct user_name odd = { .uid = UINT32_MAX, .name = "a b\\\n\x1b" };
	struct tasks tasks;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(user_write(file, &odd), 0);
	fprintf(file, "user 1000 ann\nuser 0 root\nuser 1000 bob\ntask 1 0 1 a 1000\n"
		      "user 5\nuser x y\nuser 4294967296 z\n");
	fclose(file);
	assert_memory_equal(text, "user 4294967295 a\\x20b\\x5c\\x0a\\x1b\n", 35);
	assert_int_equal(tasks_parse(&tasks, text), 0);
	assert_int_equal(tasks.count, 1);
	assert_int_equal(tasks.users.count, 3); /* the first name of a user stays */
	assert_string_equal(users_find(&tasks.users, 0)->name, "root");
	assert_string_equal(users_find(&tasks.users, 1000)->name, "ann");
	assert_string_equal(users_find(&tasks.users, UINT32_MAX)->name, odd.name);
	assert_null(users_find(&tasks.users, 5));
	tasks_deinit(&tasks);
	free(text);
}

static void damaged_tasks_are_skipped(void **state)
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
		cmocka_unit_test(written_tasks_are_parsed),
		cmocka_unit_test(a_user_is_known_from_a_line_on),
		cmocka_unit_test(names_of_users_are_found),
		cmocka_unit_test(damaged_tasks_are_skipped),
	};

	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
