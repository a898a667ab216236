// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reader of streams: both byte orders, packets of later versions, and damage. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/byteswap.h"
#include "capture/packer.h"
#include "capture/reader.h"

struct files {
	char *directory, *path;
	struct stream stream;
	unsigned char bytes[65536]; /* of the stream that a test builds */
	size_t size;
};

static int set_up_reader(void **state)
{
	struct files *files = calloc(1, sizeof(*files));

	files->directory = scratch_directory();
	files->path = scratch_path(files->directory, "cpu0");
	files->stream.fd = -1;
	*state = files;
	return 0;
}

static int tear_down_reader(void **state)
{
	struct files *files = *state;

	stream_close(&files->stream);
	scratch_remove(files->directory);
	free(files->path);
	free(files);
	return 0;
}

/* Updates the CRC of the packet at the offset. */
static void seal_packet(struct files *files, size_t offset)
{
	struct packet_header header;

	memcpy(&header, files->bytes + offset, sizeof(header));
	header.crc = 0;
	memcpy(files->bytes + offset, &header, sizeof(header));
	header.crc = (uint32_t)crc32(0, files->bytes + offset, header.packet_bits / 8);
	memcpy(files->bytes + offset, &header, sizeof(header));
}

static struct packet_header *header_at(struct files *files, size_t offset)
{
	return (struct packet_header *)(files->bytes + offset);
}

/* The word with this index of a long record. */
static uint64_t more_word(uint32_t record, unsigned int word)
{
	return record * 0x0102030405060708ULL + word;
}

/* Adds a packet whose records have this number of words. Returns its offset, which is aligned. */
static size_t add_packet(struct files *files, uint32_t records, uint8_t words)
{
	size_t offset = files->size, size = sizeof(struct packet_header) + records * words * 8;
	struct packet_header header = { .magic = PACKET_MAGIC,
					.time_first = 100,
					.time_last = 200,
					.content_bits = size * 8,
					.packet_bits = size * 8,
					.records = records,
					.sequence_end = records,
					.version = PACKET_VERSION };
	struct kmt_record record = { .id = KMT_KMALLOC,
				     .words = words,
				     .node = -1,
				     .pointer = 0x1122334455667788,
				     .call_site = 0xffffffff81000010,
				     .task = 77,
				     .gfp = 0xcc0,
				     .requested = 100,
				     .allocated = 128 };

	assert_true(offset + size <= sizeof(files->bytes));
	memcpy(files->bytes + offset, &header, sizeof(header));
	for (uint32_t i = 0; i < records; i++) {
		record.time = 100 + i;
		record.sequence = i;
		memcpy(files->bytes + offset + sizeof(header) + i * words * 8, &record,
		       sizeof(record));
		for (unsigned int j = KMT_RECORD_WORDS; j < words; j++) {
			uint64_t word = more_word(i, j);

			memcpy(files->bytes + offset + sizeof(header) + (i * words + j) * 8, &word,
			       sizeof(word));
		}
	}
	files->size += size;
	seal_packet(files, offset);
	return offset;
}

static void add_bytes(struct files *files, const void *bytes, size_t size)
{
	memcpy(files->bytes + files->size, bytes, size);
	files->size += size;
}

static void open_stream(struct files *files)
{
	stream_close(&files->stream);
	scratch_write(files->path, files->bytes, files->size);
	assert_int_equal(stream_open(&files->stream, files->path), 0);
}

static void check_record(const struct kmt_record *record, uint32_t sequence)
{
	assert_int_equal(record->id, KMT_KMALLOC);
	assert_int_equal(record->time, 100 + sequence);
	assert_int_equal(record->sequence, sequence);
	assert_int_equal(record->node, -1);
	assert_int_equal(record->pointer, 0x1122334455667788);
	assert_int_equal(record->call_site, 0xffffffff81000010);
	assert_int_equal(record->task, 77);
	assert_int_equal(record->gfp, 0xcc0);
	assert_int_equal(record->requested, 100);
	assert_int_equal(record->allocated, 128);
}

static void check_packet(struct files *files, uint32_t records)
{
	struct packet packet;
	struct cursor cursor;
	struct kmt_record record;

	assert_int_equal(stream_next(&files->stream, &packet), 1);
	assert_int_equal(packet.header.records, records);
	assert_int_equal(packet.header.time_first, 100);
	assert_int_equal((uintptr_t)packet.records % 8, 0);
	cursor_init(&cursor, &packet);
	for (uint32_t i = 0; i < records; i++) {
		assert_int_equal(cursor_next(&cursor, &record), 1);
		check_record(&record, i);
	}
	assert_int_equal(cursor_next(&cursor, &record), 0);
	assert_int_equal(cursor_offset(&cursor, &packet), packet.size);
}

static void reads_both_byte_orders(void **state)
{
	struct files *files = *state;

	add_packet(files, 0, 6);
	add_packet(files, 5, 6);
	open_stream(files);
	check_packet(files, 0);
	check_packet(files, 5);
	assert_false(files->stream.swap);
	assert_int_equal(byteswap_stream(files->path), 0);
	stream_close(&files->stream);
	assert_int_equal(stream_open(&files->stream, files->path), 0);
	check_packet(files, 0);
	check_packet(files, 5);
	assert_true(files->stream.swap);
}

/* Packs the last packet, which is at the offset. */
static void pack_last(struct files *files, size_t offset)
{
	struct packet_header *header = header_at(files, offset);
	struct packed_packet packed;
	struct packer *packer;

	assert_int_equal(packer_create(&packer), 0);
	assert_true(packer_pack(packer, header + 1, files->size - offset - sizeof(*header),
				header->records, false, &packed));
	memcpy(header + 1, packed.bytes + sizeof(*header), packed.size - sizeof(*header));
	files->size = offset + packed.size;
	header->codec = packed.codec;
	header->content_bits = header->packet_bits = packed.size * 8;
	packer_destroy(packer);
	seal_packet(files, offset);
}

static void reads_packed_packets(void **state)
{
	struct files *files = *state;

	add_packet(files, 0, 6);
	pack_last(files, add_packet(files, 500, 6));
	add_packet(files, 5, 6);
	pack_last(files, add_packet(files, 9, 6));
	assert_in_range(files->size, 4 * 112 + 5 * 48, 4 * 112 + 5 * 48 + 300 * 8);
	for (int swapped = 0; swapped < 2; swapped++) {
		open_stream(files);
		if (swapped) {
			assert_int_equal(byteswap_stream(files->path), 0);
			stream_close(&files->stream);
			assert_int_equal(stream_open(&files->stream, files->path), 0);
		}
		check_packet(files, 0);
		check_packet(files, 500);
		check_packet(files, 5);
		check_packet(files, 9);
		assert_int_equal(files->stream.swap, swapped);
		assert_int_equal(files->stream.offset, files->size);
	}
}

static struct kmt_record read_swapped(struct files *files, struct kmt_record record)
{
	size_t offset = add_packet(files, 1, 6) + sizeof(struct packet_header);
	struct packet packet;
	struct cursor cursor;

	memcpy(files->bytes + offset, &record, sizeof(record));
	seal_packet(files, 0);
	open_stream(files);
	assert_int_equal(byteswap_stream(files->path), 0);
	assert_int_equal(stream_next(&files->stream, &packet), 1);
	cursor_init(&cursor, &packet);
	assert_int_equal(cursor_next(&cursor, &record), 1);
	return record;
}

static void swaps_caches(void **state)
{
	struct kmt_record record = {
		.id = KMT_CACHE_FREE, .words = 6, .node = 5, .cache = 0x0102030405060708
	};

	record = read_swapped(*state, record);
	assert_int_equal(record.cache, 0x0102030405060708);
	assert_int_equal(record.node, 5);
}

static void swaps_sizes(void **state)
{
	struct kmt_record record = { .id = KMT_ANONYMOUS_ALLOC,
				     .words = 6,
				     .requested = 0x01020304,
				     .allocated = 0x05060708 };

	record = read_swapped(*state, record);
	assert_int_equal(record.requested, 0x01020304);
	assert_int_equal(record.allocated, 0x05060708);
}

/* The packet's records have this number of words; add_packet() made those after the first 6. */
static void check_long_packet(struct files *files, uint32_t records, uint8_t words)
{
	const struct kmt_record *record = NULL;
	struct kmt_long_record space;
	struct packet packet;
	struct cursor cursor;

	assert_int_equal(stream_next(&files->stream, &packet), 1);
	assert_int_equal(packet.header.codec != PACKET_PACKED, 1);
	assert_int_equal((uintptr_t)packet.records % 8, 0);
	cursor_init(&cursor, &packet);
	for (uint32_t i = 0; i < records; i++) {
		assert_int_equal(cursor_find(&cursor, &space, &record), 1);
		check_record(record, i);
		assert_int_equal(record->words, words);
		for (unsigned int j = KMT_RECORD_WORDS; j < words; j++)
			assert_int_equal(((const uint64_t *)record)[j], more_word(i, j));
	}
	assert_int_equal(cursor_find(&cursor, &space, &record), 0);
	assert_int_equal(cursor_offset(&cursor, &packet), packet.size);
	assert_int_equal(packet.size, (size_t)records * words * KMT_WORD);
}

/* Raw and packed, in either byte order. The words after the first 6 have 64 bits. */
static void reads_long_records(void **state)
{
	struct files *files = *state;

	for (int swapped = 0; swapped < 2; swapped++) {
		files->size = 0;
		add_packet(files, 3, 9);
		pack_last(files, add_packet(files, 3, 9));
		add_packet(files, 2, 255);
		pack_last(files, add_packet(files, 2, 255));
		open_stream(files);
		if (swapped) {
			assert_int_equal(byteswap_stream(files->path), 0);
			stream_close(&files->stream);
			assert_int_equal(stream_open(&files->stream, files->path), 0);
		}
		check_long_packet(files, 3, 9);
		check_long_packet(files, 3, 9);
		check_long_packet(files, 2, 255);
		check_long_packet(files, 2, 255);
		assert_int_equal(files->stream.swap, swapped);
		assert_int_equal(files->stream.offset, files->size);
	}
}

/* A reader of the first 48 bytes of each record skips the rest. */
static void skips_further_words(void **state)
{
	struct files *files = *state;

	add_packet(files, 3, 9);
	pack_last(files, add_packet(files, 3, 9));
	open_stream(files);
	check_packet(files, 3);
	check_packet(files, 3);
}

static void refuses_wrong_record_sizes(void **state)
{
	static const uint8_t words[] = { 0, 5, 7, 255 };
	struct files *files = *state;
	struct packet packet;
	struct cursor cursor;
	struct kmt_record record;
	size_t offset = add_packet(files, 2, 6) + sizeof(struct packet_header);

	for (size_t i = 0; i < sizeof(words); i++) {
		files->bytes[offset + 48 + 9] = words[i];
		seal_packet(files, 0);
		open_stream(files);
		assert_int_equal(stream_next(&files->stream, &packet), 1);
		cursor_init(&cursor, &packet);
		assert_int_equal(cursor_next(&cursor, &record), 1);
		assert_int_equal(cursor_next(&cursor, &record), -EBADMSG);
		assert_int_equal(cursor_offset(&cursor, &packet), 48);
	}
}

/* Bytes after the content are padding, not records. */
static void skips_padding(void **state)
{
	struct files *files = *state;

	add_packet(files, 3, 6);
	header_at(files, 0)->content_bits -= 48 * 8;
	header_at(files, 0)->records = 2;
	seal_packet(files, 0);
	open_stream(files);
	check_packet(files, 2);
}

static void check_not_read(struct files *files, int err, const char *errmsg)
{
	struct packet packet;

	open_stream(files);
	assert_int_equal(stream_next(&files->stream, &packet), err);
	if (!strstr(files->stream.errmsg, errmsg))
		fail_msg("\"%s\" instead of \"%s\"", files->stream.errmsg, errmsg);
	assert_int_equal(files->stream.offset, 0);
}

static void check_bad(struct files *files, const char *errmsg)
{
	check_not_read(files, -EBADMSG, errmsg);
}

/* A valid packet of a later version is not taken for damage, and found after damage. */
static void reports_packets_of_later_versions(void **state)
{
	struct files *files = *state;
	struct packet_header *header = header_at(files, 0);
	struct packet_header valid;
	struct packet packet;
	size_t second;

	add_packet(files, 2, 6);
	valid = *header;
	header->version = 7;
	check_bad(files, "CRC-32");
	seal_packet(files, 0);
	check_not_read(files, -EPROTONOSUPPORT, "format version 7, this program knows 1");
	header->packet_bits = 64;
	check_bad(files, "bits");
	*header = valid;
	header->codec = 9;
	check_bad(files, "CRC-32");
	/* their meaning in another codec is unknown, so they are not checked */
	header->content_bits = 77;
	header->time_last = 0;
	seal_packet(files, 0);
	check_not_read(files, -EPROTONOSUPPORT, "codec 9, this program knows those up to 2");

	*header = valid;
	header->lost++;
	second = add_packet(files, 1, 6);
	header_at(files, second)->codec = 9;
	seal_packet(files, second);
	open_stream(files);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_int_equal(stream_resync(&files->stream), 1);
	assert_int_equal(files->stream.offset, second);
	assert_int_equal(stream_next(&files->stream, &packet), -EPROTONOSUPPORT);
	assert_int_equal(files->stream.offset, second);
}

static void explains_each_damage(void **state)
{
	struct files *files = *state;
	struct packet_header *header = header_at(files, 0);
	struct packet_header valid;

	add_packet(files, 2, 6);
	valid = *header;

	header->version = 0;
	check_bad(files, "format version 0");
	*header = valid;
	header->magic++;
	check_bad(files, "no packet begins here");
	*header = valid;
	header->time_last = 99;
	check_bad(files, "ends before it begins");
	*header = valid;
	header->packet_bits += 8;
	check_bad(files, "bits");
	*header = valid;
	header->content_bits += 64;
	check_bad(files, "bits");
	*header = valid;
	header->content_bits = 64;
	check_bad(files, "bits");
	*header = valid;
	header->packet_bits = UINT64_MAX / 64 * 64;
	check_bad(files, "bits");
	*header = valid;
	header->packet_bits = ((uint64_t)PACKET_BYTES_MAX + 8) * 8;
	check_bad(files, "bits");
	*header = valid;
	header->lost++;
	check_bad(files, "CRC-32");
	*header = valid;
	files->size -= 8;
	check_bad(files, "cut off: 200 bytes of 208 are there");
	files->size = 100;
	check_bad(files, "cut off: 100 bytes of a packet's header are there");
	files->size = 3;
	check_bad(files, "cut off: 3 bytes");
}

static void refuses_mixed_byte_orders(void **state)
{
	struct files *files = *state;
	struct packet packet;
	size_t size;
	unsigned char *swapped;

	add_packet(files, 1, 6);
	open_stream(files);
	assert_int_equal(byteswap_stream(files->path), 0);
	swapped = scratch_read(files->path, &size);
	add_bytes(files, swapped, size);
	free(swapped);
	open_stream(files);
	check_packet(files, 1);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_non_null(strstr(files->stream.errmsg, "another byte order"));
	assert_int_equal(stream_resync(&files->stream), 0);
}

static void finds_the_next_packet(void **state)
{
	struct files *files = *state;
	unsigned char rubbish[1001];
	uint32_t magic = PACKET_MAGIC;
	struct packet packet;
	size_t first, second;

	memset(rubbish, 0xc1, sizeof(rubbish));
	memcpy(rubbish + 500, &magic, 4);
	add_packet(files, 2, 6);
	first = add_packet(files, 3, 6);
	files->bytes[first + 150] ^= 1;
	add_bytes(files, rubbish, sizeof(rubbish));
	second = files->size;
	/* At an unaligned offset. */
	add_packet(files, 4, 6);
	add_bytes(files, rubbish, 77);
	open_stream(files);
	check_packet(files, 2);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_int_equal(files->stream.offset, first);
	assert_int_equal(stream_resync(&files->stream), 1);
	assert_int_equal(files->stream.offset, second);
	check_packet(files, 4);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_int_equal(stream_resync(&files->stream), 0);
	assert_int_equal(files->stream.offset, files->size);
	assert_int_equal(stream_next(&files->stream, &packet), 0);
}

/* The next packet is found at any offset, also across the end of the read buffer. */
static void finds_the_next_packet_at_any_offset(void **state)
{
	struct files *files = *state;

	for (size_t shift = 0; shift < 8; shift++) {
		size_t offset = 65536 - 4 + shift, size;
		unsigned char *bytes = calloc(1, offset + 4096);

		files->size = 0;
		add_packet(files, 2, 6);
		size = files->size;
		assert_non_null(bytes);
		memcpy(bytes + offset, files->bytes, size);
		stream_close(&files->stream);
		scratch_write(files->path, bytes, offset + size);
		free(bytes);
		assert_int_equal(stream_open(&files->stream, files->path), 0);
		assert_int_equal(stream_resync(&files->stream), 1);
		assert_int_equal(files->stream.offset, offset);
		check_packet(files, 2);
	}
}

/* Each header claims the rest of the file as its packet: the time must stay linear. */
static void reads_false_headers_in_linear_time(void **state)
{
	struct files *files = *state;
	size_t size = 8 << 20, header_size = 112;
	unsigned char *bytes = calloc(1, size);
	struct packet packet;

	add_packet(files, 0, 6);
	assert_non_null(bytes);
	for (size_t at = 0; at + header_size <= size; at += header_size) {
		struct packet_header *header = (struct packet_header *)(bytes + at);

		memcpy(header, files->bytes, header_size);
		header->content_bits = header->packet_bits = (size - at) / 8 * 64;
	}
	scratch_write(files->path, bytes, size);
	free(bytes);
	assert_int_equal(stream_open(&files->stream, files->path), 0);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_int_equal(stream_resync(&files->stream), 0);
	assert_int_equal(files->stream.offset, size);
	assert_true(files->stream.wasted < 5 * (size + PACKET_BYTES_MAX));
}

/* A packet with a correct CRC whose records are invalid is refused; the next one is found. */
static void refuses_invalid_packed_records(void **state)
{
	struct files *files = *state;
	struct packet_header *header = header_at(files, 0), valid;
	unsigned char body[4096];
	struct packet packet;
	size_t size, next;

	pack_last(files, add_packet(files, 100, 6));
	valid = *header;
	size = files->size;
	memcpy(body, header + 1, size - sizeof(valid));
	next = add_packet(files, 3, 6);
	for (int wrong = 0; wrong < 5; wrong++) {
		*header = valid;
		memcpy(header + 1, body, size - sizeof(valid));
		if (wrong == 0)
			header->records = 0;
		else if (wrong == 1)
			header->records++;
		else if (wrong == 2)
			header->records = UINT32_MAX;
		else if (wrong == 3)
			files->bytes[sizeof(valid)]++; /* the size of a column */
		else
			memset(header + 1, 0, size - sizeof(valid));
		seal_packet(files, 0);
		open_stream(files);
		assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
		assert_non_null(strstr(files->stream.errmsg, "does not unpack"));
		assert_int_equal(stream_resync(&files->stream), 1);
		assert_int_equal(files->stream.offset, next);
		check_packet(files, 3);
	}
}

/* Each packet takes as long to unpack as one with many records: the time must stay linear. */
static void unpacks_bombs_in_linear_time(void **state)
{
	struct files *files = *state;
	struct packet_header *header = header_at(files, 0);
	size_t count = 2000, size;
	unsigned char *bytes;
	struct packet packet;

	pack_last(files, add_packet(files, 100, 6));
	header->records = 65536;
	seal_packet(files, 0);
	size = files->size;
	bytes = calloc(count, size);
	assert_non_null(bytes);
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + i * size, files->bytes, size);
	scratch_write(files->path, bytes, count * size);
	free(bytes);
	assert_int_equal(stream_open(&files->stream, files->path), 0);
	assert_int_equal(stream_next(&files->stream, &packet), -EBADMSG);
	assert_int_equal(stream_resync(&files->stream), 0);
	assert_int_equal(files->stream.offset, count * size);
	assert_true(files->stream.wasted < 5 * (count * size + PACKET_BYTES_MAX));
}

static void refuses_files_that_are_not_streams(void **state)
{
	struct files *files = *state;
	struct stream stream;
	struct packet packet;

	assert_int_equal(stream_open(&stream, files->path), -ENOENT);
	assert_int_equal(stream_open(&stream, files->directory), -EISDIR);
	assert_int_equal(mkfifo(files->path, 0600), 0);
	assert_int_equal(stream_open(&stream, files->path), -EINVAL);
	assert_int_equal(remove(files->path), 0);
	open_stream(files);
	assert_int_equal(stream_next(&files->stream, &packet), 0);
	assert_int_equal(stream_resync(&files->stream), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_both_byte_orders, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(reads_packed_packets, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(swaps_caches, set_up_reader, tear_down_reader),
		cmocka_unit_test_setup_teardown(swaps_sizes, set_up_reader, tear_down_reader),
		cmocka_unit_test_setup_teardown(reads_long_records, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(skips_further_words, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(refuses_wrong_record_sizes, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(skips_padding, set_up_reader, tear_down_reader),
		cmocka_unit_test_setup_teardown(reports_packets_of_later_versions, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(explains_each_damage, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(refuses_mixed_byte_orders, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(finds_the_next_packet, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(finds_the_next_packet_at_any_offset, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(reads_false_headers_in_linear_time, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(refuses_invalid_packed_records, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(unpacks_bombs_in_linear_time, set_up_reader,
						tear_down_reader),
		cmocka_unit_test_setup_teardown(refuses_files_that_are_not_streams, set_up_reader,
						tear_down_reader),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
