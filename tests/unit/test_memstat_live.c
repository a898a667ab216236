// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* memstat_sysctl_*(), with a statistics file that this test writes. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/stats/stats_file_layout.h"
#include "tests/unit/fail_malloc.h"
#include "tests/unit/fake_source.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

struct system {
	char *directory, *path;
	struct stats_file *stats_file;
	struct type_stats type_stats;
	struct type_stats_type *function, *cache;
	struct memory_type_list *list;
};

/* A function and a cache, published as of time 100. */
static int set_up_memstat_live(void **state)
{
	struct system *system = calloc(1, sizeof(*system));

	assert_non_null(system);
	system->directory = scratch_directory();
	system->path = scratch_path(system->directory, "memstat");
	assert_int_equal(setenv("KMEMTRACE_MEMSTAT", system->path, 1), 0);
	system->stats_file = hand_stats_file_create(system->path);
	hand_type_stats_init(&system->type_stats);
	system->function =
		hand_type_stats_add(&system->type_stats, TYPE_STATS_FUNCTION, "a_function [m]", 2);
	hand_type_stats_change(&system->type_stats, system->function, 1);
	system->cache = hand_type_stats_add(&system->type_stats, TYPE_STATS_CACHE, "a_cache", 1);
	system->cache->aliases = "one,two";
	hand_type_stats_change(&system->type_stats, system->cache, 2);
	hand_stats_file_write(system->stats_file, &system->type_stats, 100);
	system->list = memstat_mtl_alloc();
	assert_non_null(system->list);
	*state = system;
	return 0;
}

static int tear_down_memstat_live(void **state)
{
	struct system *system = *state;

	memstat_mtl_free(system->list);
	stats_file_remove(system->stats_file);
	hand_type_stats_deinit(&system->type_stats);
	free(system->path);
	scratch_remove(system->directory);
	free(system);
	return 0;
}

static struct memory_type *find_system_type(const struct system *system, int allocator,
					    const char *name)
{
	return memstat_mtl_find(system->list, allocator, name);
}

static void expect_walk(const struct system *system, const char *expected)
{
	char *walk = fake_walk(system->list);

	assert_string_equal(walk, expected);
	free(walk);
}

static void ask_system(const struct system *system)
{
	if (memstat_sysctl_all(system->list, 0))
		fail_msg("%s", memstat_mtl_errortext(system->list));
}

static void end_publisher(struct system *system)
{
	stats_file_remove(system->stats_file);
	system->stats_file = NULL;
}

static void assert_fails(const struct system *system, int error, int err, const char *text)
{
	static int (*const queries[])(struct memory_type_list *, int) = { memstat_sysctl_all,
									  memstat_sysctl_malloc,
									  memstat_sysctl_uma };

	for (size_t i = 0; i < 3; i++) {
		errno = 0;
		assert_int_equal(queries[i](system->list, 0), -1);
		assert_int_equal(errno, err);
		assert_int_equal(memstat_mtl_geterror(system->list), error);
		if (!strstr(memstat_mtl_errortext(system->list), text))
			fail_msg("'%s' is not in: %s", text, memstat_mtl_errortext(system->list));
	}
}

/* Newest first; malloc is read before UMA, and each alone. */
static void test_types(void **state)
{
	struct system *system = *state;
	struct memory_type *function;

	assert_int_equal(memstat_sysctl_malloc(system->list, 0), 0);
	expect_walk(system, "malloc:a_function [m]");
	fake_expect(system->list, "a_function [m]",
		    "malloc:a_function [m] sizemask 2 memalloced 160 memfreed 112 numallocs 10 "
		    "numfrees 7 bytes 48 count 3 failures 2 xdomain 3; 0: memalloced 3 memfreed 4 "
		    "numallocs 1 numfrees 2 sizemask 1; 1: memalloced 4 memfreed 5 numallocs 2 "
		    "numfrees 3 sizemask 2");
	function = find_system_type(system, ALLOCATOR_MALLOC, "a_function [m]");
	assert_int_equal(memstat_malloc_zone_get_count(), 3);
	assert_int_equal(memstat_malloc_zone_get_size(1), 16);
	assert_int_equal(memstat_malloc_zone_used(function, 1), 1);
	assert_int_equal(memstat_malloc_zone_used(function, 0), 0);
	assert_int_equal(memstat_sysctl_uma(system->list, 0), 0);
	fake_expect(system->list, "a_cache",
		    "uma:a_cache size 100 rsize 128 memalloced 2000 memfreed 1400 numallocs 20 "
		    "numfrees 14 bytes 600 count 6 free 7 failures 3 xdomain 4 kegfree 7; 0: "
		    "memalloced 200 memfreed 400 numallocs 2 numfrees 4");
	assert_non_null(find_system_type(system, ALLOCATOR_UMA, "two"));
	assert_ptr_equal(find_system_type(system, ALLOCATOR_UMA, "two"),
			 find_system_type(system, ALLOCATOR_ANY, "one"));
	assert_null(find_system_type(system, ALLOCATOR_MALLOC, "one"));
	hand_type_stats_add(&system->type_stats, TYPE_STATS_FUNCTION, "later", 0);
	hand_stats_file_write(system->stats_file, &system->type_stats, 101);
	ask_system(system);
	expect_walk(system, "malloc:later uma:a_cache malloc:a_function [m]");
}

static void test_refresh(void **state)
{
	struct system *system = *state;
	struct memory_type *type;
	const char *name;

	ask_system(system);
	type = find_system_type(system, ALLOCATOR_UMA, "a_cache");
	name = memstat_get_name(type);
	assert_int_equal(memstat_get_caller_uint64(type, 3), 0);
	memstat_set_caller_uint64(type, 3, 33);
	memstat_set_percpu_caller_pointer(type, 1, 2, system);
	for (uint64_t round = 3; round < 40; round++) {
		char another[20];

		snprintf(another, sizeof(another), "cache %d", (int)round);
		hand_type_stats_change(&system->type_stats, system->cache, round);
		if (round % 10 == 0)
			hand_type_stats_add(&system->type_stats, TYPE_STATS_CACHE, another, 1);
		hand_stats_file_write(system->stats_file, &system->type_stats, round * 100);
		ask_system(system);
		assert_int_equal(memstat_mtl_time(system->list), round * 100);
		assert_int_equal(memstat_mtl_begin(system->list), 1);
		assert_int_equal(memstat_mtl_cpus(system->list), 2);
		assert_int_equal(memstat_get_count(type), round * 3);
		if (round % 10 == 0)
			assert_string_equal(memstat_get_name(memstat_mtl_first(system->list)),
					    another);
	}
	assert_ptr_equal(find_system_type(system, ALLOCATOR_ANY, "a_cache"), type);
	assert_ptr_equal(memstat_get_name(type), name);
	assert_int_equal(memstat_get_caller_uint64(type, 3), 33);
	assert_ptr_equal(memstat_get_percpu_caller_pointer(type, 1, 2), system);
}

static void test_lost(void **state)
{
	struct system *system = *state;
	const struct stats_snapshot few = { .time = 1, .lost = 12 };
	const struct stats_snapshot unknown = { .time = 2, .lost = STATS_FILE_LOST_UNKNOWN };

	stats_file_write(system->stats_file, &system->type_stats, &few);
	assert_int_equal(memstat_sysctl_uma(system->list, 0), 0);
	assert_int_equal(memstat_mtl_lost(system->list, ALLOCATOR_UMA), 12);
	assert_int_equal(memstat_mtl_lost(system->list, ALLOCATOR_MALLOC), 0);
	stats_file_write(system->stats_file, &system->type_stats, &unknown);
	ask_system(system);
	assert_true(memstat_mtl_lost(system->list, ALLOCATOR_ANY) == MEMSTAT_LOST_UNKNOWN);
}

/* 20 objects were allocated since tracing began, and 4 before: at most 4 of the 5 unmatched frees
 * count. */
static void expect_base(const struct system *system, struct memory_type_list *list, bool expected)
{
	if (memstat_sysctl_uma(list, 0))
		fail_msg("%s", memstat_mtl_errortext(list));
	assert_int_equal(
		memstat_get_numallocs(memstat_mtl_find(list, ALLOCATOR_UMA, system->cache->name)),
		expected ? 24 : 20);
	assert_int_equal(
		memstat_get_numfrees(memstat_mtl_find(list, ALLOCATOR_UMA, system->cache->name)),
		expected ? 18 : 14);
}

/* The program's own choice goes before the environment, which goes before the file. */
static void test_base_without_a_call(void **state)
{
	struct system *system = *state;
	static const struct {
		bool in_file;
		const char *value;
		bool expected;
	} cases[] = {
		{ false, NULL, false }, { false, "1", true }, { false, "", false },
		{ false, "yes", true }, { true, NULL, true }, { true, "0", false },
		{ true, "", true },	{ true, "1", true },  { false, "0", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct stats_snapshot snapshot = { .time = 200 + i,
							 .with_base = cases[i].in_file };
		struct memory_type_list *list;

		stats_file_write(system->stats_file, &system->type_stats, &snapshot);
		if (cases[i].value)
			assert_int_equal(setenv("KMEMTRACE_MEMSTAT_BASE", cases[i].value, 1), 0);
		list = memstat_mtl_alloc();
		assert_int_equal(unsetenv("KMEMTRACE_MEMSTAT_BASE"), 0);
		expect_base(system, list, cases[i].expected);
		memstat_mtl_set_base(list, !cases[i].expected);
		expect_base(system, list, !cases[i].expected);
		memstat_mtl_set_base(list, cases[i].expected);
		expect_base(system, list, cases[i].expected);
		memstat_mtl_free(list);
	}
}

/* A file of a version that wrote nothing behind the header of a slot. */
static void test_file_of_an_older_version(void **state)
{
	struct system *system = *state;
	const struct stats_snapshot snapshot = { .time = 200, .with_base = true };
	struct stats_file_slot_more none = { 0 };
	struct stats_file_layout layout;
	int file;

	stats_file_write(system->stats_file, &system->type_stats, &snapshot);
	expect_base(system, system->list, true);
	stats_file_layout(&layout, 2, 8);
	file = open(system->path, O_WRONLY);
	assert_true(file >= 0);
	assert_int_equal(
		pwrite(file, &none, sizeof(none),
		       (off_t)(stats_file_slot_at(&layout, 2) + sizeof(struct stats_file_slot))),
		sizeof(none));
	close(file);
	expect_base(system, system->list, false);
}

static void test_flags(void **state)
{
	struct system *system = *state;
	size_t before = memstat_malloc_zone_get_count();

	errno = 0;
	assert_int_equal(memstat_sysctl_all(system->list, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(memstat_sysctl_malloc(system->list, -1), -1);
	errno = 0;
	assert_int_equal(memstat_sysctl_uma(system->list, 4), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(memstat_mtl_geterror(system->list), MEMSTAT_ERROR_DATAERROR);
	assert_null(memstat_mtl_first(system->list));
	assert_int_equal(memstat_malloc_zone_get_count(), before);
	errno = 0;
	assert_int_equal(memstat_sysctl_all(NULL, 0), -1);
	assert_int_equal(errno, EINVAL);
}

/* A failed query leaves the list unchanged, and its error stays until the next failure. */
static void test_no_publisher(void **state)
{
	struct system *system = *state;
	struct memory_type *type;
	char command[300];

	snprintf(command, sizeof(command), "'kmemtraced --publish=%s'", system->path);
	ask_system(system);
	type = find_system_type(system, ALLOCATOR_UMA, "a_cache");
	end_publisher(system);
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, ENOENT, command);
	assert_ptr_equal(find_system_type(system, ALLOCATOR_UMA, "a_cache"), type);
	assert_int_equal(memstat_get_numallocs(type), 20);
	assert_int_equal(memstat_mtl_time(system->list), 100);
	assert_non_null(memstat_mtl_next(memstat_mtl_first(system->list)));

	system->stats_file = hand_stats_file_create(system->path);
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, ENOENT, command);
	hand_type_stats_change(&system->type_stats, system->cache, 3);
	hand_type_stats_change(&system->type_stats, system->function, 3);
	hand_stats_file_write(system->stats_file, &system->type_stats, 200);
	errno = 12345;
	ask_system(system);
	assert_int_equal(errno, 12345);
	assert_int_equal(memstat_get_numallocs(type), 30);
	assert_int_equal(memstat_mtl_time(system->list), 200);
	assert_int_equal(memstat_mtl_geterror(system->list), MEMSTAT_ERROR_DATAERROR);
	assert_non_null(strstr(memstat_mtl_errortext(system->list), command));
}

/* The file of a publisher that was killed is not read. */
static void test_killed_publisher(void **state)
{
	struct system *system = *state;
	int status;
	pid_t child;

	end_publisher(system);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		system->stats_file = hand_stats_file_create(system->path);
		hand_stats_file_write(system->stats_file, &system->type_stats, 100);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(access(system->path, F_OK), 0);
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, ENOENT, "has ended");
}

static void test_permission(void **state)
{
	struct system *system = *state;
	int status;
	pid_t child;

	if (geteuid() != 0)
		skip(); /* only root can change its user */
	assert_int_equal(chmod(system->directory, 0711), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		assert_fails(system, MEMSTAT_ERROR_PERMISSION, EACCES, "--publish-group");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void overwrite_bytes(const struct system *system, const void *bytes, size_t size,
			    uint64_t at)
{
	int fd = open(system->path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)at), size);
	close(fd);
}

static void test_version(void **state)
{
	struct system *system = *state;
	const uint32_t version = 1000;

	overwrite_bytes(system, &version, sizeof(version),
			offsetof(struct stats_file_head, version));
	assert_fails(system, MEMSTAT_ERROR_VERSION, EPROTONOSUPPORT, "version 1000");
}

static void test_damaged(void **state)
{
	struct system *system = *state;
	struct stats_file_layout layout;
	const uint64_t wrong = UINT64_MAX;

	ask_system(system);
	stats_file_layout(&layout, 2, 8);
	overwrite_bytes(system, &wrong, sizeof(wrong),
			stats_file_slot_at(&layout, 1) + offsetof(struct stats_file_slot, types));
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, EBADMSG, "damaged");
	assert_int_equal(truncate(system->path, 100), 0);
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, EBADMSG, "damaged");
	assert_int_equal(truncate(system->path, 10), 0);
	assert_fails(system, MEMSTAT_ERROR_DATAERROR, EBADMSG, "is not a statistics file");
	assert_int_equal(memstat_get_numallocs(find_system_type(system, ALLOCATOR_UMA, "a_cache")),
			 20);
}

/* Any allocation may fail: the query fails and leaves the list unchanged. */
static void test_no_memory(void **state)
{
	bool failed = true;
	size_t calls;

	(void)state;
	for (calls = 0; failed && calls < 1000; calls++) {
		struct memory_type_list *list = memstat_mtl_alloc();
		int result;

		assert_non_null(list);
		fail_after(calls);
		errno = 0;
		result = memstat_sysctl_all(list, 0);
		fail_never(&failed);
		if (!failed) {
			assert_int_equal(result, 0);
		} else if (result) {
			assert_int_equal(errno, ENOMEM);
			assert_int_equal(memstat_mtl_geterror(list), MEMSTAT_ERROR_NOMEMORY);
			assert_null(memstat_mtl_first(list));
			assert_int_equal(memstat_sysctl_all(list, 0), 0);
		}
		assert_int_equal(
			memstat_get_numallocs(memstat_mtl_find(list, ALLOCATOR_UMA, "a_cache")),
			20);
		memstat_mtl_free(list);
	}
	assert_in_range(calls, 8, 999);
}

/* Without the variable: the default path, where a kmemtraced may publish. */
static void test_usual_path(void **state)
{
	struct system *system = *state;

	for (int i = 0; i < 2; i++) {
		if (i)
			setenv("KMEMTRACE_MEMSTAT", "", 1);
		else
			unsetenv("KMEMTRACE_MEMSTAT");
		if (memstat_sysctl_all(system->list, 0))
			assert_non_null(
				strstr(memstat_mtl_errortext(system->list), STATS_FILE_PATH));
		assert_null(find_system_type(system, ALLOCATOR_ANY, "a_function [m]"));
	}
	if (access(STATS_FILE_PATH, F_OK) && errno == ENOENT)
		assert_fails(system, MEMSTAT_ERROR_DATAERROR, ENOENT, "'kmemtraced --publish'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_flags, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_types, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_refresh, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_lost, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_base_without_a_call, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_file_of_an_older_version, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_no_publisher, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_killed_publisher, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_permission, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_version, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_damaged, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_no_memory, set_up_memstat_live,
						tear_down_memstat_live),
		cmocka_unit_test_setup_teardown(test_usual_path, set_up_memstat_live,
						tear_down_memstat_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
