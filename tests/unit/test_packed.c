// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packed records: every record comes back bit by bit, in both byte orders; a second decoder, made
 * from kmemtrace-capture(5) alone, agrees; and no bytes bring the first one down.
 */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "tests/unit/naive_unpack.h"
#include "tests/unit/scratch.h"
#include "capture/packed.h"
#include "capture/packer.h"
#include "capture/reader.h"
#include "capture/unpacker.h"

#define MAX PACKET_RECORDS_MAX
#define HEAD sizeof(struct packet_header)
#define WINDOW_BITS (-15) /* as zlib calls DEFLATE without a frame */

struct room {
	struct packer *packer;
	struct unpacker *unpacker;
	struct kmt_record records[MAX], turned[MAX], naive[MAX]; /* fewer if some are long */
	size_t size;		 /* bytes of the records that make_long() made */
	enum packet_codec codec; /* of the bytes */
	unsigned char bytes[HEAD + MAX * sizeof(struct kmt_record)];
	unsigned char columns[MAX * (PACKED_RECORD_BYTES + KMT_RECORD_WORDS * PACKED_MORE_BYTES)];
	uint64_t state; /* of random() */
};

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(packer_create(&room->packer), 0);
	assert_int_equal(unpacker_create(&room->unpacker), 0);
	room->state = 88172645463325252ULL;
	room->codec = PACKET_PACKED;
	*state = room;
	return 0;
}

static int teardown(void **state)
{
	struct room *room = *state;

	packer_destroy(room->packer);
	unpacker_destroy(room->unpacker);
	free(room);
	return 0;
}

/* The same on every machine. */
static uint64_t any(struct room *room)
{
	room->state ^= room->state << 13;
	room->state ^= room->state >> 7;
	room->state ^= room->state << 17;
	return room->state;
}

static uint64_t below(struct room *room, uint64_t end)
{
	return any(room) % end;
}

static struct kmt_record *next_record(struct kmt_record *record)
{
	return (void *)((uint64_t *)record + record->words);
}

static void swap_all(struct room *room, size_t count, size_t records_size)
{
	struct kmt_record *record = room->turned;

	memcpy(room->turned, room->records, records_size);
	for (size_t i = 0; i < count; i++, record = next_record(record)) {
		record_swap(record);
		for (int j = KMT_RECORD_WORDS; j < record->words; j++)
			((uint64_t *)record)[j] = bswap_64(((uint64_t *)record)[j]);
	}
}

static int unpack(struct room *room, const void *bytes, size_t size, size_t count, bool swap,
		  const struct kmt_record **back, size_t *back_size)
{
	const struct packet_header header = { .records = (uint32_t)count, .codec = room->codec };

	return unpacker_unpack(room->unpacker, &header, bytes, size, swap, back, back_size);
}

/*
 * Packs, unpacks and compares, in both byte orders and with the naive unpacker. The bytes of what
 * was packed, in room->bytes; or 0: it stays raw.
 */
static size_t check_packing_of(struct room *room, size_t count, size_t records_size)
{
	struct packed_packet packed, again;
	const struct kmt_record *back;
	size_t size, back_size;

	swap_all(room, count, records_size);
	if (!packer_pack(room->packer, room->records, records_size, count, false, &packed)) {
		assert_false(
			packer_pack(room->packer, room->turned, records_size, count, true, &again));
		return 0;
	}
	room->codec = packed.codec;
	assert_int_equal(packed.codec, records_size == count * sizeof(*back) ? PACKET_PACKED
									     : PACKET_PACKED_LONG);
	assert_true(packed.size < HEAD + records_size);
	assert_int_equal(packed.size % KMT_WORD, 0);
	size = packed.size - HEAD;
	memcpy(room->bytes, packed.bytes + HEAD, size);
	assert_int_equal(unpack(room, room->bytes, size, count, false, &back, &back_size), 0);
	assert_int_equal(back_size, records_size);
	assert_memory_equal(back, room->records, records_size);
	assert_int_equal(unpack(room, room->bytes, size, count, true, &back, &back_size), 0);
	assert_int_equal(back_size, records_size);
	assert_memory_equal(back, room->turned, records_size);

	assert_true(packer_pack(room->packer, room->turned, records_size, count, true, &again));
	assert_int_equal(again.size - HEAD, size);
	assert_int_equal(again.codec, packed.codec);
	assert_memory_equal(again.bytes + HEAD, room->bytes, size);

	memset(room->naive, 0x55, records_size);
	assert_int_equal(naive_unpack(room->bytes, size, room->codec, room->naive, count), 0);
	assert_memory_equal(room->naive, room->records, records_size);
	return size;
}

static size_t check_packing(struct room *room, size_t count)
{
	return check_packing_of(room, count, count * sizeof(struct kmt_record));
}

/* Few sites, objects that are freed again soon, times that go on. */
static void make_usual(struct room *room, size_t count)
{
	uint64_t time = 123456789012345, live[64] = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct kmt_record *record = &room->records[i];
		size_t place = below(room, 64);

		time += 80 + below(room, 40);
		*record = (struct kmt_record){ .time = time,
					       .words = KMT_RECORD_WORDS,
					       .node = KMT_NODE_ANY,
					       .sequence = (uint32_t)i + 77,
					       .task = 1234 };
		if (live[place]) {
			record->id = KMT_KFREE;
			record->pointer = live[place];
			record->call_site = 0xffffffff81000000 + below(room, 8) * 4096;
			live[place] = 0;
			continue;
		}
		live[place] = 0xffff888100000000 + below(room, 100000) * 64;
		record->pointer = live[place];
		record->call_site = 0xffffffff82000000 + below(room, 8) * 4096;
		record->gfp = 0xcc0;
		if (below(room, 2)) {
			record->id = KMT_KMALLOC;
			record->requested = 50;
			record->allocated = 64;
		} else {
			record->id = KMT_CACHE_ALLOC;
			record->cache = 0xffff888000042a00;
		}
	}
}

static void make_random(struct room *room, size_t count)
{
	uint64_t *words = (uint64_t *)room->records;

	for (size_t i = 0; i < count * KMT_RECORD_WORDS; i++)
		words[i] = any(room);
	for (size_t i = 0; i < count; i++)
		room->records[i].words = KMT_RECORD_WORDS;
}

/* 0, all bits, and what lies about the borders of the form. */
static uint64_t extreme(struct room *room)
{
	static const uint64_t values[] = {
		0,	   1,	       0x7f,	       0x80,	   UINT32_MAX,	  INT32_MAX,
		INT64_MAX, 1ULL << 63, PACKED_FAR - 1, PACKED_FAR, PACKED_FAR / 2
	};
	uint64_t value = values[below(room, sizeof(values) / sizeof(*values))];

	return below(room, 2) ? value : 0 - value;
}

static void make_extreme(struct room *room, size_t count)
{
	for (size_t i = 0; i < count; i++)
		room->records[i] = (struct kmt_record){
			.time = extreme(room),
			.id = (uint8_t)extreme(room),
			.words = KMT_RECORD_WORDS,
			.node = (int16_t)extreme(room),
			.sequence = (uint32_t)extreme(room),
			.pointer = extreme(room),
			.call_site = extreme(room),
			.task = (uint32_t)extreme(room),
			.gfp = (uint32_t)extreme(room),
			.cache = extreme(room),
		};
}

static void test_usual(void **state)
{
	struct room *room = *state;
	size_t size;

	for (size_t count = 1; count <= MAX; count += count < 40 ? 1 : count - 7) {
		make_usual(room, count);
		check_packing(room, count);
	}
	make_usual(room, MAX);
	size = check_packing(room, MAX);
	assert_in_range(size, 1, MAX * 5);
}

static void test_extreme(void **state)
{
	struct room *room = *state;

	for (size_t count = 1; count <= MAX; count += count < 40 ? 1 : count - 7) {
		make_extreme(room, count);
		check_packing(room, count);
	}
}

/* Sites and objects anywhere: 16 bytes are not to be had for less. */
static void test_random_addresses(void **state)
{
	struct room *room = *state;

	make_usual(room, MAX);
	for (size_t i = 0; i < MAX; i++) {
		room->records[i].pointer = any(room);
		room->records[i].call_site = any(room);
	}
	assert_in_range(check_packing(room, MAX), MAX * 16, MAX * 20);
}

static bool pack(struct room *room, size_t records_size, size_t count)
{
	struct packed_packet packed;

	return packer_pack(room->packer, room->records, records_size, count, false, &packed);
}

static void test_stays_raw(void **state)
{
	const size_t size = sizeof(((struct room *)NULL)->records);
	struct room *room = *state;

	make_random(room, MAX);
	for (size_t count = 1; count <= MAX; count *= 2)
		check_packing(room, count);
	/* nothing repeats in them but ids, which are not a word */
	assert_int_equal(check_packing(room, 1), 0);
	make_usual(room, MAX);
	assert_false(pack(room, 0, 0));
	assert_false(pack(room, 0, MAX));
	assert_false(pack(room, size, MAX + 1));
	assert_false(pack(room, size + sizeof(*room->records), MAX + 1));
	assert_false(pack(room, size - KMT_WORD, MAX));
	assert_false(pack(room, size, MAX - 1));
	assert_true(pack(room, size, MAX));
	room->records[MAX - 1].words++;
	assert_false(pack(room, size, MAX));
	assert_true(pack(room, size - sizeof(*room->records), MAX - 1));
	room->records[0].words = KMT_RECORD_WORDS - 1;
	assert_false(pack(room, size - KMT_WORD, MAX));
	assert_false(pack(room, size, MAX));
}

static void test_real(void **state)
{
	struct room *room = *state;
	size_t records = 0, bytes = 0;

	assert_non_null(getenv("srcdir"));
	for (int cpu = 0; cpu < 2; cpu++) {
		char *path = scratch_path(getenv("srcdir"),
					  cpu ? "data/sample/cpu1" : "data/sample/cpu0");
		struct stream stream;
		struct packet packet;
		struct cursor cursor;
		size_t count;

		assert_int_equal(stream_open(&stream, path), 0);
		while (stream_next(&stream, &packet) == 1) {
			cursor_init(&cursor, &packet);
			for (count = 0; cursor_next(&cursor, &room->records[count]) == 1; count++)
				;
			assert_int_equal(count, packet.header.records);
			if (!count)
				continue;
			records += count;
			bytes += check_packing(room, count);
		}
		stream_close(&stream);
		free(path);
	}
	assert_true(records > 6000);
	assert_in_range(bytes, records, records * 5);
}

/* Whatever the bytes are. Were they taken for records? */
static bool try(struct room *room, const void *bytes, size_t size, size_t count)
{
	/* of its own, so that a sanitizer sees its end */
	unsigned char *copy = malloc(size ? size : 1);
	const struct kmt_record *back;
	size_t back_size;
	int err;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	err = unpack(room, copy, size, count, false, &back, &back_size);
	assert_true(!err || err == -EBADMSG);
	free(copy);
	return !err;
}

static void test_every_truncation(void **state)
{
	struct room *room = *state;
	size_t size, taken = 0;

	make_usual(room, 500);
	size = check_packing(room, 500);
	for (size_t cut = 1; cut <= size; cut++)
		taken += try(room, room->bytes, size - cut, 500);
	/* without the bytes that fill a word it is whole */
	assert_in_range(taken, 0, KMT_WORD - 1);
	assert_false(try(room, room->bytes, size - KMT_WORD, 500));
	for (size_t count = 0; count < 1000; count++)
		assert_int_equal(try(room, room->bytes, size, count), count == 500);
	assert_false(try(room, room->bytes, size, PACKED_RECORDS_MAX + 1));
	assert_false(try(room, room->bytes, size, UINT32_MAX));
}

static void test_every_byte_changed(void **state)
{
	struct room *room = *state;
	size_t size;

	make_usual(room, 500);
	size = check_packing(room, 500);
	for (size_t i = 0; i < size; i++) {
		unsigned char was = room->bytes[i];

		for (int j = 0; j < 8; j++) {
			room->bytes[i] = was ^ (unsigned char)(1 << j);
			try(room, room->bytes, size, 500);
		}
		room->bytes[i] = was;
	}
	for (int i = 0; i < 2000; i++) {
		for (size_t j = 0; j < size; j++)
			room->bytes[j] = (unsigned char)any(room);
		/* sizes that can be */
		for (size_t j = 0; i % 2 && j < PACKED_COLUMNS; j++)
			room->bytes[j] &= 0x7f;
		try(room, room->bytes, size, 500);
	}
}

/*
 * Makes each record of room->records long where its number is a multiple of every: some of an id
 * that this version knows, some of an unknown one; of 7 words or more. The words are near to
 * those of the record of the same kind before, or anything.
 */
static void make_long(struct room *room, size_t count, size_t every)
{
	static const uint8_t lengths[] = { 7, 9, 9, 16, KMT_WORDS_LIMIT };
	struct kmt_record *records = malloc(count * sizeof(*records)), *record = room->records;
	size_t left = sizeof(room->records) / KMT_WORD - count * KMT_RECORD_WORDS;

	assert_non_null(records);
	memcpy(records, room->records, count * sizeof(*records));
	for (size_t i = 0; i < count; i++, record = next_record(record)) {
		size_t which = below(room, sizeof(lengths));

		*record = records[i];
		if (i % every || lengths[which] > left + KMT_RECORD_WORDS)
			continue;
		record->words = lengths[which];
		left -= record->words - KMT_RECORD_WORDS;
		if (which % 2)
			record->id = 200;
		for (int j = KMT_RECORD_WORDS; j < record->words; j++)
			((uint64_t *)record)[j] = below(room, 8)
							  ? 0xffffffff81000000 + below(room, 4096)
						  : below(room, 2) ? any(room)
								   : extreme(room);
	}
	room->size = (size_t)((char *)record - (char *)room->records);
	free(records);
}

static void test_long_records(void **state)
{
	struct room *room = *state;
	size_t size;

	for (size_t count = 1; count <= MAX; count += count < 40 ? 1 : count - 7) {
		for (size_t every = 1; every < 4; every++) {
			make_usual(room, count);
			make_long(room, count, every);
			check_packing_of(room, count, room->size);
			make_extreme(room, count);
			make_long(room, count, every);
			check_packing_of(room, count, room->size);
		}
	}
	/* one record as long as can be; its words repeat those of the record before */
	for (int alike = 0; alike < 2; alike++) {
		uint64_t *words = (uint64_t *)room->records;

		make_usual(room, 1);
		room->records[0].words = KMT_WORDS_LIMIT;
		for (int i = KMT_RECORD_WORDS; i < KMT_WORDS_LIMIT; i++)
			words[i] = alike ? any(room) : 5;
		for (int i = 1; i < 10; i++)
			memcpy(words + i * KMT_WORDS_LIMIT, words, KMT_WORDS_LIMIT * KMT_WORD);
		size = check_packing_of(room, 10, 10 * KMT_WORDS_LIMIT * KMT_WORD);
		assert_in_range(size, 1, alike ? KMT_WORDS_LIMIT * KMT_WORD + 100 : 100);
	}
}

static void test_long_truncations(void **state)
{
	struct room *room = *state;
	size_t size, taken = 0;

	make_usual(room, 60);
	make_long(room, 60, 5);
	size = check_packing_of(room, 60, room->size);
	for (size_t cut = 1; cut <= size; cut++)
		taken += try(room, room->bytes, size - cut, 60);
	assert_in_range(taken, 0, KMT_WORD - 1);
	for (size_t count = 0; count < 200; count++)
		assert_int_equal(try(room, room->bytes, size, count), count == 60);
	/* of another codec they are damage */
	room->codec = PACKET_PACKED;
	assert_false(try(room, room->bytes, size, 60));
	make_usual(room, 60);
	size = check_packing(room, 60);
	room->codec = PACKET_PACKED_LONG;
	assert_false(try(room, room->bytes, size, 60));
}

/* What is deflated, changed and deflated again: damage that no deflate would find. */

struct parts {
	bool has_long;
	uint64_t more_count; /* if has_long */
	uint64_t sizes[PACKED_COLUMNS];
	size_t total; /* of room->columns */
	unsigned char wide[MAX * 16];
};

static bool has_column(const struct parts *parts, size_t column)
{
	return column != PACKED_MORE || parts->has_long;
}

static void take_apart(struct room *room, size_t size, struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	parts->total = 0;
	parts->has_long = room->codec == PACKET_PACKED_LONG;
	if (parts->has_long)
		parts->more_count = naive_number(room->bytes, size, &at);
	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		if (!has_column(parts, i))
			continue;
		parts->sizes[i] = naive_number(room->bytes, size, &at);
		parts->total += i < PACKED_DEFLATED ? parts->sizes[i] : 0;
	}
	memcpy(parts->wide, room->bytes + at, parts->sizes[PACKED_WIDE]);
	at += parts->sizes[PACKED_WIDE];
	assert_int_equal(inflateInit2(&stream, WINDOW_BITS), Z_OK);
	stream.next_in = room->bytes + at;
	stream.avail_in = (uInt)(size - at);
	stream.next_out = room->columns;
	stream.avail_out = sizeof(room->columns);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, parts->total);
	inflateEnd(&stream);
}

static size_t put_number(struct room *room, size_t at, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		room->bytes[at++] = (unsigned char)number | 0x80;
	room->bytes[at++] = (unsigned char)number;
	return at;
}

static size_t put_together(struct room *room, const struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	if (parts->has_long)
		at = put_number(room, at, parts->more_count);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		if (has_column(parts, i))
			at = put_number(room, at, parts->sizes[i]);
	memcpy(room->bytes + at, parts->wide, parts->sizes[PACKED_WIDE]);
	at += parts->sizes[PACKED_WIDE];
	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, WINDOW_BITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_in = room->columns;
	stream.avail_in = (uInt)parts->total;
	stream.next_out = room->bytes + at;
	stream.avail_out = (uInt)(sizeof(room->bytes) - at);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	at += stream.total_out;
	deflateEnd(&stream);
	return at;
}

static struct parts *make_parts(struct room *room, size_t count, bool has_long)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	size_t size;

	assert_non_null(parts);
	make_usual(room, count);
	room->records[count / 2].sequence += 1000;
	room->records[count / 3].task++;
	room->records[count / 4].pointer = ~room->records[count / 4].pointer;
	room->records[count / 5].call_site = 4096;
	room->size = count * sizeof(*room->records);
	if (has_long)
		make_long(room, count, 7);
	size = check_packing_of(room, count, room->size);
	assert_int_not_equal(size, 0);
	take_apart(room, size, parts);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		assert_int_equal(parts->sizes[i] != 0, has_column(parts, i));
	assert_true(try(room, room->bytes, put_together(room, parts), count));
	return parts;
}

static void check_columns_changed(struct room *room, bool has_long)
{
	struct parts *parts = make_parts(room, 60, has_long);

	for (size_t i = 0; i < parts->total; i++) {
		unsigned char was = room->columns[i];

		for (int value = 0; value < 256; value += 1 + value % 3) {
			room->columns[i] = (unsigned char)value;
			try(room, room->bytes, put_together(room, parts), 60);
		}
		room->columns[i] = was;
	}
	free(parts);
}

static void test_columns_changed(void **state)
{
	check_columns_changed(*state, false);
}

static void test_columns_changed_long(void **state)
{
	check_columns_changed(*state, true);
}

/* A column is a byte longer or shorter: the rest of the bytes are the next one's. */
static void check_columns_moved(struct room *room, bool has_long)
{
	struct parts *parts = make_parts(room, 60, has_long);

	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		for (int more = -1; more <= 1 && has_column(parts, i); more += 2) {
			size_t next = (i + 1) % (has_long ? PACKED_DEFLATED : PACKED_MORE);
			struct parts wrong = *parts;

			wrong.sizes[i] += (uint64_t)more;
			if (i == PACKED_WIDE) {
				assert_false(
					try(room, room->bytes, put_together(room, &wrong), 60));
				continue;
			}
			/* the sum is wrong, or not */
			assert_false(try(room, room->bytes, put_together(room, &wrong), 60));
			wrong.sizes[next] -= (uint64_t)more;
			assert_false(try(room, room->bytes, put_together(room, &wrong), 60));
		}
	}
	free(parts);
}

static void test_columns_moved(void **state)
{
	check_columns_moved(*state, false);
}

static void test_columns_moved_long(void **state)
{
	check_columns_moved(*state, true);
}

/* What is between the columns' sizes and the records must not grow without bound. */
static void test_bombs(void **state)
{
	struct room *room = *state;
	struct parts *parts = calloc(1, sizeof(*parts));
	size_t size;

	assert_non_null(parts);
	memset(room->columns, 0, sizeof(room->columns));
	parts->total = sizeof(room->columns);
	for (size_t i = 0; i < PACKED_MORE; i++)
		parts->sizes[i] = 1;
	size = put_together(room, parts);
	for (size_t count = 1; count < 10; count++)
		assert_false(try(room, room->bytes, size, count));
	assert_false(try(room, room->bytes, size, PACKED_RECORDS_MAX));
	/* as much as they say, of which the records make nothing */
	parts->sizes[0] = parts->total - PACKED_MORE + 1;
	size = put_together(room, parts);
	assert_false(try(room, room->bytes, size, MAX));
	assert_false(try(room, room->bytes, size, PACKED_RECORDS_MAX));
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		parts->sizes[i] = UINT64_MAX;
	parts->sizes[PACKED_WIDE] = 0;
	assert_false(try(room, room->bytes, put_together(room, parts), 1));
	free(parts);
}

/* The number of further words is not that of the records, or out of all bounds. */
static void test_long_counts(void **state)
{
	static const uint64_t counts[] = { 0, 1, PACKED_MORE_MAX, PACKED_MORE_MAX + 1, UINT64_MAX };
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60, true);
	const uint64_t right = parts->more_count;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		parts->more_count = counts[i];
		assert_false(try(room, room->bytes, put_together(room, parts), 60));
	}
	for (uint64_t count = right - 9; count < right + 9; count++) {
		parts->more_count = count;
		assert_int_equal(try(room, room->bytes, put_together(room, parts), 60),
				 count == right);
	}
	free(parts);
}

/* Not where it says that it is. */
static void test_wide(void **state)
{
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60, false);
	unsigned char bytes[PACKED_WIDE - 1 + 5] = { 1, 0, 0, 1, 1, 1, 1 };

	for (int size = 0; size < 256; size++) {
		bytes[PACKED_WIDE - 1] = (unsigned char)size; /* without PACKED_MORE */
		assert_false(try(room, bytes, sizeof(bytes), 1));
	}
	/* half an address */
	for (uint64_t size = 0; size < parts->sizes[PACKED_WIDE]; size++) {
		struct parts less = *parts;

		less.sizes[PACKED_WIDE] = size;
		assert_false(try(room, room->bytes, put_together(room, &less), 60));
	}
	free(parts);
}

/* The stream of DEFLATE ends where the columns do, and nothing follows it. */
static void test_ends(void **state)
{
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60, false);
	size_t size = put_together(room, parts);

	for (size_t more = 0; more < KMT_WORD; more++) {
		room->bytes[size + more] = 0;
		assert_true(try(room, room->bytes, size + more, 60));
	}
	assert_false(try(room, room->bytes, size + KMT_WORD, 60));
	room->bytes[size + 3] = 1;
	assert_false(try(room, room->bytes, size + 4, 60));
	/* what is missing is still in memory, from the time before */
	assert_true(try(room, room->bytes, size, 60));
	parts->total--;
	assert_false(try(room, room->bytes, put_together(room, parts), 60));
	free(parts);
}

/* Columns by hand, of one record. Is it taken? */
static bool try_one(struct room *room, const char *const columns[PACKED_DEFLATED],
		    const size_t sizes[PACKED_DEFLATED])
{
	struct parts *parts = calloc(1, sizeof(*parts));
	bool taken;

	assert_non_null(parts);
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		memcpy(room->columns + parts->total, columns[i], sizes[i]);
		parts->sizes[i] = sizes[i];
		parts->total += sizes[i];
	}
	taken = try(room, room->bytes, put_together(room, parts), 1);
	free(parts);
	return taken;
}

static void test_numbers(void **state)
{
	/* the column, its bytes, and whether they are right */
	static const struct {
		enum packed_column column;
		const char *bytes;
		size_t size;
		bool right;
	} cases[] = {
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, true },
		{ PACKED_TIMES, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true },
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, false },
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, false },
		{ PACKED_TIMES, "\x80", 1, false },
		{ PACKED_TIMES, "", 0, false },
		{ PACKED_TIMES, "\x80\x00", 2, true }, /* longer than it need be */
		{ PACKED_TIMES, "\x01\x01", 2, false },
		{ PACKED_KIND, "\x01", 1, false }, /* an entry that is not yet there */
		{ PACKED_KIND, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false },
		{ PACKED_BACK, "\x01", 1, false }, /* before the first record */
		{ PACKED_BACK, "\xff\xff\xff\xff\x0f", 5, false },
		{ PACKED_POINTERS, "", 0, false },
		{ PACKED_POINTERS, "\x00", 1, false }, /* wide is empty */
		{ PACKED_TASKS, "\x00\x05", 2, true },
		{ PACKED_TASKS, "\x00", 1, false },
		{ PACKED_TASKS, "\x01\x05", 2, false }, /* of a record that is not there */
		{ PACKED_TASKS, "\x00\x05\x00\x05", 4, false },
		{ PACKED_TASKS, "\x00\x05\x00", 3, false },
		{ PACKED_TASKS, "\x00\x05\x01", 3, false },
		{ PACKED_TASKS, "\x00\xff\xff\xff\xff\x0f", 6, true },
		{ PACKED_TASKS, "\x00\x80\x80\x80\x80\x10", 6, false }, /* 33 bits */
		{ PACKED_NUMBERS, "\x00\x80\x80\x80\x80\x10", 6, false },
		{ PACKED_KINDS, "\x02\x01\x00\x00", 4, false },
		{ PACKED_KINDS, "\x02\x01\x00\x00\x00\x00", 6, false },
		{ PACKED_KINDS, "\x02\x01\x00\xff\xff\x03\x00", 7, true },
		{ PACKED_KINDS, "\x02\x01\x00\x80\x80\x04\x00", 7, false }, /* a node of 17 bits */
		{ PACKED_KINDS, "\x01\x01\x00\x00\x05\x06", 6, true },
		{ PACKED_KINDS, "\x01\x01\x00\x00\x05", 5, false },
		{ PACKED_KINDS, "", 0, false },
	};
	struct room *room = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *columns[PACKED_DEFLATED] = {
			[PACKED_KINDS] = "\x02\x01\x00\x00\x00", /* a kfree */
			[PACKED_NUMBERS] = "",
			[PACKED_TASKS] = "",
			[PACKED_POINTERS] = "\x01",
			[PACKED_BACK] = "\x00",
			[PACKED_KIND] = "\x00",
			[PACKED_TIMES] = "\x01",
			[PACKED_MORE] = "",
		};
		size_t sizes[PACKED_DEFLATED] = { 5, 0, 0, 1, 1, 1, 1 };

		if (!i)
			assert_true(try_one(room, columns, sizes));
		columns[cases[i].column] = cases[i].bytes;
		sizes[cases[i].column] = cases[i].size;
		if (try_one(room, columns, sizes) != cases[i].right)
			fail_msg("case %zu: column %u", i, cases[i].column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_usual, setup, teardown),
		cmocka_unit_test_setup_teardown(test_extreme, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stays_raw, setup, teardown),
		cmocka_unit_test_setup_teardown(test_real, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_truncation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_byte_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns_moved, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_records, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_truncations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns_changed_long, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns_moved_long, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bombs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
