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
	struct kmt_record records[MAX], turned[MAX], naive[MAX];
	unsigned char bytes[HEAD + MAX * sizeof(struct kmt_record)];
	unsigned char columns[MAX * PACKED_RECORD_BYTES];
	uint64_t state; /* of random() */
};

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(packer_create(&room->packer), 0);
	assert_int_equal(unpacker_create(&room->unpacker), 0);
	room->state = 88172645463325252ULL;
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

/* Packs, and checks all that must come back. Bytes of what was packed, in room->bytes; or 0. */
static size_t check_packing(struct room *room, size_t count)
{
	const struct kmt_record *back;
	unsigned char *packed;
	size_t size, again;

	packed = packer_pack(room->packer, room->records, count, false, &size);
	for (size_t i = 0; i < count; i++) {
		room->turned[i] = room->records[i];
		record_swap(&room->turned[i]);
	}
	if (!packed) {
		assert_null(packer_pack(room->packer, room->turned, count, true, &again));
		return 0;
	}
	assert_true(size < HEAD + count * sizeof(*back));
	assert_int_equal(size % KMT_WORD, 0);
	size -= HEAD;
	memcpy(room->bytes, packed + HEAD, size);
	assert_int_equal(unpacker_unpack(room->unpacker, room->bytes, size, count, false, &back),
			 0);
	assert_memory_equal(back, room->records, count * sizeof(*back));
	assert_int_equal(unpacker_unpack(room->unpacker, room->bytes, size, count, true, &back), 0);
	assert_memory_equal(back, room->turned, count * sizeof(*back));

	packed = packer_pack(room->packer, room->turned, count, true, &again);
	assert_non_null(packed);
	assert_int_equal(again - HEAD, size);
	assert_memory_equal(packed + HEAD, room->bytes, size);

	memset(room->naive, 0x55, count * sizeof(*room->naive));
	assert_int_equal(naive_unpack(room->bytes, size, room->naive, count), 0);
	assert_memory_equal(room->naive, room->records, count * sizeof(*back));
	return size;
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

static void test_stays_raw(void **state)
{
	struct room *room = *state;
	size_t size;

	make_random(room, MAX);
	for (size_t count = 1; count <= MAX; count *= 2)
		check_packing(room, count);
	/* nothing repeats in them but ids, which are not a word */
	assert_int_equal(check_packing(room, 1), 0);
	make_usual(room, MAX);
	assert_null(packer_pack(room->packer, room->records, 0, false, &size));
	assert_null(packer_pack(room->packer, room->records, MAX + 1, false, &size));
	room->records[MAX - 1].words++;
	assert_null(packer_pack(room->packer, room->records, MAX, false, &size));
	assert_non_null(packer_pack(room->packer, room->records, MAX - 1, false, &size));
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
	int err;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	err = unpacker_unpack(room->unpacker, copy, size, count, false, &back);
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
	assert_false(try(room, room->bytes, size, SIZE_MAX));
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

/* What is deflated, changed and deflated again: damage that no deflate would find. */

struct parts {
	uint64_t sizes[PACKED_COLUMNS];
	size_t total; /* of room->columns */
	unsigned char wide[MAX * 16];
};

static void take_apart(struct room *room, size_t size, struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	parts->total = 0;
	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
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

static size_t put_together(struct room *room, const struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		uint64_t number = parts->sizes[i];

		for (; number > 0x7f; number >>= 7)
			room->bytes[at++] = (unsigned char)number | 0x80;
		room->bytes[at++] = (unsigned char)number;
	}
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

static struct parts *make_parts(struct room *room, size_t count)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	size_t size;

	assert_non_null(parts);
	make_usual(room, count);
	room->records[count / 2].sequence += 1000;
	room->records[count / 3].task++;
	room->records[count / 4].pointer = ~room->records[count / 4].pointer;
	room->records[count / 5].call_site = 4096;
	size = check_packing(room, count);
	assert_int_not_equal(size, 0);
	take_apart(room, size, parts);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		assert_int_not_equal(parts->sizes[i], 0);
	assert_true(try(room, room->bytes, put_together(room, parts), count));
	return parts;
}

static void test_columns_changed(void **state)
{
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60);

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

/* A column is a byte longer or shorter: the rest of the bytes are the next one's. */
static void test_columns_moved(void **state)
{
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60);

	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		for (int more = -1; more <= 1; more += 2) {
			struct parts wrong = *parts;

			wrong.sizes[i] += (uint64_t)more;
			if (i == PACKED_WIDE) {
				assert_false(
					try(room, room->bytes, put_together(room, &wrong), 60));
				continue;
			}
			/* the sum is wrong, or not */
			assert_false(try(room, room->bytes, put_together(room, &wrong), 60));
			wrong.sizes[(i + 1) % PACKED_DEFLATED] -= (uint64_t)more;
			assert_false(try(room, room->bytes, put_together(room, &wrong), 60));
		}
	}
	free(parts);
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
	for (size_t i = 0; i < PACKED_DEFLATED; i++)
		parts->sizes[i] = 1;
	size = put_together(room, parts);
	for (size_t count = 1; count < 10; count++)
		assert_false(try(room, room->bytes, size, count));
	assert_false(try(room, room->bytes, size, PACKED_RECORDS_MAX));
	/* as much as they say, of which the records make nothing */
	parts->sizes[0] = parts->total - PACKED_DEFLATED + 1;
	size = put_together(room, parts);
	assert_false(try(room, room->bytes, size, MAX));
	assert_false(try(room, room->bytes, size, PACKED_RECORDS_MAX));
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		parts->sizes[i] = UINT64_MAX;
	parts->sizes[PACKED_WIDE] = 0;
	assert_false(try(room, room->bytes, put_together(room, parts), 1));
	free(parts);
}

/* Not where it says that it is. */
static void test_wide(void **state)
{
	struct room *room = *state;
	struct parts *parts = make_parts(room, 60);
	unsigned char bytes[PACKED_COLUMNS + 4] = { 1, 0, 0, 1, 1, 1, 1 };

	for (int size = 0; size < 256; size++) {
		bytes[PACKED_WIDE] = (unsigned char)size;
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
	struct parts *parts = make_parts(room, 60);
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
		cmocka_unit_test_setup_teardown(test_bombs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
