// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A capture as one file: sizes above 8 GiB, and what no capture has. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "base/scratch_directory.h"
#include "base/text.h"
#include "capture/archive.h"
#include "tests/unit/scratch.h"

#define BLOCKS_MAX 64

struct scene {
	char *path;
	int directory;
	struct archive_header blocks[BLOCKS_MAX];
	size_t count;
	struct error error;
};

static int set_up_archive(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->path = scratch_directory();
	scene->directory = open(scene->path, O_RDONLY | O_DIRECTORY);
	assert_true(scene->directory >= 0);
	*state = scene;
	return 0;
}

static int tear_down_archive(void **state)
{
	struct scene *scene = *state;

	close(scene->directory);
	scratch_remove(scene->path);
	free(scene);
	return 0;
}

static void finish_header(struct archive_header *header)
{
	snprintf(header->checksum, sizeof(header->checksum), "%06o", archive_checksum(header));
}

static struct archive_header *add_archive_header(struct scene *scene, const char *name, char type,
						 uint64_t size)
{
	struct archive_header *header = &scene->blocks[scene->count++];

	memcpy(header->name, name, strlen(name));
	memcpy(header->magic, "ustar", 6);
	header->type = type;
	snprintf(header->size, sizeof(header->size), "%011" PRIo64, size);
	finish_header(header);
	return header;
}

static void add_text(struct scene *scene, const char *text)
{
	memcpy(&scene->blocks[scene->count++], text, strlen(text));
}

/* Reads the blocks and, with_end, the two that end an archive. */
static int read_blocks(struct scene *scene, bool with_end)
{
	size_t size = (scene->count + 2 * with_end) * ARCHIVE_BLOCK;
	FILE *file = fmemopen(scene->blocks, size, "r");
	int err;

	assert_non_null(file);
	err = archive_unpack(file, "FILE", scene->directory, &scene->error);
	fclose(file);
	return err;
}

static void expect_file(const struct scene *scene, const char *name, const char *text)
{
	char *path = scratch_path(scene->path, name);
	size_t size;
	char *found = (char *)scratch_read(path, &size);

	assert_int_equal(size, strlen(text));
	assert_memory_equal(found, text, size);
	free(found);
	free(path);
}

static void reads_a_size_from_a_pax_record(void **state)
{
	struct scene *scene = *state;

	add_archive_header(scene, "top/size", ARCHIVE_PAX, 20);
	add_text(scene, "11 mtime=1\n9 size=3\n");
	add_archive_header(scene, "top/kernel/a", ARCHIVE_FILE, 0);
	add_text(scene, "abc");
	add_archive_header(scene, "top/b", ARCHIVE_FILE, 2);
	add_text(scene, "de");
	assert_int_equal(read_blocks(scene, true), 0);
	expect_file(scene, "kernel/a", "abc");
	expect_file(scene, "b", "de");
}

static void reads_a_binary_size(void **state)
{
	struct scene *scene = *state;
	struct archive_header *header = add_archive_header(scene, "top/a", ARCHIVE_FILE, 0);

	memcpy(header->size, "\200\0\0\0\0\0\0\0\0\0\0\3", sizeof(header->size));
	finish_header(header);
	add_text(scene, "abc");
	assert_int_equal(read_blocks(scene, true), 0);
	expect_file(scene, "a", "abc");
}

static void refuses_sizes_that_are_no_numbers(void **state)
{
	struct scene *scene = *state;
	struct archive_header *header = add_archive_header(scene, "top/a", ARCHIVE_FILE, 0);

	memset(header->size, 'z', sizeof(header->size));
	finish_header(header);
	assert_int_equal(read_blocks(scene, true), -EINVAL);
	assert_string_equal(scene->error.text,
			    "FILE: refused: its file \"top/a\" has a size that is not a number");
	memset(header->size, 0xff, sizeof(header->size));
	header->size[0] = (char)0x80;
	finish_header(header);
	assert_int_equal(read_blocks(scene, true), -EINVAL);
}

static void refuses_a_pax_record_that_is_damaged_or_long(void **state)
{
	struct scene *scene = *state;

	add_archive_header(scene, "top/size", ARCHIVE_PAX, 9);
	add_text(scene, "99 size=3\n");
	assert_int_equal(read_blocks(scene, true), -EBADMSG);
	scene->count = 0;
	scene->error = (struct error){ 0 };
	add_archive_header(scene, "top/size", ARCHIVE_PAX, 1 << 20);
	assert_int_equal(read_blocks(scene, true), -EINVAL);
	assert_string_equal(scene->error.text,
			    "FILE: refused: it has a pax record of 1048576 bytes");
}

static void reports_the_missing_end(void **state)
{
	struct scene *scene = *state;

	add_archive_header(scene, "top/a", ARCHIVE_FILE, 3);
	add_text(scene, "abc");
	assert_int_equal(read_blocks(scene, false), -EBADMSG);
	assert_string_equal(scene->error.text,
			    "FILE: the file is cut off at byte 1024: the end of the "
			    "archive is missing");
	expect_file(scene, "a", "abc");
}

static void joins_the_prefix_and_the_name(void **state)
{
	struct scene *scene = *state;
	struct archive_header *header = add_archive_header(scene, "a", ARCHIVE_FILE, 0);

	memcpy(header->prefix, "top/..", 6);
	finish_header(header);
	assert_int_equal(read_blocks(scene, true), -EINVAL);
	memcpy(header->prefix, "top/xy", 6);
	finish_header(header);
	assert_int_equal(read_blocks(scene, true), 0);
	expect_file(scene, "xy/a", "");
}

/* The file has no bytes on disk: its end is not read. */
static void writes_a_size_above_8_gib_as_a_pax_record(void **state)
{
	struct scene *scene = *state;
	char *path = scratch_path(scene->path, "cpu0"), *text;
	int ends[2], fd = scratch_create(path);
	struct archive_header headers[4];
	FILE *file;

	assert_int_equal(ftruncate(fd, (off_t)9 << 30), 0);
	close(fd);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	file = fdopen(ends[1], "w");
	assert_non_null(file);
	/* the pipe is full soon */
	assert_int_equal(archive_write(file, scene->directory, "top", 7, NULL), -EAGAIN);
	assert_int_equal(read(ends[0], headers, sizeof(headers)), sizeof(headers));
	assert_int_equal(headers[1].type, ARCHIVE_PAX);
	text = (char *)&headers[2];
	assert_string_equal(text, "19 size=9663676416\n");
	assert_string_equal(headers[3].name, "top/cpu0");
	assert_string_equal(headers[3].mtime, "00000000007");
	fclose(file);
	close(ends[0]);
	free(path);
}

static void removes_a_temporary_directory_with_its_files(void **state)
{
	struct scene *scene = *state;
	char *prefix = scratch_path(scene->path, "prefix"), *path;
	struct scratch_directory scratch;
	struct stat about;

	assert_int_equal(scratch_directory_make(&scratch, prefix, true), 0);
	assert_int_equal(stat(scratch.path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0700);
	path = scratch_path(scratch.path, "file");
	scratch_write(path, "x", 1);
	free(path);
	path = strdup(scratch.path);
	scratch_directory_remove(&scratch);
	assert_int_equal(stat(path, &about), -1);
	scratch_directory_remove(&scratch);
	free(path);
	free(prefix);
	assert_int_equal(scratch_directory_make(&scratch, "/nowhere/x", true), -ENOENT);
}

static void replaces_a_word_and_cuts_the_end(void **state)
{
	char text[12] = "a/x b/x";

	(void)state;
	text_replace(text, sizeof(text), "/x", "");
	assert_string_equal(text, "a b");
	text_replace(text, sizeof(text), "a", "aa");
	assert_string_equal(text, "aa b");
	text_replace(text, sizeof(text), "a", "1234");
	assert_string_equal(text, "12341234 b");
	text_replace(text, sizeof(text), "4", "4567");
	assert_string_equal(text, "12345671234");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_size_from_a_pax_record, set_up_archive,
						tear_down_archive),
		cmocka_unit_test_setup_teardown(reads_a_binary_size, set_up_archive,
						tear_down_archive),
		cmocka_unit_test_setup_teardown(refuses_sizes_that_are_no_numbers, set_up_archive,
						tear_down_archive),
		cmocka_unit_test_setup_teardown(refuses_a_pax_record_that_is_damaged_or_long,
						set_up_archive, tear_down_archive),
		cmocka_unit_test_setup_teardown(reports_the_missing_end, set_up_archive,
						tear_down_archive),
		cmocka_unit_test_setup_teardown(joins_the_prefix_and_the_name, set_up_archive,
						tear_down_archive),
		cmocka_unit_test_setup_teardown(writes_a_size_above_8_gib_as_a_pax_record,
						set_up_archive, tear_down_archive),
		cmocka_unit_test_setup_teardown(removes_a_temporary_directory_with_its_files,
						set_up_archive, tear_down_archive),
		cmocka_unit_test(replaces_a_word_and_cuts_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
