// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A reader gets each snapshot as it was written, whatever changed since the last one. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"

struct fixture {
	char *directory, *path;
	struct stats_file *stats_file;
	struct type_stats type_stats;
	struct stats_file_view view;
};

static int set_up_stats_file(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->directory = scratch_directory();
	fixture->path = scratch_path(fixture->directory, "memstat");
	fixture->stats_file = hand_stats_file_create(fixture->path);
	hand_type_stats_init(&fixture->type_stats);
	*state = fixture;
	return 0;
}

static int tear_down_stats_file(void **state)
{
	struct fixture *fixture = *state;

	stats_file_view_deinit(&fixture->view);
	stats_file_remove(fixture->stats_file);
	hand_type_stats_deinit(&fixture->type_stats);
	free(fixture->path);
	scratch_remove(fixture->directory);
	free(fixture);
	return 0;
}

static void read_snapshot(struct fixture *fixture)
{
	int err = stats_file_read(&fixture->view, fixture->path);

	if (err)
		fail_msg("%s", fixture->view.errmsg);
}

/* Creates the file again, with another capacity of types and CPUs. */
static void recreate_file(struct fixture *fixture, size_t functions, size_t caches, size_t cpus)
{
	const struct stats_file_settings settings = {
		.path = fixture->path,
		.group = (gid_t)-1,
		.cpus = cpus,
		.types_max = { functions, caches },
	};
	struct error error = { 0 };

	stats_file_remove(fixture->stats_file);
	fixture->stats_file = NULL;
	if (stats_file_create(&fixture->stats_file, &settings, &error))
		fail_msg("%s", error.text);
}

static void assert_same_type(const struct type_stats_type *got, const struct type_stats_type *type)
{
	struct type_stats_type copy = *got;
	size_t first = offsetof(struct type_stats_type, object_size);

	assert_int_equal(got->kind, type->kind);
	assert_string_equal(got->name, type->name);
	if (type->aliases)
		assert_string_equal(got->aliases, type->aliases);
	else
		assert_null(got->aliases);
	assert_int_equal(got->cpu_count, type->cpu_count);
	assert_memory_equal(got->cpus, type->cpus, type->cpu_count * sizeof(*type->cpus));
	/* compare all other bytes, so that later members of the struct are compared too */
	assert_int_equal(got->changed, 0);
	copy.aliases = type->aliases;
	copy.cpus = type->cpus;
	copy.changed = type->changed;
	assert_memory_equal((char *)&copy + first, (const char *)type + first,
			    sizeof(copy) - first);
}

static void assert_same(const struct fixture *fixture)
{
	assert_int_equal(fixture->view.count, fixture->type_stats.count);
	for (size_t i = 0; i < fixture->view.count; i++)
		assert_same_type(&fixture->view.types[i], &fixture->type_stats.types[i]);
}

static void test_everything(void **state)
{
	struct fixture *fixture = *state;
	const struct stats_snapshot snapshot = { .time = 5, .lost = 6, .begin = 7 };
	struct type_stats_type *type;

	type = hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, "a_function [module]",
				   2);
	hand_type_stats_change(&fixture->type_stats, type, 11);
	type = hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "a cache", 1);
	type->aliases = "one,two";
	hand_type_stats_change(&fixture->type_stats, type, 12);
	hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, "nothing", 0);
	stats_file_write(fixture->stats_file, &fixture->type_stats, &snapshot);
	read_snapshot(fixture);
	assert_same(fixture);
	assert_memory_equal(&fixture->view.snapshot, &snapshot, sizeof(snapshot));
	assert_int_equal(fixture->view.cpus, 2);
	assert_int_equal(fixture->view.class_count, 3);
	assert_memory_equal(fixture->view.class_bytes, fixture->type_stats.class_bytes,
			    3 * sizeof(size_t));
}

static void test_empty(void **state)
{
	struct fixture *fixture = *state;

	fixture->type_stats.class_count = 0;
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 9);
	read_snapshot(fixture);
	assert_int_equal(fixture->view.count, 0);
	assert_int_equal(fixture->view.class_count, 0);
	assert_int_equal(fixture->view.snapshot.time, 9);
}

/* Types that change rarely and types that change always are both right in each slot. */
static void test_changes(void **state)
{
	struct fixture *fixture = *state;
	struct type_stats_type *seldom, *often;

	seldom = hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "seldom", 2);
	often = hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "often", 2);
	for (uint64_t round = 1; round < 50; round++) {
		if (round % 7 == 1)
			hand_type_stats_change(&fixture->type_stats, seldom, round);
		if (round == 20)
			seldom->aliases = "late";
		if (round == 30)
			seldom->aliases = "later";
		if (round == 40)
			seldom->aliases = NULL;
		if (round % 10 == 0)
			seldom->changed = fixture->type_stats.generation;
		hand_type_stats_change(&fixture->type_stats, often, round);
		if (round == 25)
			hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, "new", 1);
		hand_stats_file_write(fixture->stats_file, &fixture->type_stats, round);
		if (round % 3 == 0)
			continue;
		read_snapshot(fixture);
		assert_same(fixture);
		assert_int_equal(fixture->view.snapshot.time, round);
	}
}

/* Only types with a new generation are written, so that a write is cheap. */
static void test_unchanged(void **state)
{
	struct fixture *fixture = *state;
	struct type_stats_type *type =
		hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "a", 1);

	for (int i = 0; i < 3; i++)
		hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
	type->numallocs = 77;
	for (int i = 0; i < 3; i++) {
		hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 2);
		read_snapshot(fixture);
		assert_int_equal(fixture->view.types[0].numallocs, 0);
	}
	type->changed = fixture->type_stats.generation;
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 3);
	read_snapshot(fixture);
	assert_int_equal(fixture->view.types[0].numallocs, 77);
}

/* Events of omitted types are added to those that were lost before. */
static void test_too_many_types(void **state)
{
	struct fixture *fixture = *state;
	struct stats_snapshot snapshot = { .lost = 1000 };
	char name[20];

	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "type %d", i);
		hand_type_stats_change(
			&fixture->type_stats,
			hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, name, 1), 1);
	}
	for (int i = 0; i < 3; i++) {
		stats_file_write(fixture->stats_file, &fixture->type_stats, &snapshot);
		fixture->type_stats.generation++;
		read_snapshot(fixture);
		assert_int_equal(fixture->view.count, 8);
		assert_string_equal(fixture->view.types[7].name, "type 7");
		/* each: 10 allocations, 7 frees, 2 failures, 4 unmatched frees */
		assert_int_equal(fixture->view.snapshot.lost, 1000 + 2 * 23);
	}
	snapshot.lost = STATS_FILE_LOST_UNKNOWN;
	stats_file_write(fixture->stats_file, &fixture->type_stats, &snapshot);
	read_snapshot(fixture);
	assert_true(fixture->view.snapshot.lost == STATS_FILE_LOST_UNKNOWN);
}

/* Eight types have 4096 bytes for their names. */
static void test_long_names(void **state)
{
	struct fixture *fixture = *state;
	char name[1500];
	struct type_stats_type *type;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = 0;
	for (int i = 0; i < 4; i++) {
		name[0] = (char)('a' + i);
		hand_type_stats_change(
			&fixture->type_stats,
			hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, name, 1), 1);
	}
	type = hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "short", 1);
	type->aliases = name;
	hand_type_stats_change(&fixture->type_stats, type, 1);
	for (int i = 0; i < 3; i++) {
		hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
		read_snapshot(fixture);
		assert_int_equal(fixture->view.count, 3);
		assert_int_equal(fixture->view.types[1].name[0], 'b');
		assert_int_equal(strlen(fixture->view.types[1].name), sizeof(name) - 1);
		assert_string_equal(fixture->view.types[2].name, "short");
		assert_null(fixture->view.types[2].aliases);
		assert_int_equal(fixture->view.snapshot.lost, 2 * 23);
	}
}

/* Type statistics may have more CPUs than were thought possible. */
static void test_too_many_cpus(void **state)
{
	struct fixture *fixture = *state;
	struct type_stats_type *type =
		hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "a", 5);

	hand_type_stats_change(&fixture->type_stats, type, 3);
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
	read_snapshot(fixture);
	assert_int_equal(fixture->view.types[0].cpu_count, 2);
	assert_memory_equal(fixture->view.types[0].cpus, type->cpus, 2 * sizeof(*type->cpus));
	assert_int_equal(fixture->view.types[0].numallocs, 30);
}

/* The file takes memory for the types and CPUs that exist, not for its capacity. */
static void test_memory(void **state)
{
	struct fixture *fixture = *state;
	size_t before, most;
	char name[20];

	recreate_file(fixture, 20000, 1000, 512);
	most = stats_file_bytes_max(fixture->stats_file);
	assert_true(most > (size_t)2 * 21000 * 512 * sizeof(struct type_stats_cpu));
	before = stats_file_bytes(fixture->stats_file);
	assert_in_range(before, 1, 1 << 20);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "type %d", i);
		hand_type_stats_change(
			&fixture->type_stats,
			hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, name, 2), 1);
	}
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
	assert_in_range(stats_file_bytes(fixture->stats_file), before + 1, before + (4 << 20));
	read_snapshot(fixture);
	assert_int_equal(fixture->view.cpus, 512);
	assert_same(fixture);
}

/* More types than one allocation step, added one by one, and CPUs that appear later. */
static void test_growing(void **state)
{
	struct fixture *fixture = *state;
	char name[20];

	recreate_file(fixture, 600, 100, 3);
	for (int i = 0; i < 700; i++) {
		snprintf(name, sizeof(name), "type %d", i);
		hand_type_stats_change(&fixture->type_stats,
				       hand_type_stats_add(&fixture->type_stats,
							   TYPE_STATS_FUNCTION, name,
							   i < 300 ? 1 : 3),
				       i);
		hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
		if (i % 13)
			continue;
		read_snapshot(fixture);
		assert_same(fixture);
	}
	assert_true(stats_file_bytes(fixture->stats_file) <=
		    stats_file_bytes_max(fixture->stats_file));
}

/* Runs in its own mount namespace with a small file system. Returns 0, or the failed step. */
static int fill_up(struct fixture *fixture)
{
	char name[40];
	struct error error = { 0 };
	struct stats_file_settings settings = {
		.path = fixture->path, .group = (gid_t)-1, .cpus = 2, .types_max = { 1000, 24 }
	};
	struct stats_file_omitted left_out;
	struct stats_file *stats_file;
	uint64_t lost;

	if (sysconf(_SC_PAGESIZE) != 4096 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", fixture->directory, "tmpfs", 0, "size=160k,mode=755"))
		return 77;
	if (stats_file_create(&stats_file, &settings, &error))
		return 1;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "a name of some length %d", i);
		hand_type_stats_change(
			&fixture->type_stats,
			hand_type_stats_add(&fixture->type_stats, TYPE_STATS_FUNCTION, name, 2), 1);
	}
	for (int i = 0; i < 5; i++)
		hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	if (stats_file_read(&fixture->view, fixture->path))
		return 2;
	if (fixture->view.count < 100 || fixture->view.count > 900)
		return 3;
	if (fixture->view.snapshot.lost != (1000 - fixture->view.count) * 23)
		return 4;
	lost = fixture->view.snapshot.lost;
	stats_file_omitted(stats_file, &fixture->type_stats, &left_out);
	if (left_out.err != ENOSPC || left_out.types != 1000 - fixture->view.count ||
	    left_out.events != lost)
		return 9;
	/* more space is used later */
	if (mount("none", fixture->directory, "tmpfs", MS_REMOUNT, "size=1m,mode=755"))
		return 5;
	for (int i = 0; i < 100; i++) {
		for (size_t k = 0; k < fixture->type_stats.count; k++)
			fixture->type_stats.types[k].changed = fixture->type_stats.generation;
		hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	}
	if (stats_file_read(&fixture->view, fixture->path) || !lost)
		return 6;
	if (fixture->view.count != 1000 || fixture->view.snapshot.lost)
		return 7;
	stats_file_omitted(stats_file, &fixture->type_stats, &left_out);
	if (left_out.err != ENOSPC || left_out.types || left_out.events)
		return 10;
	for (size_t i = 0; i < 1000; i++) {
		if (fixture->view.types[i].cpu_count != 2)
			return 8;
	}
	stats_file_remove(stats_file);
	umount(fixture->directory);
	return 0;
}

static void test_full_file_system(void **state)
{
	struct fixture *fixture = *state;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		_exit(fill_up(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(); /* only root may mount */
	assert_int_equal(status, 0);
}

/* A view that has read one file reads the next file at the same path. */
static void test_followed(void **state)
{
	struct fixture *fixture = *state;
	struct type_stats other;

	hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "the first one's", 2);
	hand_stats_file_write(fixture->stats_file, &fixture->type_stats, 1);
	read_snapshot(fixture);
	assert_string_equal(fixture->view.types[0].name, "the first one's");
	recreate_file(fixture, 10, 10, 3);
	hand_type_stats_init(&other);
	hand_type_stats_add(&other, TYPE_STATS_FUNCTION, "x", 1);
	hand_type_stats_add(&other, TYPE_STATS_FUNCTION, "another's", 1);
	hand_stats_file_write(fixture->stats_file, &other, 2);
	read_snapshot(fixture);
	assert_int_equal(fixture->view.count, 2);
	assert_int_equal(fixture->view.cpus, 3);
	assert_string_equal(fixture->view.types[0].name, "x");
	assert_string_equal(fixture->view.types[1].name, "another's");
	hand_type_stats_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_everything, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_empty, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_changes, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_unchanged, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_too_many_types, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_long_names, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_too_many_cpus, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_memory, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_growing, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_full_file_system, set_up_stats_file,
						tear_down_stats_file),
		cmocka_unit_test_setup_teardown(test_followed, set_up_stats_file,
						tear_down_stats_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
