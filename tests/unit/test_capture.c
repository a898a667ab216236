// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening a capture: its parts, missing parts, and directories that are not captures. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "capture/capture.h"

static int set_up_capture(void **state)
{
	*state = scratch_capture_file("sites.trace");
	return 0;
}

static void remove_file(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);

	assert_int_equal(remove(path), 0);
	free(path);
}

static void check_refused(const char *path, int err, const char *errmsg)
{
	struct capture capture;

	assert_int_equal(capture_open(&capture, path), err);
	if (!strstr(capture.error.text, errmsg))
		fail_msg("\"%s\" instead of \"%s\"", capture.error.text, errmsg);
}

static void opens_all_tables(void **state)
{
	struct capture capture;
	char text[100];

	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 0);
	assert_false(capture.being_written);
	assert_true(capture_knows_own(&capture));
	assert_string_equal(capture.metadata.hostname, "vm");
	assert_true(capture.has_status);
	assert_int_equal(capture.status.cpu_count, 2);
	assert_int_equal(capture.caches.count, 2);
	assert_int_equal(capture.tasks.count, 2);
	assert_int_equal(capture.topology.count, 2);
	assert_int_equal(capture.gfp.count, 2);
	symbols_text(&capture.symbols, 0xffffffffc0000008, 0, text, sizeof(text));
	assert_non_null(strstr(text, "plant_grow+0x8"));
	assert_int_equal(capture.stream_count, 2);
	assert_int_equal(capture.streams[1].cpu, 1);
	capture_close(&capture);
	capture_close(&capture);
}

/* Only files cpuN are streams; the streams are sorted by number. */
static void accepts_names_of_streams_only(void **state)
{
	static const char *const names[] = {
		"cpu10", "cpu9",  "cpu65535", "cpu65536", "cpu01", "cpu-1",
		"cpu",	 "cpu2x", "cpus",     "notes",	  "cpu 3", "cpu99999999999999999999"
	};
	static const unsigned int expected[] = { 0, 1, 9, 10, 65535 };
	struct capture capture;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = scratch_path(*state, names[i]);

		scratch_write(path, "", 0);
		free(path);
	}
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.stream_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(capture.streams[i].cpu, expected[i]);
	capture_close(&capture);
}

static void reports_missing_tables(void **state)
{
	struct capture capture;

	remove_file(*state, "kernel/symbols");
	remove_file(*state, "kernel/status");
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_false(capture.has_status);
	assert_false(capture_knows_own(&capture));
	assert_int_equal(capture.unread_count, 2);
	assert_string_equal(capture.unread[0].key, "symbols");
	assert_int_equal(capture.unread[0].err, -ENOENT);
	assert_string_equal(capture.unread[0].summary,
			    "symbols are missing (No such file or directory): call sites are "
			    "addresses");
	assert_string_equal(capture.unread[1].key, "status");
	assert_int_equal(capture.caches.count, 2);
	capture_close(&capture);

	remove_file(*state, "kernel/caches");
	remove_file(*state, "kernel/tasks");
	remove_file(*state, "kernel/topology");
	remove_file(*state, "kernel/gfp");
	remove_file(*state, "kernel");
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 6);
	assert_string_equal(capture.unread[5].key, "gfp");
	assert_int_equal(capture.unread[5].err, -ENOENT);
	assert_int_equal(capture.stream_count, 2);
	capture_close(&capture);
}

/* Older captures and some kernels have no slabinfo; a file that cannot be read is reported. */
static void slabinfo_is_optional(void **state)
{
	static const char lines[] =
		"slab 10 dentry 70 84\nslab 10 filp 3 4\nslab 20 dentry 71 84\n";
	char *path = scratch_path(*state, "kernel/slabinfo");
	struct capture capture;

	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 0);
	assert_int_equal(capture.slabinfo.count, 0);
	capture_close(&capture);

	scratch_write(path, lines, sizeof(lines) - 1);
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 0);
	assert_int_equal(capture.slabinfo.count, 2);
	assert_int_equal(slabinfo_find(slabinfo_at(&capture.slabinfo, 15), "filp")->total, 4);
	assert_int_equal(slabinfo_find(slabinfo_at(&capture.slabinfo, 20), "dentry")->active, 71);
	capture_close(&capture);

	assert_int_equal(truncate(path, (64 << 20) + 1), 0);
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 1);
	assert_string_equal(capture.unread[0].key, "slabinfo");
	assert_string_equal(capture.unread[0].summary,
			    "counters of /proc/slabinfo are missing (File too large): the objects "
			    "that caches had at the start are not known");
	capture_close(&capture);
	free(path);
}

/* The kernel hid its symbols, or the file is damaged. */
static void reports_missing_symbols(void **state)
{
	static const char hidden[] = "0000000000000000 T a\n0000000000000000 t b\n";
	char *path = scratch_path(*state, "kernel/symbols");
	struct capture capture;

	scratch_write(path, hidden, sizeof(hidden) - 1);
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 1);
	assert_string_equal(capture.unread[0].key, "hidden");
	assert_non_null(strstr(capture.unread[0].summary, "kptr_restrict"));
	capture_close(&capture);

	scratch_write(path, "\x1f\x8b\x08\0\0\0\0\0\0\3rest", 14);
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 1);
	assert_string_equal(capture.unread[0].key, "symbols");
	assert_non_null(strstr(capture.unread[0].summary, "damage"));
	capture_close(&capture);
	free(path);
}

/* The lock of a reader does not count; a finished capture is not being written. */
static void detects_a_writer(void **state)
{
	char *path = scratch_path(*state, "metadata");
	struct capture capture;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_false(capture_is_being_written(*state));
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_true(capture_is_being_written(*state));
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_false(capture.being_written);
	capture_close(&capture);
	remove_file(*state, "kernel/status");
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_true(capture.being_written);
	capture_close(&capture);
	close(fd);
	assert_false(capture_is_being_written(*state));
	free(path);
}

static void refuses_huge_tables(void **state)
{
	char *path = scratch_path(*state, "kernel/tasks");
	struct capture capture;

	assert_int_equal(truncate(path, (64 << 20) + 1), 0);
	assert_int_equal(capture_open(&capture, *state), 0);
	assert_int_equal(capture.unread_count, 1);
	assert_string_equal(capture.unread[0].summary,
			    "names of tasks are missing (File too large): tasks are numbers");
	capture_close(&capture);
	free(path);
	path = scratch_path(*state, "metadata");
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	check_refused(*state, -EINVAL, "metadata: larger than 1 MiB");
	free(path);
}

static void refuses_other_directories(void **state)
{
	char *path = scratch_path(*state, "cpu0"), *empty = scratch_directory();
	unsigned char *metadata;
	size_t metadata_size;

	check_refused(path, -ENOTDIR, "cpu0 is a stream: name the capture's directory");
	free(path);
	path = scratch_path(*state, "metadata");
	metadata = scratch_read(path, &metadata_size);
	check_refused(path, -ENOTDIR, "metadata is not a directory: not a capture");
	check_refused("/nonexistent/capture", -ENOENT, "/nonexistent/capture: No such file");
	check_refused(empty, -ENOENT, "holds no metadata: not a capture");
	check_refused("", -ENOENT, "No such file");

	scratch_write(path, "hello", 5);
	check_refused(*state, -EINVAL, "if it is damaged, kmemtrace-check --repair");
	assert_int_equal(remove(path), 0);
	check_refused(*state, -EINVAL, "no metadata: kmemtrace-check --repair rebuilds it");
	scratch_write(path, metadata, metadata_size);
	free(metadata);
	remove_file(*state, "cpu0");
	remove_file(*state, "cpu1");
	check_refused(*state, -EINVAL, "holds no streams");
	assert_int_equal(remove(path), 0);
	check_refused(*state, -ENOENT, "holds no metadata: not a capture");
	scratch_write(path, "hello", 5);
	check_refused(*state, -EINVAL, "metadata: ");
	remove_file(*state, "metadata");
	assert_int_equal(mkdir(path, 0700), 0);
	check_refused(*state, -EISDIR, "metadata: Is a directory");
	free(path);
	scratch_remove(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opens_all_tables, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(accepts_names_of_streams_only, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(reports_missing_tables, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(slabinfo_is_optional, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(reports_missing_symbols, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(detects_a_writer, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(refuses_huge_tables, set_up_capture,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(refuses_other_directories, set_up_capture,
						scratch_tear_down),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
