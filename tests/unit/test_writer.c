// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The streams that the writer writes: their order, packets and losses; and a full disk. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/writer_files.h"
#include "capture/reader.h"
#include "capture/writer.h"

static const uint8_t uuid[16] = { 1, 2, 3 };

static int setup_packed(void **state)
{
	struct files *files;

	writer_files_setup(state);
	files = *state;
	assert_int_equal(packer_create(&files->packer), 0);
	writer_pack(&files->writer, files->packer);
	return 0;
}

static void begins_with_an_empty_packet(void **state)
{
	struct files *files = *state;
	struct packet_header headers[4];
	size_t records;

	assert_int_equal(writer_files_read(files->path, headers, 4, &records, NULL), 1);
	assert_int_equal(records, 0);
	assert_int_equal(headers[0].time_first, 1000);
	assert_int_equal(headers[0].time_last, 1000);
	assert_int_equal(headers[0].lost, 0);
	assert_int_equal(headers[0].sequence_end, 0);
	assert_int_equal(headers[0].packet_bits, 112 * 8);
}

static void sorts_interrupted_records(void **state)
{
	/* In slot order. Events 1, 2 and 4 were interrupted before they read the clock. */
	static const struct {
		uint32_t sequence;
		uint64_t time;
	} slots[] = { { 0, 2000 }, { 1, 2900 }, { 3, 2100 }, { 4, 2500 },
		      { 5, 2200 }, { 6, 2500 }, { 2, 2900 }, { 7, 3000 } };
	static const uint32_t expected[] = { 0, 3, 5, 4, 6, 1, 2, 7 };
	struct files *files = *state;
	struct packet_header headers[4];
	uint32_t numbers[8];
	size_t records;

	for (size_t i = 0; i < 8; i++)
		writer_files_put(&files->writer, slots[i].sequence, slots[i].time);
	assert_int_equal(files->writer.held_count, 1);
	assert_int_equal(files->writer.header.records, 7);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_flush(&files->writer, 3500, 11, false), 0);
	assert_int_equal(files->writer.held_count, 0);
	assert_int_equal(files->writer.header.records, 0);
	assert_int_equal(writer_files_read(files->path, headers, 4, &records, numbers), 2);
	assert_int_equal(records, 8);
	assert_memory_equal(numbers, expected, sizeof(expected));
	assert_int_equal(headers[1].time_first, 2000);
	assert_int_equal(headers[1].time_last, 3500);
	assert_int_equal(headers[1].sequence_first, 0);
	assert_int_equal(headers[1].sequence_end, 8);
	assert_int_equal(headers[1].lost, 0);
	assert_int_equal(headers[1].skipped, 11);
	assert_int_equal(files->writer.clamped, 0);
}

static void does_not_flush_held_records(void **state)
{
	struct files *files = *state;
	struct packet_header headers[4];
	size_t records;

	writer_files_put(&files->writer, 0, 2000);
	writer_files_put(&files->writer, 1, 2100);
	assert_int_equal(writer_flush(&files->writer, 9999, 0, false), 0);
	writer_files_put(&files->writer, 2, 2050);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	assert_int_equal(writer_files_read(files->path, headers, 4, &records, NULL), 3);
	assert_int_equal(headers[1].records, 1);
	assert_int_equal(headers[1].time_last, 2100);
	/* The packet already ended after its time, so it is clamped. */
	assert_int_equal(files->writer.clamped, 1);
	assert_int_equal(files->writer.clamped_max, 50);
	assert_int_equal(records, 3);
}

static void writes_full_packets(void **state)
{
	struct files *files = *state;
	struct packet_header headers[8];
	size_t records;

	for (uint32_t i = 0; i < 2 * PACKET_RECORDS_MAX + 10; i++)
		writer_files_put(&files->writer, i, 2000 + i);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 3);
	assert_int_equal(headers[2].time_last, 2000 + 2 * PACKET_RECORDS_MAX - 1);
	assert_int_equal(files->writer.held_count + files->writer.header.records, 10);
	assert_int_equal(writer_release(&files->writer), 0);
	/* No new records and not forced: no packet is written. */
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 4);
	assert_int_equal(records, 2 * PACKET_RECORDS_MAX + 10);
	assert_int_equal(headers[3].sequence_first, 2 * PACKET_RECORDS_MAX);
}

/* The setting at the end of a packet decides. A packet that would not get smaller stays raw. */
static void packs_packets_if_that_saves_space(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	uint32_t numbers[1001];
	struct packet_header headers[8];
	size_t records;

	for (uint32_t i = 0; i < 1001; i++) {
		writer_pack(writer, i > 400 ? files->packer : NULL);
		writer_files_put(writer, i, 2000 + i);
		if (i == 400 || i == 800 || i >= 999) {
			assert_int_equal(writer_release(writer), 0);
			assert_int_equal(writer_flush(writer, 0, 0, false), 0);
		}
	}
	assert_int_equal(writer_flush(writer, 9000, 0, true), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, numbers), 6);
	assert_int_equal(records, 1001);
	for (uint32_t i = 0; i < 1001; i++)
		assert_int_equal(numbers[i], i);
	assert_int_equal(headers[1].codec, PACKET_RAW);
	assert_int_equal(headers[1].packet_bits, (112 + 401 * 48) * 8);
	assert_int_equal(headers[2].codec, PACKET_PACKED);
	assert_int_equal(headers[2].content_bits, headers[2].packet_bits);
	assert_in_range(headers[2].packet_bits, 113 * 8, (112 + 400 * 5) * 8);
	assert_int_equal(headers[3].codec, PACKET_PACKED);
	/* without records */
	assert_int_equal(headers[5].codec, PACKET_RAW);
	free(scratch_read(files->path, &records));
	assert_int_equal(records, writer->size);
}

static void counts_losses(void **state)
{
	struct files *files = *state;
	struct packet_header headers[8];
	size_t records;

	writer_files_put(&files->writer, 0, 2000);
	writer_files_put(&files->writer, 5, 2100);
	writer_files_put(&files->writer, 6, 2200);
	/* 6 is still held back, so 7 to 9 are not confirmed as lost before it is written. */
	assert_int_equal(writer_confirm_losses(&files->writer, 10, 2300), 0);
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_confirm_losses(&files->writer, 10, 2300), 0);
	/* 8 was confirmed as lost, so its record is dropped. */
	writer_files_put(&files->writer, 8, 2400);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_flush(&files->writer, 2500, 0, false), 0);
	assert_int_equal(writer_confirm_losses(&files->writer, 12, 2600), 0);
	assert_int_equal(writer_flush(&files->writer, 2700, 0, false), 0);
	assert_int_equal(writer_flush(&files->writer, 2700, 0, true), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 4);
	assert_int_equal(records, 3);
	assert_int_equal(headers[1].lost, 4);
	assert_int_equal(headers[1].sequence_end, 6);
	assert_int_equal(headers[2].lost, 7);
	assert_int_equal(headers[2].sequence_end, 10);
	assert_int_equal(headers[3].lost, 9);
	assert_int_equal(headers[3].records, 0);
	assert_int_equal(headers[3].sequence_first, 12);
	assert_int_equal(headers[3].sequence_end, 12);
	assert_int_equal(headers[3].time_first, 2500);
	assert_int_equal(headers[3].time_last, 2700);
	assert_int_equal(files->writer.loss.records, 3);
}

static void clamps_times_that_step_back(void **state)
{
	struct files *files = *state;
	struct packet_header headers[64];
	size_t records;

	writer_files_put(&files->writer, 0, 500);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(files->writer.clamped, 1);
	assert_int_equal(files->writer.clamped_max, 500);
	/* Each is earlier than the one before; the number of held records stays limited. */
	for (uint32_t i = 1; i <= 200000; i++)
		writer_files_put(&files->writer, i, 1000000 - i);
	assert_true(files->writer.held_count <= 65536);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	writer_files_read(files->path, headers, 64, &records, NULL);
	assert_int_equal(records, 200001);
	assert_int_equal(files->writer.loss.records, 200001);
}

/* The first record can have any sequence number. */
static void extends_sequence_numbers_that_wrap(void **state)
{
	struct files *files = *state;
	struct packet_header headers[8];
	size_t records;

	assert_int_equal(writer_confirm_losses(&files->writer, 0xfffffffe, 2000), 0);
	writer_files_put(&files->writer, 0xfffffffe, 2000);
	writer_files_put(&files->writer, 0xffffffff, 2001);
	writer_files_put(&files->writer, 0, 2002);
	writer_files_put(&files->writer, 1, 2003);
	assert_int_equal(writer_release(&files->writer), 0);
	assert_int_equal(writer_flush(&files->writer, 0, 0, false), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 2);
	assert_int_equal(headers[1].sequence_first, 0xfffffffe);
	assert_int_equal(headers[1].sequence_end, 0x100000002);
	assert_int_equal(headers[1].lost, 0xfffffffe);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit = { 0, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void continues_after_a_full_disk(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	struct packet_header headers[8];
	struct kmt_record later = { .id = KMT_KFREE, .words = KMT_RECORD_WORDS, .sequence = 300 };
	size_t records, size;
	int err;

	for (uint32_t i = 0; i < 100; i++)
		writer_files_put(writer, i, 2000 + i);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_flush(writer, 2100, 0, false), 0);
	size = writer->size;

	/* 100 and 103 to 199 do not reach the disk; 101 and 102 were lost before. 200 is held. */
	writer_files_put(writer, 100, 3000);
	for (uint32_t i = 103; i <= 200; i++)
		writer_files_put(writer, i, 3000 + i);
	limit_file_size(size + 120);
	err = writer_flush(writer, 4000, 0, false);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(writer->errmsg, "cpu3: File too large"));
	assert_int_equal(writer_put(writer, &later), -EFBIG);
	assert_int_equal(writer_release(writer), -EFBIG);
	assert_int_equal(writer_flush(writer, 4000, 0, true), -EFBIG);
	assert_int_equal(writer->held_count, 0);
	assert_int_equal(writer->header.records, 0);
	free(scratch_read(files->path, &records));
	assert_int_equal(records, size);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 2);

	/* There is space again: the stream continues and counts the missing events as lost. */
	writer_retry(writer);
	/* Dropped records do not advance the time, so this one is not clamped. */
	writer_files_put(writer, 301, 2500);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_confirm_losses(writer, 310, 6000), 0);
	assert_int_equal(writer_flush(writer, 6000, 0, true), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 3);
	assert_int_equal(records, 101);
	assert_int_equal(headers[2].time_first, 2500);
	assert_int_equal(writer->clamped, 0);
	assert_int_equal(headers[2].lost, 310 - 101);
	assert_int_equal(headers[2].sequence_end, 310);
	assert_int_equal(headers[2].sequence_first, 301);
	assert_int_equal(writer->loss.records, 101);
	assert_int_equal(writer->loss.confirmed, 310 - 101);
}

/* The sequence numbers of the records that a sink received, and the number of packets. */
struct sunk {
	uint32_t numbers[3 * PACKET_RECORDS_MAX];
	size_t records, packets;
	uint64_t time;
};

/* Frees the memory of each packet, and gives the writer other memory for it. */
static unsigned char *take_packet(void *data, const struct packet_header *header,
				  unsigned char *packet, size_t size)
{
	const struct kmt_record *records = (const void *)(packet + sizeof(*header));
	unsigned char *other = malloc(WRITER_PACKET_BYTES);
	struct sunk *sunk = data;

	assert_int_not_equal(header->records, 0);
	assert_int_equal(header->cpu, 3);
	assert_int_equal(size, header->records * sizeof(*records));
	assert_int_equal(records[0].time, header->time_first);
	assert_true(header->time_first >= sunk->time);
	sunk->time = header->time_last;
	for (uint32_t i = 0; i < header->records; i++) {
		assert_true(records[i].sequence >= header->sequence_first);
		sunk->numbers[sunk->records++] = records[i].sequence;
	}
	sunk->packets++;
	assert_non_null(other);
	free(packet);
	return other;
}

/* Two full packets and a part of one, out of order. */
static void put_many(struct writer *writer)
{
	for (uint32_t i = 0; i < 2 * PACKET_RECORDS_MAX + 10; i += 2) {
		writer_files_put(writer, i + 1, 2000 + i * 10 + 15);
		writer_files_put(writer, i, 2000 + i * 10);
	}
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_flush(writer, 0, 0, false), 0);
	assert_int_equal(writer_flush(writer, 0, 0, true), 0);
}

/* The sink receives the records that are on disk, in the same order. */
static void passes_written_records_to_the_sink(void **state)
{
	static uint32_t numbers[3 * PACKET_RECORDS_MAX];
	struct files *files = *state;
	struct sunk *sunk = calloc(1, sizeof(*sunk)), *other = calloc(1, sizeof(*other));
	struct packet_header headers[8];
	struct writer without;
	size_t records;

	files->writer.sink = (struct writer_sink){ take_packet, sunk };
	put_many(&files->writer);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, numbers), 5);
	assert_int_equal(sunk->packets, 3);
	assert_int_equal(sunk->records, records);
	assert_memory_equal(sunk->numbers, numbers, records * sizeof(*numbers));

	/* a writer without a file gives the sink the same records */
	assert_int_equal(writer_open(&without, -1, "cpu3", uuid, 3, 1000), 0);
	without.sink = (struct writer_sink){ take_packet, other };
	put_many(&without);
	assert_memory_equal(other, sunk, sizeof(*sunk));
	assert_int_equal(without.loss.records, records);
	writer_close(&without);
	free(other);
	free(sunk);
}

/* Records that could not be written are lost, and the sink does not get them. */
static void passes_no_lost_records_to_the_sink(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	struct sunk *sunk = calloc(1, sizeof(*sunk));
	int err;

	writer->sink = (struct writer_sink){ take_packet, sunk };
	writer_files_put(writer, 0, 2000);
	assert_int_equal(writer_release(writer), 0);
	limit_file_size(writer->size + 100);
	err = writer_flush(writer, 0, 0, false);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(sunk->packets, 0);
	assert_int_equal(loss_missing(&writer->loss), 1);
	free(sunk);
}

/* Puts a record of this length. Its words after the first 6 depend on the sequence number. */
static void put_long(struct writer *writer, uint32_t sequence, uint64_t time, uint8_t id,
		     uint8_t words)
{
	struct kmt_long_record record = {
		.head = { .time = time, .id = id, .words = words, .sequence = sequence }
	};

	for (int i = 0; i < words - KMT_RECORD_WORDS; i++)
		record.more[i] = ((uint64_t)sequence << 32) + (uint64_t)i;
	assert_int_equal(writer_put(writer, &record.head), 0);
}

static uint8_t words_of(uint32_t sequence)
{
	static const uint8_t words[] = { 6, 9, 6, 255, 7, 6, 6, 6 };

	return words[sequence % 8];
}

static void check_long(const struct kmt_record *record)
{
	const uint64_t *more = (const uint64_t *)(record + 1);

	assert_int_equal(record->words, words_of(record->sequence));
	assert_int_equal(record->id, record->sequence % 8 == 1 ? 200 : KMT_KFREE);
	for (int i = 0; i < record->words - KMT_RECORD_WORDS; i++)
		assert_int_equal(more[i], ((uint64_t)record->sequence << 32) + (uint64_t)i);
}

/* A sink that checks each record and counts them in a uint32_t. */
static unsigned char *check_long_sink(void *data, const struct packet_header *header,
				      unsigned char *packet, size_t size)
{
	const unsigned char *at = packet + sizeof(*header), *end = at + size;
	uint32_t *total = data;

	for (uint32_t i = 0; i < header->records; i++, ++*total) {
		check_long((const void *)at);
		at += ((const struct kmt_record *)(const void *)at)->words * KMT_WORD;
	}
	assert_ptr_equal(at, end);
	return packet;
}

#define LONG_RECORDS 4000

/*
 * Records of several lengths, not in order of time, are sorted and keep all words. A packet is full
 * when its bytes reach the limit.
 */
static void writes_long_records(void **state)
{
	static struct packet_header headers[64];
	static uint32_t numbers[LONG_RECORDS];
	struct files *files = *state;
	struct writer *writer = &files->writer;
	const struct kmt_record *record;
	struct kmt_long_record space;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	size_t records, packets;
	uint32_t sunk = 0;

	writer->sink = (struct writer_sink){ check_long_sink, &sunk };
	for (uint32_t i = 0; i < LONG_RECORDS; i += 4)
		for (uint32_t j = i + 3; j + 1 > i; j--)
			put_long(writer, j, 2000 + j, j % 8 == 1 ? 200 : KMT_KFREE, words_of(j));
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_flush(writer, 0, 0, false), 0);
	packets = writer_files_read(files->path, headers, 64, &records, numbers);
	assert_int_equal(records, LONG_RECORDS);
	assert_int_equal(sunk, LONG_RECORDS);
	for (uint32_t i = 0; i < LONG_RECORDS; i++)
		assert_int_equal(numbers[i], i);
	/* on average 37 words; only the last packet is not full */
	assert_int_equal(packets, 2 + LONG_RECORDS * 37 * KMT_WORD / PACKET_RECORDS_BYTES_MAX);
	assert_int_equal(headers[1].codec, files->packer ? PACKET_PACKED_LONG : PACKET_RAW);

	assert_int_equal(stream_open(&stream, files->path), 0);
	while (stream_next(&stream, &packet) > 0) {
		assert_in_range(packet.size, 0, PACKET_RECORDS_BYTES_MAX);
		cursor_init(&cursor, &packet);
		while (cursor_find(&cursor, &space, &record) > 0)
			check_long(record);
	}
	stream_close(&stream);
}

/* If a packet of long records cannot be written, all of its events are lost, and later ones. */
static void counts_lost_long_records(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	struct packet_header headers[8];
	size_t records;
	int err = 0;
	uint32_t next = 0;
	struct kmt_long_record record = { .head = { .id = 200, .words = 255 } };

	limit_file_size(writer->size + 100);
	for (; !err; next++) {
		record.head.sequence = next;
		record.head.time = 2000 + next;
		err = writer_put(writer, &record.head);
	}
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(next - 2, PACKET_RECORDS_BYTES_MAX / 2040);
	writer_retry(writer);
	put_long(writer, next, 3000, KMT_KFREE, 9);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_confirm_losses(writer, next + 1, 3000), 0);
	assert_int_equal(writer_flush(writer, 0, 0, false), 0);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 2);
	assert_int_equal(records, 1);
	assert_int_equal(headers[1].lost, next);
}

/* No record before the watermark is written: an earlier record is clamped. */
static void clamps_to_the_watermark(void **state)
{
	struct files *files = *state;
	struct writer *writer = &files->writer;
	struct packet_header headers[8];
	size_t records;

	writer_files_put(writer, 0, 2000);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_watermark(writer, 0), 2000);
	assert_int_equal(writer_watermark(writer, 1500), 2000);
	assert_int_equal(writer_flush(writer, 0, 0, false), 0);
	assert_int_equal(writer_watermark(writer, 3000), 3000);
	writer_files_put(writer, 1, 2990);
	writer_files_put(writer, 2, 3010);
	assert_int_equal(writer_release(writer), 0);
	assert_int_equal(writer_flush(writer, 0, 0, false), 0);
	assert_int_equal(writer_watermark(writer, 0), 3010);
	assert_int_equal(writer_files_read(files->path, headers, 8, &records, NULL), 3);
	assert_int_equal(headers[1].time_last, 2000);
	assert_int_equal(headers[2].time_first, 3000);
	assert_int_equal(writer->clamped, 1);
	assert_int_equal(writer->clamped_max, 10);
}

static void reports_a_file_that_cannot_be_written(void **state)
{
	struct writer writer;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(writer_open(&writer, fd, "full/cpu0", uuid, 0, 0), -ENOSPC);
	assert_string_equal(writer.errmsg, "full/cpu0: No space left on device");
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(begins_with_an_empty_packet, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(sorts_interrupted_records, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(does_not_flush_held_records, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(writes_full_packets, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(writes_full_packets, setup_packed,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(packs_packets_if_that_saves_space, setup_packed,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(counts_losses, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(counts_losses, setup_packed, writer_files_teardown),
		cmocka_unit_test_setup_teardown(clamps_times_that_step_back, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(extends_sequence_numbers_that_wrap,
						writer_files_setup, writer_files_teardown),
		cmocka_unit_test_setup_teardown(continues_after_a_full_disk, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(continues_after_a_full_disk, setup_packed,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(passes_written_records_to_the_sink,
						writer_files_setup, writer_files_teardown),
		cmocka_unit_test_setup_teardown(passes_no_lost_records_to_the_sink,
						writer_files_setup, writer_files_teardown),
		cmocka_unit_test_setup_teardown(writes_long_records, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(writes_long_records, setup_packed,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(counts_lost_long_records, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(clamps_to_the_watermark, writer_files_setup,
						writer_files_teardown),
		cmocka_unit_test_setup_teardown(reports_a_file_that_cannot_be_written,
						writer_files_setup, writer_files_teardown),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
