// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stream that ends, and goes on in another file. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/writer_files.h"
#include "capture/reader.h"
#include "capture/writer.h"

static void put_dropped(struct writer *writer, uint32_t sequence, uint64_t time)
{
	struct kmt_record record = {
		.time = time, .id = KMT_KFREE, .words = KMT_RECORD_WORDS, .sequence = sequence
	};

	assert_int_equal(writer_put(writer, &record), -ENOSPC);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit = { 0, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The numbers go on; counters and packets begin again. */
static void goes_on_in_another_file(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	char *path = scratch_path(files->directory, "cpu3.next");
	struct packet_header headers[8];
	struct writer_ended ended;
	uint32_t numbers[4];
	size_t records;

	writer_files_put(writer, 0, 2000);
	writer_files_put(writer, 3, 500000);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_confirm_losses(writer, 5, 500010), 0);
	assert_int_equal(writer_switch(writer, scratch_create(path), path, 500020, 7, &ended), 0);
	assert_int_equal(ended.loss.records, 2);
	assert_int_equal(ended.loss.confirmed, 3);
	assert_int_equal(ended.size, 2 * sizeof(headers[0]) + 2 * sizeof(struct kmt_record));
	loss_deinit(&ended.loss);
	assert_int_equal(writer->loss.records, 0);
	assert_string_equal(writer->path, path);
	/* its time was before the switch */
	writer_files_put(writer, 5, 500015);
	writer_files_put(writer, 7, 500030);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_flush(writer, 0, 2, false), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, numbers), 2);
	assert_int_equal(records, 2);
	assert_int_equal(headers[1].sequence_end, 5);
	assert_int_equal(headers[1].time_last, 500020);
	assert_int_equal(headers[1].lost, 3);
	assert_int_equal(headers[1].skipped, 7);
	assert_int_equal(writer_files_read(path, headers, 8, &records, numbers), 2);
	assert_int_equal(records, 2);
	assert_int_equal(numbers[0], 5);
	assert_int_equal(headers[0].time_first, 500020);
	assert_int_equal(headers[0].sequence_first, 5);
	assert_int_equal(headers[0].sequence_end, 5);
	assert_int_equal(headers[0].lost, 0);
	assert_int_equal(headers[0].skipped, 0);
	assert_int_equal(headers[1].sequence_end, 8);
	assert_int_equal(writer->clamped, 1);
	assert_int_equal(loss_missing(&writer->loss), 1);
	free(path);
}

/* The old stream goes on if it cannot be ended; the new one is whole if it could not begin. */
static void switches_on_a_full_disk(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	char *path = scratch_path(files->directory, "cpu3.next");
	struct packet_header headers[8];
	struct writer_ended ended = { .size = 1 };
	size_t records;

	writer_files_put(writer, 0, 2000);
	assert_int_equal(writer_release(writer), 0);
	limit_file_size(writer->size);
	assert_int_equal(writer_switch(writer, scratch_create(path), path, 2100, 0, &ended),
			 -EFBIG);
	assert_int_equal(ended.size, 1);
	assert_string_equal(writer->path, files->path);
	limit_file_size(RLIM_INFINITY);
	writer_retry(writer);

	assert_int_equal(writer_flush(writer, 2200, 0, true), 0);
	assert_int_equal(writer_switch(writer, open("/dev/full", O_WRONLY), path, 2300, 0, &ended),
			 -ENOSPC);
	loss_deinit(&ended.loss);
	put_dropped(writer, 1, 2400);
	assert_int_equal(writer_confirm_losses(writer, 2, 2500), 0);
	close(writer->fd);
	writer->fd = scratch_create(path);
	writer_retry(writer);
	assert_int_equal(writer_flush(writer, 2600, 0, true), 0);
	assert_int_equal(writer_files_read(path, headers, 8, &records, NULL), 2);
	assert_int_equal(headers[0].sequence_first, 1);
	assert_int_equal(headers[0].lost, 0);
	assert_int_equal(headers[1].lost, 1);
	assert_int_equal(headers[1].sequence_end, 2);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(goes_on_in_another_file, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(switches_on_a_full_disk, writer_files_setup,
						writer_files_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
