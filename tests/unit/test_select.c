// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options that select: what their texts mean, the errors of wrong texts, what is selected. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "analysis/select.h"

static void expect_window(const char *text, uint64_t after, uint64_t before)
{
	struct select select = { 0 };

	assert_int_equal(select_time(&select, text), 0);
	assert_int_equal(select.after, after);
	assert_int_equal(select.before, before);
	assert_false(select_is_partial(&select));
	select_deinit(&select);
}

/* The first error since the last call of this. */
static void expect_error(struct select *select, const char *text)
{
	assert_string_equal(select->error.text, text);
	select->error = (struct error){ 0 };
}

static void test_windows(void **state)
{
	struct select select = { .after = 7, .before = 9 };

	(void)state;
	expect_window("1,2", 1000000000, 2000000000);
	expect_window("10ms,", 10000000, 0);
	expect_window(",10ms", 0, 10000000);
	expect_window(",", 0, 0);
	assert_int_equal(select_time(&select, "5"), -EINVAL);
	expect_error(&select, "--time: \"5\" has no comma: give A,B, such as 0.5,2 or 10ms,");
	assert_int_equal(select_time(&select, "1,x"), -EINVAL);
	expect_error(&select,
		     "--time: \"x\" is not a time: give seconds, or a number with "
		     "ns, us, ms, s, m, h or d, or a date in UTC, such as 2026-11-23T14:05");
	assert_int_equal(select_time(&select, "y,1"), -EINVAL);
	expect_error(&select,
		     "--time: \"y\" is not a time: give seconds, or a number with "
		     "ns, us, ms, s, m, h or d, or a date in UTC, such as 2026-11-23T14:05");
	assert_int_equal(select_time(&select, "1,2,3"), -EINVAL);
	select.error = (struct error){ 0 };
	assert_int_equal(select_time(&select, "2,2"), -EINVAL);
	expect_error(&select, "--time: \"2,2\": the end must be after the start");
	assert_int_equal(select_time(&select, ",0"), -EINVAL);
	select.error = (struct error){ 0 };
	/* a refused option changes nothing */
	assert_int_equal(select.after, 7);
	assert_int_equal(select.before, 9);
	assert_int_equal(select_at(&select, "0"), -EINVAL);
	assert_int_equal(select_at(&select, "soon"), -EINVAL);
	select.error = (struct error){ 0 };
	assert_int_equal(select_at(&select, "3ms"), 0);
	assert_int_equal(select.after, 0);
	assert_int_equal(select.before, 3000000);
	assert_int_equal(select_older(&select, "1m"), 0);
	assert_int_equal(select.older, 60000000000);
	assert_int_equal(select_older(&select, "old"), -EINVAL);
	expect_error(&select, "--older: \"old\" is not a time: give seconds, or a number with "
			      "ns, us, ms, s, m, h or d");
	assert_false(select_is_partial(&select));
	select_deinit(&select);
}

static void test_dates(void **state)
{
	struct select select = { 0 };

	(void)state;
	assert_int_equal(select_time(&select, "1970-01-01T00:01,1970-01-02T00:00:00.5Z"), 0);
	assert_true(select.after_is_date && select.before_is_date);
	assert_int_equal(select.after, 60000000000);
	assert_int_equal(select.before, 86400500000000);
	/* a date and a time since the begin cannot be compared yet */
	assert_int_equal(select_time(&select, "1970-01-02T00:00,5"), 0);
	assert_true(select.after_is_date && !select.before_is_date);
	assert_int_equal(select_time(&select, "1970-01-02T00:01,1970-01-02T00:01"), -EINVAL);
	assert_int_equal(select_time(&select, "1970-01-02T00:00,0"), -EINVAL);
	assert_int_equal(select_at(&select, "1970-01-02T00:00"), 0);
	assert_true(!select.after_is_date && select.before_is_date && select.is_at);
	assert_int_equal(select.before, 86400000000000);
	assert_int_equal(select_at(&select, "7"), 0);
	assert_false(select.before_is_date);
	assert_int_equal(select_older(&select, "1970-01-02T00:00"), -EINVAL);
	select_deinit(&select);
}

static void test_sizes(void **state)
{
	static const char *const wrong[] = { "",     "-1", "k",		 "1kk", "1T",
					     "1.5k", "4G", "4294967296", "0x10" };
	struct select select = { 0 };

	(void)state;
	assert_true(select_takes_size(&select, 0));
	assert_true(select_takes_size(&select, UINT32_MAX));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(select_min_size(&select, wrong[i]), -EINVAL);
		assert_int_equal(select_max_size(&select, wrong[i]), -EINVAL);
	}
	select.error = (struct error){ 0 };
	assert_false(select_is_partial(&select));
	assert_int_equal(select_min_size(&select, "0"), 0);
	assert_false(select_is_partial(&select));
	assert_int_equal(select_max_size(&select, "4294967295"), 0);
	assert_true(select_is_partial(&select));
	assert_int_equal(select_min_size(&select, "1k"), 0);
	assert_int_equal(select.min_size, 1024);
	assert_int_equal(select_max_size(&select, "2M"), 0);
	assert_int_equal(select.max_size, 2097152);
	assert_false(select_takes_size(&select, 1023));
	assert_true(select_takes_size(&select, 1024));
	assert_true(select_takes_size(&select, 2097152));
	assert_false(select_takes_size(&select, 2097153));
	assert_int_equal(select_max_size(&select, "1000"), -EINVAL);
	expect_error(&select, "--min-size 1024 is more than --max-size 1000");
	assert_int_equal(select_max_size(&select, "3G"), 0);
	assert_int_equal(select.max_size, 3221225472);
	/* 0 alone is a bound: unmatched frees have size 0 */
	assert_int_equal(select_min_size(&select, "0"), 0);
	assert_int_equal(select_max_size(&select, "0"), 0);
	assert_true(select_takes_size(&select, 0));
	assert_false(select_takes_size(&select, 1));
	select_deinit(&select);
}

static void test_cpus(void **state)
{
	static const char *const wrong[] = { "",      "x",  "1,", ",1",	 "1,,2",       "2-1",
					     "1-2-3", "1-", "-1", "1 2", "4294967296", "1;2" };
	struct topology topology = { 0 };
	struct select select = { 0 };
	char many[400] = "1";

	(void)state;
	assert_int_equal(topology_parse(&topology, "cpu 0 node 0 online\ncpu 1 node 0 online\n"
						   "cpu 2 node 1 online\ncpu 3 node -1 online\n"),
			 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		select.error = (struct error){ 0 };
		if (select_list(&select, &select.cpus, "--cpu", wrong[i]) != -EINVAL)
			fail_msg("\"%s\" is accepted", wrong[i]);
	}
	expect_error(&select, "--cpu: \"1;2\" is not a list of numbers, such as 3 or 0-3,8");
	assert_false(select_is_partial(&select));

	assert_int_equal(select_list(&select, &select.cpus, "--cpu", "7,1-2,700-65535"), 0);
	assert_true(select_is_partial(&select));
	assert_false(select_takes_cpu(&select, &topology, 0));
	assert_true(select_takes_cpu(&select, &topology, 1));
	assert_true(select_takes_cpu(&select, &topology, 2));
	assert_true(select_takes_cpu(&select, &topology, 7));
	assert_false(select_takes_cpu(&select, &topology, 699));
	assert_true(select_takes_cpu(&select, &topology, UINT16_MAX));

	/* both options must select the CPU; a CPU whose node is unknown is on no node */
	assert_int_equal(select_list(&select, &select.nodes, "--node", "0"), 0);
	assert_true(select_takes_cpu(&select, &topology, 1));
	assert_false(select_takes_cpu(&select, &topology, 2));
	assert_false(select_takes_cpu(&select, &topology, 7));
	select.cpus.count = 0;
	assert_true(select_takes_cpu(&select, &topology, 0));
	assert_int_equal(select_list(&select, &select.nodes, "--node", "0-9"), 0);
	assert_true(select_takes_cpu(&select, &topology, 2));
	assert_false(select_takes_cpu(&select, &topology, 3));

	for (int i = 1; i < SELECT_LIST_MAX; i++)
		strcat(many, ",1-2");
	assert_int_equal(select_list(&select, &select.cpus, "--cpu", many), 0);
	strcat(many, ",1");
	assert_int_equal(select_list(&select, &select.cpus, "--cpu", many), -EINVAL);
	expect_error(&select, "--cpu: more than 64 numbers or ranges");
	assert_int_equal(select.cpus.count, 64);
	select_deinit(&select);
	topology_deinit(&topology);
}

static bool takes_task(const struct select *select, const struct tasks *tasks, uint32_t tid,
		       uint64_t time)
{
	const struct event event = { .task = tid, .time = time };

	return select_takes_task(select, tasks, &event);
}

static void test_tasks(void **state)
{
	struct tasks tasks = { 0 };
	struct select select = { 0 };
	const struct event in_softirq = { .task = 10, .context = KMT_CONTEXT_SOFTIRQ };

	(void)state;
	assert_int_equal(tasks_parse(&tasks, "task 10 0 10 sh\ntask 11 0 10 worker\n"
					     "task 10 500 10 cat\n"),
			 0);
	assert_true(takes_task(&select, &tasks, 12, 0));
	assert_int_equal(select_list(&select, &select.pids, "--pid", "10,12"), 0);
	assert_true(select_is_partial(&select));
	assert_true(takes_task(&select, &tasks, 10, 0));
	assert_true(takes_task(&select, &tasks, 11, 0));
	assert_true(takes_task(&select, &tasks, 12, 0));
	assert_false(takes_task(&select, &tasks, 13, 0));
	assert_int_equal(select_list(&select, &select.pids, "--pid", "11"), 0);
	assert_false(takes_task(&select, &tasks, 11, 0));

	select.pids.count = 0;
	assert_int_equal(select_comm(&select, "cat"), 0);
	assert_int_equal(select_comm(&select, "sh"), 0);
	assert_true(select_is_partial(&select));
	assert_true(takes_task(&select, &tasks, 10, 499));
	assert_false(takes_task(&select, &tasks, 10, 500));
	assert_false(takes_task(&select, &tasks, 11, 0));
	assert_false(takes_task(&select, &tasks, 12, 0));
	assert_false(select_takes_task(&select, &tasks, &in_softirq));
	assert_int_equal(select_comm(&select, "softirq"), 0);
	assert_true(select_takes_task(&select, &tasks, &in_softirq));
	assert_int_equal(select_list(&select, &select.pids, "--pid", "10"), 0);
	assert_false(select_takes_task(&select, &tasks, &in_softirq));
	select_deinit(&select);
	tasks_deinit(&tasks);
}

static void test_texts(void **state)
{
	struct select select = { 0 };

	(void)state;
	assert_int_equal(select_takes_site(&select, "anything"), 1);
	assert_int_equal(select_takes_cache(&select, ""), 1);
	assert_int_equal(select_site(&select, "ext4|^x+"), 0);
	assert_true(select_is_partial(&select));
	assert_int_equal(select_takes_site(&select, "f+0x1/0x2 [ext4]"), 1);
	assert_int_equal(select_takes_site(&select, "xxy+0x1"), 1);
	assert_int_equal(select_takes_site(&select, "a_xx+0x1"), 0);
	assert_int_equal(select_site(&select, "("), -EINVAL);
	assert_non_null(strstr(select.error.text, "--site: \"(\" is not a regular expression: "));
	/* a refused option changes nothing; the last option counts */
	assert_int_equal(select_takes_site(&select, "ext4"), 1);
	assert_int_equal(select_site(&select, "\\[btrfs\\]$"), 0);
	assert_int_equal(select_takes_site(&select, "ext4"), 0);
	assert_int_equal(select_takes_site(&select, "f+0x1/0x2 [btrfs]"), 1);
	assert_int_equal(select_cache(&select, "^dentry$"), 0);
	assert_int_equal(select_takes_cache(&select, "dentry"), 1);
	assert_int_equal(select_takes_cache(&select, "dentry2"), 0);
	assert_int_equal(select_takes_cache(&select, ""), 0);
	select_deinit(&select);
	assert_false(select_is_partial(&select));
	select_deinit(&select);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows), cmocka_unit_test(test_dates),
		cmocka_unit_test(test_sizes),	cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_tasks),	cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
