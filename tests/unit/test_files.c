// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whole files are read and copied. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "base/files.h"
#include "tests/unit/scratch.h"

static int set_up_files(void **state)
{
	*state = scratch_directory();
	return 0;
}

static void reads_a_file_up_to_its_limit(void **state)
{
	char *path = scratch_path(*state, "file"), *text = NULL;
	size_t size = 0;

	scratch_write(path, "a\0bc", 4);
	assert_int_equal(read_file(AT_FDCWD, path, 4, &text, &size), 0);
	assert_int_equal(size, 4);
	assert_memory_equal(text, "a\0bc", 5);
	free(text);
	assert_int_equal(read_file(AT_FDCWD, path, 3, &text, &size), -EFBIG);
	free(path);
}

static void reads_an_empty_file(void **state)
{
	char *path = scratch_path(*state, "file"), *text = NULL;
	size_t size = 42;

	scratch_write(path, "", 0);
	assert_int_equal(read_file(AT_FDCWD, path, 0, &text, &size), 0);
	assert_int_equal(size, 0);
	assert_string_equal(text, "");
	free(text);
	free(path);
}

static void reads_relative_to_a_directory(void **state)
{
	char *path = scratch_path(*state, "file"), *text = NULL;
	int directory = open(*state, O_RDONLY | O_DIRECTORY);

	scratch_write(path, "text", 4);
	assert_true(directory >= 0);
	assert_int_equal(read_file(directory, "file", 100, &text, NULL), 0);
	assert_string_equal(text, "text");
	close(directory);
	free(text);
	free(path);
}

/* /proc gives such files the size 0. */
static void reads_a_file_whose_size_is_unknown(void **state)
{
	char *text = NULL;
	size_t size = 0;

	(void)state;
	assert_int_equal(read_file(AT_FDCWD, "/proc/self/maps", 1 << 20, &text, &size), 0);
	assert_true(size > 1000);
	assert_int_equal(strlen(text), size);
	assert_int_equal(text[size - 1], '\n');
	free(text);
	assert_int_equal(read_file(AT_FDCWD, "/proc/self/maps", 100, &text, &size), -EFBIG);
	assert_int_equal(read_file(AT_FDCWD, "/proc/self/maps", 0, &text, &size), -EFBIG);
}

static void reads_regular_files_only(void **state)
{
	char *path = scratch_path(*state, "pipe"), *text = NULL;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(read_file(AT_FDCWD, path, 100, &text, NULL), -EINVAL);
	assert_int_equal(read_file(AT_FDCWD, *state, 100, &text, NULL), -EISDIR);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(read_file(AT_FDCWD, path, 100, &text, NULL), -ENOENT);
	free(path);
}

static void expect_file(const char *directory, const char *name, const void *bytes, size_t size)
{
	char *path = scratch_path(directory, name), *text = NULL;
	size_t got;

	assert_int_equal(read_file(AT_FDCWD, path, SIZE_MAX / 4, &text, &got), 0);
	assert_int_equal(got, size);
	assert_memory_equal(text, bytes, size);
	free(text);
	free(path);
}

static int make_directory(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);
	int fd;

	assert_int_equal(mkdir(path, 0700), 0);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	free(path);
	return fd;
}

static void begin_copy(struct file_copy *copy, const char *directory)
{
	*copy = (struct file_copy){ .mode = 0600 };
	copy->from = make_directory(directory, "from");
	copy->to = make_directory(directory, "to");
}

static void end_copy(const struct file_copy *copy)
{
	close(copy->from);
	close(copy->to);
}

static void copies_a_file_with_the_mode(void **state)
{
	char *from = scratch_path(*state, "from/file"), *to = scratch_path(*state, "to/file");
	size_t size = 100001;
	char *bytes = malloc(size);
	struct file_copy copy;
	struct stat about;

	begin_copy(&copy, *state);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(i * 7 + i / 256);
	scratch_write(from, bytes, size);
	assert_int_equal(copy_file(&copy, "file"), 0);
	expect_file(*state, "to/file", bytes, size);
	assert_int_equal(stat(to, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	end_copy(&copy);
	free(bytes);
	free(from);
	free(to);
}

static void failed_copy_names_the_file(void **state)
{
	char *from = scratch_path(*state, "from/file"), *to = scratch_path(*state, "to/file");
	struct file_copy copy;

	begin_copy(&copy, *state);
	assert_int_equal(copy_file(&copy, "file"), -ENOENT);
	assert_int_equal(copy.failed_in, copy.from);
	assert_string_equal(copy.failed, "file");
	scratch_write(from, "new", 3);
	scratch_write(to, "old", 3);
	assert_int_equal(copy_file(&copy, "file"), -EEXIST);
	assert_int_equal(copy.failed_in, copy.to);
	assert_string_equal(copy.failed, "file");
	expect_file(*state, "to/file", "old", 3);
	end_copy(&copy);
	free(from);
	free(to);
}

static void write_in(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);

	scratch_write(path, name, strlen(name));
	free(path);
}

static bool exists_in(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);
	bool exists = !access(path, F_OK);

	free(path);
	return exists;
}

static void copies_the_regular_files_of_a_folder(void **state)
{
	char *from = scratch_path(*state, "from/kernel");
	char *pipe = scratch_path(*state, "from/kernel/pipe");
	char *link = scratch_path(*state, "from/kernel/link"),
	     *to = scratch_path(*state, "to/kernel");
	struct file_copy copy;

	begin_copy(&copy, *state);
	copy.except = "status";
	close(make_directory(*state, "from/kernel"));
	close(make_directory(*state, "from/kernel/inner"));
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(symlink("inner", link), 0);
	write_in(from, "caches");
	write_in(from, ".hidden");
	write_in(from, "status");
	write_in(from, "inner/format");
	assert_int_equal(copy_folder(&copy, "kernel"), 0);
	expect_file(to, "caches", "caches", 6);
	expect_file(to, "inner/format", "inner/format", 12);
	assert_false(exists_in(to, ".hidden"));
	assert_false(exists_in(to, "status"));
	assert_false(exists_in(to, "pipe"));
	assert_false(exists_in(to, "link"));
	end_copy(&copy);
	free(from);
	free(pipe);
	free(link);
	free(to);
}

static void copies_nothing_through_a_link(void **state)
{
	char *link = scratch_path(*state, "from/link");
	struct file_copy copy;

	begin_copy(&copy, *state);
	close(make_directory(*state, "elsewhere"));
	write_in(*state, "elsewhere/file");
	assert_int_equal(symlink("../elsewhere", link), 0);
	assert_int_equal(copy_folder(&copy, "link"), -ENOTDIR);
	assert_int_equal(copy_file(&copy, "link/file"), -ENOTDIR);
	assert_false(exists_in(*state, "to/link/file"));
	end_copy(&copy);
	free(link);
}

static void copy_of_a_missing_folder_is_empty(void **state)
{
	char *to = scratch_path(*state, "to/kernel");
	struct file_copy copy;

	begin_copy(&copy, *state);
	assert_int_equal(copy_folder(&copy, "kernel"), 0);
	assert_int_equal(rmdir(to), 0);
	end_copy(&copy);
	free(to);
}

static void close_synced_reports_a_failed_write(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	char *path = scratch_path(*state, "file");
	FILE *file = fopen(path, "w");

	assert_non_null(full);
	assert_non_null(file);
	fputs("text", full);
	fputs("text", file);
	assert_int_equal(close_synced(full), -ENOSPC);
	assert_int_equal(close_synced(file), 0);
	expect_file(*state, "file", "text", 4);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_file_up_to_its_limit, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(reads_an_empty_file, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(reads_relative_to_a_directory, set_up_files,
						scratch_tear_down),
		cmocka_unit_test(reads_a_file_whose_size_is_unknown),
		cmocka_unit_test_setup_teardown(reads_regular_files_only, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(copies_a_file_with_the_mode, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(failed_copy_names_the_file, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(copies_the_regular_files_of_a_folder, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(copies_nothing_through_a_link, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(copy_of_a_missing_folder_is_empty, set_up_files,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(close_synced_reports_a_failed_write, set_up_files,
						scratch_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
