// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file with the state of a running kmemtraced: what was written is read, of this process only.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tracer/status_file.h"

struct scene {
	char *directory;
	struct status_file file;
};

static const struct daemon_status some = {
	.since = 1700000000000000000ULL,
	.events = 12345,
	.lost = 0,
	.counted = STATUS_FILE_UNKNOWN,
	.skipped = UINT64_MAX - 1,
	.disk = STATUS_FILE_UNKNOWN,
	.free = STATUS_FILE_UNKNOWN,
	.capture = (char *)"/a b/c\nevents 7\\x41 \xff",
	.options = (char *)"-o events --where=comm == \"sh\"",
};

static int set_up_status_file(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	char *path;

	assert_non_null(scene);
	scene->directory = scratch_directory();
	/* which is made */
	path = scratch_path(scene->directory, "run");
	assert_int_equal(status_file_open(&scene->file, path), 0);
	free(path);
	*state = scene;
	return 0;
}

static int tear_down_status_file(void **state)
{
	struct scene *scene = *state;

	status_file_close(&scene->file);
	scratch_remove(scene->directory);
	free(scene);
	return 0;
}

static void reads_what_was_written(void **state)
{
	struct scene *scene = *state;
	const struct status_file *file = &scene->file;
	struct daemon_status longer = some, read;
	struct stat about;

	assert_true(status_file_is_name(file->name));
	assert_false(status_file_is_name("memstat"));
	assert_int_equal(fstatat(file->directory, file->name, &about, 0), 0);
	assert_int_equal(about.st_mode & 0777, 0644);
	assert_int_equal(status_file_read(file->directory, file->name, &read), -ENODATA);
	longer.published = (char *)"/run/kmemtrace/memstat";
	assert_int_equal(status_file_write(&scene->file, &longer), 0);
	/* the rest of the longer text stays in the file */
	assert_int_equal(status_file_write(&scene->file, &some), 0);
	assert_int_equal(status_file_read(file->directory, file->name, &read), 0);
	assert_int_equal(read.pid, getpid());
	assert_int_not_equal(read.start, 0);
	assert_int_equal(read.since, some.since);
	assert_int_equal(read.events, some.events);
	assert_int_equal(read.lost, 0);
	assert_int_equal(read.counted, STATUS_FILE_UNKNOWN);
	assert_true(read.skipped == some.skipped);
	assert_int_equal(read.disk, STATUS_FILE_UNKNOWN);
	assert_string_equal(read.capture, some.capture);
	assert_null(read.published);
	assert_string_equal(read.options, some.options);
	daemon_status_deinit(&read);
}

static void an_ended_process_has_no_status(void **state)
{
	struct scene *scene = *state;
	const struct status_file *file = &scene->file;
	struct status_file next;
	struct daemon_status read;
	char *path = scratch_path(scene->directory, "run"), *stale, *other;

	/* another process has its id now */
	scene->file.start--;
	assert_int_equal(status_file_write(&scene->file, &some), 0);
	assert_int_equal(status_file_read(file->directory, file->name, &read), -ENOENT);
	assert_null(read.capture);
	/* the next one removes files of ended processes only */
	stale = scratch_path(path, "status.2147483647");
	other = scratch_path(path, "status.of.others");
	scratch_write(stale, "", 0);
	scratch_write(other, "", 0);
	assert_int_equal(status_file_open(&next, path), 0);
	assert_int_not_equal(access(stale, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	status_file_close(&next);
	assert_int_equal(status_file_read(file->directory, file->name, &read), -ENOENT);
	free(path);
	free(stale);
	free(other);
}

/* Each byte that a reader can find changed is noticed, except behind the text. */
static void a_torn_text_is_no_status(void **state)
{
	struct scene *scene = *state;
	const struct status_file *file = &scene->file;
	struct daemon_status read;
	char *run = scratch_path(scene->directory, "run"), *path = scratch_path(run, file->name);
	unsigned char *bytes;
	size_t size;

	assert_int_equal(status_file_write(&scene->file, &some), 0);
	bytes = scratch_read(path, &size);
	assert_true(size > 100);
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 2;
		assert_int_equal(pwrite(file->fd, bytes, size, 0), size);
		assert_int_equal(status_file_read(file->directory, file->name, &read), -EAGAIN);
		bytes[i] ^= 2;
	}
	for (size_t i = 1; i < size; i++) {
		assert_int_equal(ftruncate(file->fd, (off_t)i), 0);
		assert_int_equal(pwrite(file->fd, bytes, i, 0), i);
		assert_int_equal(status_file_read(file->directory, file->name, &read), -EAGAIN);
	}
	assert_int_equal(pwrite(file->fd, bytes, size, 0), size);
	assert_int_equal(status_file_read(file->directory, file->name, &read), 0);
	daemon_status_deinit(&read);
	free(bytes);
	free(run);
	free(path);
}

static void without_a_directory_nothing_is_written(void **state)
{
	struct scene *scene = *state;
	char *path = scratch_path(scene->directory, "missing/run");
	struct status_file file;

	assert_int_equal(status_file_open(&file, path), -ENOENT);
	assert_int_equal(status_file_write(&file, &some), 0);
	status_file_close(&file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_what_was_written, set_up_status_file,
						tear_down_status_file),
		cmocka_unit_test_setup_teardown(an_ended_process_has_no_status, set_up_status_file,
						tear_down_status_file),
		cmocka_unit_test_setup_teardown(a_torn_text_is_no_status, set_up_status_file,
						tear_down_status_file),
		cmocka_unit_test_setup_teardown(without_a_directory_nothing_is_written,
						set_up_status_file, tear_down_status_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
