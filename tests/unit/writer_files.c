// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A writer with a file; and a reader that asserts the invariants of each packet. */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/writer_files.h"
#include "capture/reader.h"

static const uint8_t uuid[16] = { 1, 2, 3 };

int writer_files_setup(void **state)
{
	struct files *files = calloc(1, sizeof(*files));

	files->directory = scratch_directory();
	files->path = scratch_path(files->directory, "cpu3");
	assert_int_equal(writer_open(&files->writer, scratch_create(files->path), files->path, uuid,
				     3, 1000),
			 0);
	*state = files;
	return 0;
}

int writer_files_teardown(void **state)
{
	struct files *files = *state;

	writer_close(&files->writer);
	packer_destroy(files->packer);
	scratch_remove(files->directory);
	free(files->path);
	free(files);
	return 0;
}

void writer_files_put(struct writer *writer, uint32_t sequence, uint64_t time)
{
	struct kmt_record record = {
		.time = time, .id = KMT_KFREE, .words = KMT_RECORD_WORDS, .sequence = sequence
	};

	assert_int_equal(writer_put(writer, &record), 0);
}

size_t writer_files_read(const char *path, struct packet_header *headers, size_t max,
			 size_t *record_count, uint32_t *numbers)
{
	uint64_t end = 0, lost = 0;
	struct kmt_record record;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	size_t count = 0, records = 0, in_packet;
	int got;

	assert_int_equal(stream_open(&stream, path), 0);
	while ((got = stream_next(&stream, &packet)) > 0) {
		assert_in_range(count, 0, max - 1);
		headers[count] = packet.header;
		assert_int_equal(packet.header.number, count);
		assert_true(packet.header.time_first >= end);
		assert_true(packet.header.lost >= lost);
		assert_int_equal(packet.header.cpu, 3);
		assert_memory_equal(packet.header.uuid, uuid, 16);
		end = packet.header.time_first;
		lost = packet.header.lost;
		cursor_init(&cursor, &packet);
		for (in_packet = 0; (got = cursor_next(&cursor, &record)) > 0; in_packet++) {
			assert_true(record.time >= end);
			end = record.time;
			if (numbers)
				numbers[records] = record.sequence;
			records++;
		}
		assert_int_equal(got, 0);
		assert_int_equal(packet.header.records, in_packet);
		assert_true(packet.header.time_last >= end);
		end = packet.header.time_last;
		count++;
	}
	assert_int_equal(got, 0);
	stream_close(&stream);
	*record_count = records;
	return count;
}
