// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Damaged packed records are refused or unpacked to wrong records; the unpacker does not crash. */
#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/naive_unpack.h"
#include "tests/unit/packing.h"
#include "tests/unit/scratch.h"

#define WINDOW_BITS (-15) /* zlib: DEFLATE without a header */

/* Unpacks any bytes. Returns whether they were valid. */
static bool is_valid_packet(struct packing *packing, const void *bytes, size_t size, size_t count)
{
	/* a separate copy: a sanitizer then detects reads beyond its end */
	unsigned char *copy = malloc(size ? size : 1);
	const struct kmt_record *back;
	size_t back_size;
	int err;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	err = packing_unpack(packing, copy, size, count, false, &back, &back_size);
	assert_true(!err || err == -EBADMSG);
	free(copy);
	return !err;
}

static void refuses_every_truncation(void **state)
{
	struct packing *packing = *state;
	size_t size, valid = 0;

	packing_make_typical(packing, 500);
	size = packing_check(packing, 500);
	for (size_t cut = 1; cut <= size; cut++)
		valid += is_valid_packet(packing, packing->bytes, size - cut, 500);
	/* only the padding of the last word may be missing */
	assert_in_range(valid, 0, KMT_WORD - 1);
	assert_false(is_valid_packet(packing, packing->bytes, size - KMT_WORD, 500));
	for (size_t count = 0; count < 1000; count++)
		assert_int_equal(is_valid_packet(packing, packing->bytes, size, count),
				 count == 500);
	assert_false(is_valid_packet(packing, packing->bytes, size, PACKED_RECORDS_MAX + 1));
	assert_false(is_valid_packet(packing, packing->bytes, size, UINT32_MAX));
}

static void survives_every_changed_byte(void **state)
{
	struct packing *packing = *state;
	size_t size;

	packing_make_typical(packing, 500);
	size = packing_check(packing, 500);
	for (size_t i = 0; i < size; i++) {
		unsigned char was = packing->bytes[i];

		for (int j = 0; j < 8; j++) {
			packing->bytes[i] = was ^ (unsigned char)(1 << j);
			is_valid_packet(packing, packing->bytes, size, 500);
		}
		packing->bytes[i] = was;
	}
	for (int i = 0; i < 2000; i++) {
		for (size_t j = 0; j < size; j++)
			packing->bytes[j] = (unsigned char)packing_random(packing);
		/* sizes of one byte, which are possible */
		for (size_t j = 0; i % 2 && j < PACKED_COLUMNS; j++)
			packing->bytes[j] &= 0x7f;
		is_valid_packet(packing, packing->bytes, size, 500);
	}
}

static void refuses_every_truncation_of_long_records(void **state)
{
	struct packing *packing = *state;
	size_t size, valid = 0;

	packing_make_typical(packing, 60);
	packing_make_long(packing, 60, 5);
	size = packing_check_long(packing, 60, packing->size);
	for (size_t cut = 1; cut <= size; cut++)
		valid += is_valid_packet(packing, packing->bytes, size - cut, 60);
	assert_in_range(valid, 0, KMT_WORD - 1);
	for (size_t count = 0; count < 200; count++)
		assert_int_equal(is_valid_packet(packing, packing->bytes, size, count),
				 count == 60);
	/* the bytes are invalid in the other codec */
	packing->codec = PACKET_PACKED;
	assert_false(is_valid_packet(packing, packing->bytes, size, 60));
	packing_make_typical(packing, 60);
	size = packing_check(packing, 60);
	packing->codec = PACKET_PACKED_LONG;
	assert_false(is_valid_packet(packing, packing->bytes, size, 60));
}

/* Columns that are inflated, changed and deflated again: DEFLATE does not detect this damage. */

struct parts {
	bool has_long;
	uint64_t more_count; /* if has_long */
	uint64_t sizes[PACKED_COLUMNS];
	size_t total; /* of packing->columns */
	unsigned char wide[PACKING_RECORDS * 16];
};

static bool has_column(const struct parts *parts, size_t column)
{
	return column != PACKED_MORE || parts->has_long;
}

static void split_packet(struct packing *packing, size_t size, struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	parts->total = 0;
	parts->has_long = packing->codec == PACKET_PACKED_LONG;
	if (parts->has_long)
		parts->more_count = naive_number(packing->bytes, size, &at);
	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		if (!has_column(parts, i))
			continue;
		parts->sizes[i] = naive_number(packing->bytes, size, &at);
		parts->total += i < PACKED_DEFLATED ? parts->sizes[i] : 0;
	}
	memcpy(parts->wide, packing->bytes + at, parts->sizes[PACKED_WIDE]);
	at += parts->sizes[PACKED_WIDE];
	assert_int_equal(inflateInit2(&stream, WINDOW_BITS), Z_OK);
	stream.next_in = packing->bytes + at;
	stream.avail_in = (uInt)(size - at);
	stream.next_out = packing->columns;
	stream.avail_out = sizeof(packing->columns);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, parts->total);
	inflateEnd(&stream);
}

static size_t put_number(struct packing *packing, size_t at, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		packing->bytes[at++] = (unsigned char)number | 0x80;
	packing->bytes[at++] = (unsigned char)number;
	return at;
}

static size_t join_packet(struct packing *packing, const struct parts *parts)
{
	z_stream stream = { 0 };
	size_t at = 0;

	if (parts->has_long)
		at = put_number(packing, at, parts->more_count);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		if (has_column(parts, i))
			at = put_number(packing, at, parts->sizes[i]);
	memcpy(packing->bytes + at, parts->wide, parts->sizes[PACKED_WIDE]);
	at += parts->sizes[PACKED_WIDE];
	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, WINDOW_BITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_in = packing->columns;
	stream.avail_in = (uInt)parts->total;
	stream.next_out = packing->bytes + at;
	stream.avail_out = (uInt)(sizeof(packing->bytes) - at);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	at += stream.total_out;
	deflateEnd(&stream);
	return at;
}

static struct parts *make_parts(struct packing *packing, size_t count, bool has_long)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	size_t size;

	assert_non_null(parts);
	packing_make_typical(packing, count);
	packing->records[count / 2].sequence += 1000;
	packing->records[count / 3].task++;
	packing->records[count / 4].pointer = ~packing->records[count / 4].pointer;
	packing->records[count / 5].call_site = 4096;
	packing->size = count * sizeof(*packing->records);
	if (has_long)
		packing_make_long(packing, count, 7);
	size = packing_check_long(packing, count, packing->size);
	assert_int_not_equal(size, 0);
	split_packet(packing, size, parts);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		assert_int_equal(parts->sizes[i] != 0, has_column(parts, i));
	assert_true(is_valid_packet(packing, packing->bytes, join_packet(packing, parts), count));
	return parts;
}

/*
 * Each byte of the columns gets its smallest and largest values, and each change of one bit; with
 * $KMEMTRACE_ALL_VALUES=1 all 256 values. $KMEMTRACE_STRIDE is the distance between these bytes.
 */
static bool is_tried(unsigned char value, unsigned char was, bool all)
{
	unsigned char changed = value ^ was;

	return all || value <= 1 || value >= 0xfe || value == 0x7f || value == 0x80 ||
	       !(changed & (changed - 1));
}

static void check_columns_changed(struct packing *packing, bool has_long)
{
	bool all = scratch_setting("KMEMTRACE_ALL_VALUES", 0);
	uint64_t stride = scratch_setting("KMEMTRACE_STRIDE", 2);
	struct parts *parts = make_parts(packing, 60, has_long);

	for (size_t i = 0; i < parts->total; i += stride) {
		unsigned char was = packing->columns[i];

		for (unsigned int value = 0; value < 256; value++) {
			if (!is_tried((unsigned char)value, was, all))
				continue;
			packing->columns[i] = (unsigned char)value;
			is_valid_packet(packing, packing->bytes, join_packet(packing, parts), 60);
		}
		packing->columns[i] = was;
	}
	free(parts);
}

static void survives_changed_columns(void **state)
{
	check_columns_changed(*state, false);
}

static void survives_changed_columns_of_long_records(void **state)
{
	check_columns_changed(*state, true);
}

/* A column is one byte longer or shorter, with or without a change of the next column's size. */
static void check_columns_moved(struct packing *packing, bool has_long)
{
	struct parts *parts = make_parts(packing, 60, has_long);

	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		for (int more = -1; more <= 1 && has_column(parts, i); more += 2) {
			size_t next = (i + 1) % (has_long ? PACKED_DEFLATED : PACKED_MORE);
			struct parts wrong = *parts;

			wrong.sizes[i] += (uint64_t)more;
			if (i == PACKED_WIDE) {
				assert_false(is_valid_packet(packing, packing->bytes,
							     join_packet(packing, &wrong), 60));
				continue;
			}
			/* first with a wrong total, then with the right one */
			assert_false(is_valid_packet(packing, packing->bytes,
						     join_packet(packing, &wrong), 60));
			wrong.sizes[next] -= (uint64_t)more;
			assert_false(is_valid_packet(packing, packing->bytes,
						     join_packet(packing, &wrong), 60));
		}
	}
	free(parts);
}

static void refuses_moved_columns(void **state)
{
	check_columns_moved(*state, false);
}

static void refuses_moved_columns_of_long_records(void **state)
{
	check_columns_moved(*state, true);
}

/* The inflated columns must not become larger than their limit. */
static void limits_the_inflated_size(void **state)
{
	struct packing *packing = *state;
	struct parts *parts = calloc(1, sizeof(*parts));
	size_t size;

	assert_non_null(parts);
	memset(packing->columns, 0, sizeof(packing->columns));
	parts->total = sizeof(packing->columns);
	for (size_t i = 0; i < PACKED_MORE; i++)
		parts->sizes[i] = 1;
	size = join_packet(packing, parts);
	for (size_t count = 1; count < 10; count++)
		assert_false(is_valid_packet(packing, packing->bytes, size, count));
	assert_false(is_valid_packet(packing, packing->bytes, size, PACKED_RECORDS_MAX));
	/* the sizes are true, but the records do not use the bytes */
	parts->sizes[0] = parts->total - PACKED_MORE + 1;
	size = join_packet(packing, parts);
	assert_false(is_valid_packet(packing, packing->bytes, size, PACKING_RECORDS));
	assert_false(is_valid_packet(packing, packing->bytes, size, PACKED_RECORDS_MAX));
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		parts->sizes[i] = UINT64_MAX;
	parts->sizes[PACKED_WIDE] = 0;
	assert_false(is_valid_packet(packing, packing->bytes, join_packet(packing, parts), 1));
	free(parts);
}

/* The number of further words differs from the records' number, or is above the limit. */
static void refuses_a_wrong_count_of_further_words(void **state)
{
	static const uint64_t counts[] = { 0, 1, PACKED_MORE_MAX, PACKED_MORE_MAX + 1, UINT64_MAX };
	struct packing *packing = *state;
	struct parts *parts = make_parts(packing, 60, true);
	const uint64_t right = parts->more_count;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		parts->more_count = counts[i];
		assert_false(
			is_valid_packet(packing, packing->bytes, join_packet(packing, parts), 60));
	}
	for (uint64_t count = right - 9; count < right + 9; count++) {
		parts->more_count = count;
		assert_int_equal(is_valid_packet(packing, packing->bytes,
						 join_packet(packing, parts), 60),
				 count == right);
	}
	free(parts);
}

/* The wide column is missing, or shorter than its addresses. */
static void refuses_a_wrong_size_of_the_wide_column(void **state)
{
	struct packing *packing = *state;
	struct parts *parts = make_parts(packing, 60, false);
	unsigned char bytes[PACKED_WIDE - 1 + 5] = { 1, 0, 0, 1, 1, 1, 1 };

	for (int size = 0; size < 256; size++) {
		bytes[PACKED_WIDE - 1] = (unsigned char)size; /* without PACKED_MORE */
		assert_false(is_valid_packet(packing, bytes, sizeof(bytes), 1));
	}
	/* also sizes that cut an address */
	for (uint64_t size = 0; size < parts->sizes[PACKED_WIDE]; size++) {
		struct parts less = *parts;

		less.sizes[PACKED_WIDE] = size;
		assert_false(
			is_valid_packet(packing, packing->bytes, join_packet(packing, &less), 60));
	}
	free(parts);
}

/* The deflated stream ends with the columns; only zeros up to the next word may follow. */
static void refuses_a_wrong_end_of_the_deflated_stream(void **state)
{
	struct packing *packing = *state;
	struct parts *parts = make_parts(packing, 60, false);
	size_t size = join_packet(packing, parts);

	for (size_t more = 0; more < KMT_WORD; more++) {
		packing->bytes[size + more] = 0;
		assert_true(is_valid_packet(packing, packing->bytes, size + more, 60));
	}
	assert_false(is_valid_packet(packing, packing->bytes, size + KMT_WORD, 60));
	packing->bytes[size + 3] = 1;
	assert_false(is_valid_packet(packing, packing->bytes, size + 4, 60));
	/* the unpacker still has the missing byte in memory from the last call */
	assert_true(is_valid_packet(packing, packing->bytes, size, 60));
	parts->total--;
	assert_false(is_valid_packet(packing, packing->bytes, join_packet(packing, parts), 60));
	free(parts);
}

/* Puts together a packet of one record from these columns. Returns whether it is valid. */
static bool unpacks_columns(struct packing *packing, const char *const columns[PACKED_DEFLATED],
			    const size_t sizes[PACKED_DEFLATED])
{
	struct parts *parts = calloc(1, sizeof(*parts));
	bool valid;

	assert_non_null(parts);
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		memcpy(packing->columns + parts->total, columns[i], sizes[i]);
		parts->sizes[i] = sizes[i];
		parts->total += sizes[i];
	}
	valid = is_valid_packet(packing, packing->bytes, join_packet(packing, parts), 1);
	free(parts);
	return valid;
}

static void checks_each_number_of_a_column(void **state)
{
	/* the column, its bytes, and whether they are valid */
	static const struct {
		enum packed_column column;
		const char *bytes;
		size_t size;
		bool valid;
	} cases[] = {
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, true },
		{ PACKED_TIMES, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true },
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, false },
		{ PACKED_TIMES, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, false },
		{ PACKED_TIMES, "\x80", 1, false },
		{ PACKED_TIMES, "", 0, false },
		{ PACKED_TIMES, "\x80\x00", 2, true }, /* more bytes than necessary */
		{ PACKED_TIMES, "\x01\x01", 2, false },
		{ PACKED_TEMPLATE_INDEX, "\x01", 1, false }, /* an entry that does not exist yet */
		{ PACKED_TEMPLATE_INDEX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false },
		{ PACKED_BACK, "\x01", 1, false }, /* before the first record */
		{ PACKED_BACK, "\xff\xff\xff\xff\x0f", 5, false },
		{ PACKED_POINTERS, "", 0, false },
		{ PACKED_POINTERS, "\x00", 1, false }, /* wide is empty */
		{ PACKED_TASKS, "\x00\x05", 2, true },
		{ PACKED_TASKS, "\x00", 1, false },
		{ PACKED_TASKS, "\x01\x05", 2, false }, /* of a record that does not exist */
		{ PACKED_TASKS, "\x00\x05\x00\x05", 4, false },
		{ PACKED_TASKS, "\x00\x05\x00", 3, false },
		{ PACKED_TASKS, "\x00\x05\x01", 3, false },
		{ PACKED_TASKS, "\x00\xff\xff\xff\xff\x0f", 6, true },
		{ PACKED_TASKS, "\x00\x80\x80\x80\x80\x10", 6, false }, /* 33 bits */
		{ PACKED_NUMBERS, "\x00\x80\x80\x80\x80\x10", 6, false },
		{ PACKED_TEMPLATES, "\x02\x01\x00\x00", 4, false },
		{ PACKED_TEMPLATES, "\x02\x01\x00\x00\x00\x00", 6, false },
		{ PACKED_TEMPLATES, "\x02\x01\x00\xff\xff\x03\x00", 7, true },
		{ PACKED_TEMPLATES, "\x02\x01\x00\x80\x80\x04\x00", 7,
		  false }, /* a node of 17 bits */
		{ PACKED_TEMPLATES, "\x01\x01\x00\x00\x05\x06", 6, true },
		{ PACKED_TEMPLATES, "\x01\x01\x00\x00\x05", 5, false },
		{ PACKED_TEMPLATES, "", 0, false },
	};
	struct packing *packing = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *columns[PACKED_DEFLATED] = {
			[PACKED_TEMPLATES] = "\x02\x01\x00\x00\x00", /* a kfree */
			[PACKED_NUMBERS] = "",
			[PACKED_TASKS] = "",
			[PACKED_POINTERS] = "\x01",
			[PACKED_BACK] = "\x00",
			[PACKED_TEMPLATE_INDEX] = "\x00",
			[PACKED_TIMES] = "\x01",
			[PACKED_MORE] = "",
		};
		size_t sizes[PACKED_DEFLATED] = { 5, 0, 0, 1, 1, 1, 1 };

		if (!i)
			assert_true(unpacks_columns(packing, columns, sizes));
		columns[cases[i].column] = cases[i].bytes;
		sizes[cases[i].column] = cases[i].size;
		if (unpacks_columns(packing, columns, sizes) != cases[i].valid)
			fail_msg("case %zu: column %u", i, cases[i].column);
	}
}

/* A packet of the most records: all but the first record have the template index. */
static size_t join_large_packet(struct packing *packing, unsigned char index)
{
	static const unsigned char entry[] = { KMT_KMALLOC, 1, 0, 0, 64, 64 };
	struct parts *parts = calloc(1, sizeof(*parts));
	unsigned char *at = packing->columns;
	size_t size;

	assert_non_null(parts);
	parts->sizes[PACKED_TEMPLATES] = sizeof(entry);
	memcpy(at, entry, sizeof(entry));
	at += sizeof(entry);
	for (enum packed_column column = PACKED_POINTERS; column <= PACKED_TIMES; column++) {
		unsigned char byte = column == PACKED_BACK	       ? 0
				     : column == PACKED_TEMPLATE_INDEX ? index
								       : 3;

		parts->sizes[column] = PACKED_RECORDS_MAX;
		memset(at, byte, PACKED_RECORDS_MAX);
		if (column == PACKED_TEMPLATE_INDEX)
			*at = 0;
		at += PACKED_RECORDS_MAX;
	}
	parts->total = (size_t)(at - packing->columns);
	size = join_packet(packing, parts);
	free(parts);
	return size;
}

static size_t allocated_bytes(void)
{
	struct mallinfo2 info = mallinfo2(); /* with a sanitizer: 0 */

	return info.uordblks + info.hblkhd;
}

static void keeps_little_memory_for_a_large_packet(void **state)
{
	const size_t records_size = PACKED_RECORDS_MAX * sizeof(struct kmt_record);
	struct packing *packing = *state;
	size_t size = join_large_packet(packing, 1), before = allocated_bytes();

	assert_in_range(size, 1, 4000);
	assert_true(is_valid_packet(packing, packing->bytes, size, PACKED_RECORDS_MAX));
	assert_in_range(allocated_bytes() - before, 0, records_size + 600000);
}

static void refuses_more_entries_than_the_dictionary_has(void **state)
{
	struct packing *packing = *state;
	size_t size = join_large_packet(packing, 0);

	assert_false(is_valid_packet(packing, packing->bytes, size, PACKED_RECORDS_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(refuses_every_truncation, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(survives_every_changed_byte, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(survives_changed_columns, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_moved_columns, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_every_truncation_of_long_records,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(survives_changed_columns_of_long_records,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_moved_columns_of_long_records,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_a_wrong_count_of_further_words,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(limits_the_inflated_size, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_a_wrong_size_of_the_wide_column,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_a_wrong_end_of_the_deflated_stream,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(checks_each_number_of_a_column, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(keeps_little_memory_for_a_large_packet,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(refuses_more_entries_than_the_dictionary_has,
						packing_setup, packing_teardown),
	};

	return cmocka_run_group_tests_name("packed-damage", tests, NULL, NULL);
}
