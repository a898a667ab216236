// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The files of --summaries: one a day, of whole blocks, and never another program's. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/summary/summary_file.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/publish/summaries_file.h"

#define DAY (86400 * 1000000000ULL)
#define TODAY (20782 * DAY) /* 2026-11-25 */

struct scene {
	char *directory, *path; /* path: of the file of today */
	struct summaries_file *file;
	char *text; /* of a block */
	size_t size;
	struct error error;
};

static void make_block(struct scene *scene)
{
	const char *const names[] = { "alloc_empty_file", "kernel", "filp" };
	struct summary_source source = { .host = (char *)"host", .boot = (char *)"boot" };
	struct summary summary;
	struct summary_row *row;

	assert_int_equal(summary_init(&summary), 0);
	assert_int_equal(summary_add_source(&summary, &source), 0);
	row = summary_get_row(&summary, SUMMARY_CODE, names);
	assert_non_null(row);
	row->counts.allocations = 7;
	assert_int_equal(summary_write_text(&summary, &scene->text, &scene->size), 0);
	summary_deinit(&summary);
}

static void make_scene(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->directory = scratch_directory();
	scene->path = scratch_path(scene->directory, "a_host.2026-11-25.kms");
	make_block(scene);
}

static void remove_scene(struct scene *scene)
{
	summaries_file_close(scene->file);
	scratch_remove(scene->directory);
	free(scene->path);
	free(scene->text);
}

/* A character that names of files do not have becomes another one. */
static int open_at(struct scene *scene, uint64_t time)
{
	summaries_file_close(scene->file);
	scene->file = NULL;
	return summaries_file_open(&scene->file, scene->directory, "a/host", time, &scene->error);
}

static void append_summary(struct scene *scene, uint64_t time)
{
	assert_int_equal(summaries_file_append(scene->file, time, scene->text, scene->size), 0);
}

/* The file has this many blocks, and nothing else. */
static void assert_blocks(const struct scene *scene, const char *path, size_t blocks)
{
	const size_t header = strlen(SUMMARY_FILE_HEADER);
	size_t size;
	unsigned char *text = scratch_read(path, &size);

	assert_int_equal(size, header + blocks * scene->size);
	assert_memory_equal(text, SUMMARY_FILE_HEADER, header);
	for (size_t i = 0; i < blocks; i++)
		assert_memory_equal(text + header + i * scene->size, scene->text, scene->size);
	free(text);
}

static void appends_over_several_starts(void **state)
{
	struct scene scene;
	struct stat about;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_at(&scene, TODAY), 0);
	assert_blocks(&scene, scene.path, 0);
	append_summary(&scene, TODAY);
	append_summary(&scene, TODAY + DAY - 1);
	assert_int_equal(open_at(&scene, TODAY + 5), 0);
	append_summary(&scene, TODAY + 6);
	assert_blocks(&scene, scene.path, 3);
	assert_int_equal(stat(scene.path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0600);
	remove_scene(&scene);
}

static void begins_a_file_each_day(void **state)
{
	struct scene scene;
	char *next;

	(void)state;
	make_scene(&scene);
	next = scratch_path(scene.directory, "a_host.2026-11-26.kms");
	assert_int_equal(open_at(&scene, TODAY), 0);
	append_summary(&scene, TODAY);
	assert_int_equal(access(next, F_OK), -1);
	append_summary(&scene, TODAY + DAY);
	append_summary(&scene, TODAY + DAY + 1);
	assert_blocks(&scene, scene.path, 1);
	assert_blocks(&scene, next, 2);
	free(next);
	remove_scene(&scene);
}

/* After a kill or a crash, the file ends anywhere, and some bytes may be wrong. */
static void cuts_off_half_a_block(void **state)
{
	const size_t header = strlen(SUMMARY_FILE_HEADER);
	struct scene scene;
	size_t size;
	unsigned char *text;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_at(&scene, TODAY), 0);
	append_summary(&scene, TODAY);
	append_summary(&scene, TODAY);
	text = scratch_read(scene.path, &size);
	for (size_t length = 0; length <= size; length++) {
		size_t whole = length < header ? 0 : (length - header) / scene.size;

		scratch_write(scene.path, text, length);
		assert_int_equal(open_at(&scene, TODAY), 0);
		assert_blocks(&scene, scene.path, whole);
		append_summary(&scene, TODAY);
		assert_blocks(&scene, scene.path, whole + 1);
	}
	for (size_t at = header + scene.size; at < size; at++) {
		text[at] ^= 1;
		scratch_write(scene.path, text, size);
		text[at] ^= 1;
		assert_int_equal(open_at(&scene, TODAY), 0);
		assert_blocks(&scene, scene.path, 1);
	}
	free(text);
	remove_scene(&scene);
}

/* The last block is found far from the end too. */
static void cuts_off_much(void **state)
{
	struct scene scene;
	size_t size, more = (size_t)5 << 20;
	unsigned char *text, *all;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_at(&scene, TODAY), 0);
	append_summary(&scene, TODAY);
	text = scratch_read(scene.path, &size);
	all = calloc(1, size + more);
	assert_non_null(all);
	memcpy(all, text, size);
	scratch_write(scene.path, all, size + more);
	assert_int_equal(open_at(&scene, TODAY), 0);
	assert_blocks(&scene, scene.path, 1);
	free(all);
	free(text);
	remove_scene(&scene);
}

static void refuses_files_of_others(void **state)
{
	const char other[] = "kmemtrace-summaries 2\n";
	struct summaries_file *second = NULL;
	struct scene scene;
	size_t size;
	char *name;
	unsigned char *text;

	(void)state;
	make_scene(&scene);
	scratch_write(scene.path, other, strlen(other));
	assert_int_equal(open_at(&scene, TODAY), -EBADMSG);
	assert_non_null(strstr(scene.error.text, "is not a file of summaries"));
	text = scratch_read(scene.path, &size);
	assert_int_equal(size, strlen(other));
	free(text);
	assert_int_equal(unlink(scene.path), 0);
	assert_int_equal(open_at(&scene, TODAY), 0);
	assert_int_equal(summaries_file_open(&second, scene.directory, "a/host", TODAY,
					     &scene.error),
			 -EBUSY);
	name = scratch_path(scene.directory, "second");
	assert_int_equal(link(scene.path, name), 0);
	assert_int_equal(open_at(&scene, TODAY), -EPERM);
	assert_int_equal(unlink(scene.path), 0);
	assert_int_equal(symlink(name, scene.path), 0);
	assert_int_not_equal(open_at(&scene, TODAY), 0);
	free(name);
	remove_scene(&scene);
}

static void removes_old_files_of_the_host(void **state)
{
	static const struct {
		const char *name;
		bool stays;
	} files[] = {
		{ "a_host.2026-11-22.kms", false }, { "a_host.1970-01-01.kms", false },
		{ "a_host.2026-11-23.kms", true },  { "a_host.2026-11-24.kms", true },
		{ "other.2026-11-22.kms", true },   { "a_host.2026-02-30.kms", true },
		{ "a_host.2026-11-22.kms2", true }, { "a_host.b.2026-11-22.kms", true },
		{ "a_host.2026-11-22", true },	    { "a_host.", true },
	};
	struct scene scene;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_at(&scene, TODAY), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = scratch_path(scene.directory, files[i].name);

		close(scratch_create(path));
		free(path);
	}
	/* the day 23 ended two days before the begin of 26 */
	assert_int_equal(summaries_file_prune(scene.file, TODAY + DAY - 1, 2 * DAY), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = scratch_path(scene.directory, files[i].name);

		if (access(path, F_OK) != (files[i].stays ? 0 : -1))
			fail_msg("%s", files[i].name);
		free(path);
	}
	assert_int_equal(summaries_file_prune(scene.file, TODAY, UINT64_MAX), 0);
	assert_blocks(&scene, scene.path, 0);
	remove_scene(&scene);
}

/* How many files of this host there are, and their bytes. */
static unsigned int count_files(const struct scene *scene, uint64_t *bytes)
{
	unsigned int files = 0;

	*bytes = 0;
	for (unsigned int part = 0; part < 100; part++) {
		char name[60], number[8] = "";
		struct stat about;
		char *path;

		if (part)
			snprintf(number, sizeof(number), ".%u", part);
		snprintf(name, sizeof(name), "a_host.2026-11-25%s.kms", number);
		path = scratch_path(scene->directory, name);
		if (!stat(path, &about)) {
			files++;
			*bytes += (uint64_t)about.st_size;
		}
		free(path);
	}
	return files;
}

static void a_limit_removes_the_oldest_files(void **state)
{
	struct scene scene;
	uint64_t most, bytes;
	char *other;

	(void)state;
	make_scene(&scene);
	other = scratch_path(scene.directory, "other.2026-11-20.kms");
	scratch_write(other, "x", 1);
	assert_int_equal(open_at(&scene, TODAY), 0);
	/* two blocks in a file, and eight such files */
	most = 8 * (strlen(SUMMARY_FILE_HEADER) + 2 * scene.size);
	summaries_file_set_max(scene.file, most);
	for (unsigned int i = 0; i < 60; i++) {
		append_summary(&scene, TODAY);
		assert_int_equal(summaries_file_bound(scene.file), 0);
		count_files(&scene, &bytes);
		assert_true(bytes <= most);
	}
	assert_int_equal(count_files(&scene, &bytes), 8);
	assert_int_not_equal(access(scene.path, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	/* the next run goes on in the last file, also without a limit */
	assert_int_equal(open_at(&scene, TODAY + DAY / 2), 0);
	append_summary(&scene, TODAY + DAY / 2);
	free(scene.path);
	scene.path = scratch_path(scene.directory, "a_host.2026-11-25.29.kms");
	assert_blocks(&scene, scene.path, 3);
	/* the next day has a first file again */
	append_summary(&scene, TODAY + DAY);
	free(scene.path);
	scene.path = scratch_path(scene.directory, "a_host.2026-11-26.kms");
	assert_blocks(&scene, scene.path, 1);
	assert_int_equal(summaries_file_prune(scene.file, TODAY + 2 * DAY, DAY), 0);
	assert_int_equal(count_files(&scene, &bytes), 0);
	free(other);
	remove_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_removes_the_oldest_files),
		cmocka_unit_test(appends_over_several_starts),
		cmocka_unit_test(begins_a_file_each_day),
		cmocka_unit_test(cuts_off_half_a_block),
		cmocka_unit_test(cuts_off_much),
		cmocka_unit_test(refuses_files_of_others),
		cmocka_unit_test(removes_old_files_of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
