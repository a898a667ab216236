// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A capture directory is written by its descriptor, whatever happens to its name and its files. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"
#include "tests/unit/scratch.h"

struct scene {
	struct directory directory;
	char *folder, *target, *moved, *other;
};

static int set_up_directory(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->folder = scratch_directory();
	scene->target = scratch_path(scene->folder, "data");
	scene->moved = scratch_path(scene->folder, "moved");
	scene->other = scratch_path(scene->folder, "other");
	assert_int_equal(directory_probe(&scene->directory, scene->target), 0);
	assert_int_equal(directory_make(&scene->directory), 0);
	*state = scene;
	return 0;
}

static int tear_down_directory(void **state)
{
	struct scene *scene = *state;

	directory_deinit(&scene->directory);
	scratch_remove(scene->folder);
	free(scene->target);
	free(scene->moved);
	free(scene->other);
	free(scene);
	return 0;
}

static bool exists_in(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);
	struct stat about;
	bool exists = !lstat(path, &about);

	free(path);
	return exists;
}

/* Puts a file with this text in the directory of the scene. */
static void write_table(struct scene *scene, const char *name, bool append, const char *text)
{
	FILE *file = directory_open(&scene->directory, name, append);

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(directory_close(&scene->directory, file, name), 0);
}

static void expect_table(const char *directory, const char *name, const char *expected)
{
	char *path = scratch_path(directory, name);
	size_t size;
	unsigned char *text = scratch_read(path, &size);

	assert_int_equal(size, strlen(expected));
	assert_memory_equal(text, expected, size);
	free(text);
	free(path);
}

static void link_in(struct scene *scene, const char *to, const char *name)
{
	char *path = scratch_path(scene->directory.path, name);

	assert_int_equal(symlink(to, path), 0);
	free(path);
}

static void files_go_with_the_directory(void **state)
{
	struct scene *scene = *state;
	char *kernel = scratch_path(scene->target, "kernel");

	write_table(scene, "kernel/caches", true, "first");
	assert_int_equal(directory_commit(&scene->directory), 0);
	assert_true(directory_is_in_place(&scene->directory));
	assert_int_equal(rename(scene->target, scene->moved), 0);
	assert_int_equal(mkdir(scene->target, 0700), 0);
	assert_int_equal(mkdir(scene->other, 0700), 0);
	assert_int_equal(symlink("../other", kernel), 0);
	assert_false(directory_is_in_place(&scene->directory));
	write_table(scene, "kernel/caches", true, ", second");
	write_table(scene, "kernel/.status", false, "status");
	assert_int_equal(directory_rename(&scene->directory, "kernel/.status", "kernel/status"), 0);
	expect_table(scene->moved, "kernel/caches", "first, second");
	expect_table(scene->moved, "kernel/status", "status");
	assert_int_equal(rmdir(scene->other), 0);
	free(kernel);
}

static void a_replaced_directory_gets_no_name(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *precious = scratch_path(directory->path, "cpu0");

	write_table(scene, "metadata", false, "metadata");
	assert_int_equal(rename(directory->path, scene->moved), 0);
	assert_int_equal(mkdir(directory->path, 0700), 0);
	scratch_write(precious, "precious", 8);
	assert_int_equal(directory_commit(directory), -ESTALE);
	assert_non_null(strstr(directory->errmsg, ": another program moved it while the capture"));
	assert_false(exists_in(scene->folder, "data"));
	directory_abandon(directory);
	expect_table(directory->path, "cpu0", "precious");
	assert_false(exists_in(scene->moved, "metadata"));
	free(precious);
}

/* A capture at this path, with this text as its metadata. */
static void make_capture(const char *path, const char *text)
{
	char *kernel = scratch_path(path, "kernel"), *metadata = scratch_path(path, "metadata");

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mkdir(kernel, 0700), 0);
	scratch_write(metadata, text, strlen(text));
	free(kernel);
	free(metadata);
}

static unsigned int count_entries(const char *path)
{
	DIR *list = opendir(path);
	unsigned int count = 0;

	assert_non_null(list);
	while (readdir(list))
		count++;
	closedir(list);
	return count - 2; /* . and .. */
}

static void undo_gives_all_captures_their_names(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *old = scratch_path(scene->folder, "data.old");

	make_capture(scene->target, "older");
	make_capture(old, "oldest");
	write_table(scene, "metadata", false, "new");
	assert_int_equal(directory_place(directory), 0);
	expect_table(scene->target, "metadata", "new");
	expect_table(old, "metadata", "older");
	assert_int_equal(count_entries(scene->folder), 3);
	/* another program that begins a capture there leaves the oldest one */
	directory_remove_left(directory->parent, directory->name);
	assert_int_equal(count_entries(scene->folder), 3);
	directory_undo(directory);
	expect_table(scene->target, "metadata", "older");
	expect_table(old, "metadata", "oldest");
	expect_table(directory->path, "metadata", "new");
	/* it can be placed again */
	assert_int_equal(directory_place(directory), 0);
	directory_settle(directory);
	expect_table(scene->target, "metadata", "new");
	expect_table(old, "metadata", "older");
	assert_int_equal(count_entries(scene->folder), 2);
	free(old);
}

static void no_name_changes_if_one_cannot(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *old = scratch_path(scene->folder, "data.old");
	char *other = scratch_path(old, "other");

	make_capture(scene->target, "older");
	make_capture(old, "oldest");
	scratch_write(other, "precious", 8);
	assert_int_equal(directory_commit(directory), -ENOTEMPTY);
	assert_non_null(strstr(directory->errmsg, ".old: is in the way of the older capture"));
	expect_table(scene->target, "metadata", "older");
	expect_table(old, "metadata", "oldest");
	expect_table(old, "other", "precious");
	free(other);
	free(old);
}

static void no_link_is_followed(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *precious = scratch_path(scene->folder, "precious");

	scratch_write(precious, "precious", 8);
	link_in(scene, "../precious", "cpu0");
	link_in(scene, "../../precious", "kernel/caches");
	link_in(scene, "..", "links");
	/* a new file takes the place of the link */
	write_table(scene, "cpu0", false, "stream");
	expect_table(directory->path, "cpu0", "stream");
	assert_null(directory_open(directory, "kernel/caches", true));
	assert_non_null(strstr(directory->errmsg, "/kernel/caches: Too many levels"));
	assert_null(directory_open(directory, "links/precious", true));
	assert_null(directory_open(directory, "links/precious", false));
	assert_null(directory_open_gz(directory, "links/precious", true));
	assert_int_equal(directory_read(directory, "kernel/caches"), -ELOOP);
	assert_int_equal(directory_rename(directory, "cpu0", "links/precious"), -ENOTDIR);
	expect_table(scene->folder, "precious", "precious");
	free(precious);
}

static void appends_to_files_of_its_own_only(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *precious = scratch_path(scene->folder, "precious");
	char *hard = scratch_path(directory->path, "kernel/tasks");
	char *pipe = scratch_path(directory->path, "kernel/slabinfo");
	int fd;

	scratch_write(precious, "precious", 8);
	assert_int_equal(link(precious, hard), 0);
	assert_null(directory_open(directory, "kernel/tasks", true));
	assert_int_equal(mkfifo(pipe, 0600), 0);
	fd = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_null(directory_open(directory, "kernel/slabinfo", true));
	assert_int_equal(directory_read(directory, "kernel/slabinfo"), -EINVAL);
	close(fd);
	assert_null(directory_open(directory, "kernel/slabinfo", true));
	expect_table(scene->folder, "precious", "precious");
	free(precious);
	free(hard);
	free(pipe);
}

static void abandon_removes_no_file_behind_a_link(void **state)
{
	struct scene *scene = *state;
	struct directory *directory = &scene->directory;
	char *file = scratch_path(scene->other, "file");

	assert_int_equal(mkdir(scene->other, 0700), 0);
	scratch_write(file, "precious", 8);
	link_in(scene, "../other", "cpu0");
	link_in(scene, "../../other", "kernel/more");
	directory_abandon(directory);
	assert_int_equal(access(directory->path, F_OK), -1);
	expect_table(scene->other, "file", "precious");
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_go_with_the_directory, set_up_directory,
						tear_down_directory),
		cmocka_unit_test_setup_teardown(undo_gives_all_captures_their_names,
						set_up_directory, tear_down_directory),
		cmocka_unit_test_setup_teardown(no_name_changes_if_one_cannot, set_up_directory,
						tear_down_directory),
		cmocka_unit_test_setup_teardown(a_replaced_directory_gets_no_name, set_up_directory,
						tear_down_directory),
		cmocka_unit_test_setup_teardown(no_link_is_followed, set_up_directory,
						tear_down_directory),
		cmocka_unit_test_setup_teardown(appends_to_files_of_its_own_only, set_up_directory,
						tear_down_directory),
		cmocka_unit_test_setup_teardown(abandon_removes_no_file_behind_a_link,
						set_up_directory, tear_down_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
