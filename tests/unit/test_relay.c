// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records of relay files: both byte orders, features, damage, cuts, and files larger than a read.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/import/relay.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

/* A free of kmalloc, number 0x01020304, call site 5, pointer 6; size 24. */
static const unsigned char little[] = { 1, 0, 24, 0, 4, 3, 2, 1, 5, 0, 0, 0,
					0, 0, 0,  0, 6, 0, 0, 0, 0, 0, 0, 0 };
static const unsigned char big[] = { 1, 0, 0, 24, 1, 2, 3, 4, 0, 0, 0, 0,
				     0, 0, 0, 5,  0, 0, 0, 0, 0, 0, 0, 6 };

/* An allocation of pages with a feature of 5 bytes: 53. */
static const unsigned char alloc[] = { 0, 2, 53,   0,	 1,    0,    0, 0, 2, 0,   0,  0, 0,	0,
				       0, 0, 3,	   0,	 0,    0,    0, 0, 0, 0,   16, 0, 0,	0,
				       0, 0, 0,	   0,	 0,    1,    0, 0, 0, 0,   0,  0, 0xd0, 0,
				       0, 0, 0xff, 0xff, 0xff, 0xff, 5, 0, 9, 'a', 'b' };

static struct relay_bytes relay_over(const void *bytes, size_t size, bool big_endian)
{
	return (struct relay_bytes){ .at = bytes,
				     .end = (const unsigned char *)bytes + size,
				     .big_endian = big_endian,
				     .last = true };
}

static void is_the_free(const struct relay_record *record)
{
	assert_int_equal(record->event, RELAY_FREE);
	assert_int_equal(record->type, RELAY_KMALLOC);
	assert_int_equal(record->sequence, 0x01020304);
	assert_int_equal(record->call_site, 5);
	assert_int_equal(record->pointer, 6);
	assert_int_equal(record->node, -1);
}

static void test_byte_orders(void **state)
{
	struct relay_bytes bytes = relay_over(little, sizeof(little), false);
	struct relay_record record;

	(void)state;
	assert_true(relay_next(&bytes, &record));
	is_the_free(&record);
	assert_false(relay_next(&bytes, &record));
	bytes = relay_over(big, sizeof(big), true);
	assert_true(relay_next(&bytes, &record));
	is_the_free(&record);
	assert_int_equal(relay_count(little, sizeof(little), false), 1);
	assert_int_equal(relay_count(little, sizeof(little), true), 0);
	assert_int_equal(relay_count(big, sizeof(big), true), 1);
	assert_int_equal(relay_count(big, sizeof(big), false), 0);
}

static void test_allocation(void **state)
{
	struct relay_bytes bytes = relay_over(alloc, sizeof(alloc), false);
	struct relay_record record;

	(void)state;
	assert_int_equal(sizeof(alloc), 53);
	assert_true(relay_next(&bytes, &record));
	assert_int_equal(record.event, RELAY_ALLOC);
	assert_int_equal(record.type, RELAY_PAGES);
	assert_int_equal(record.sequence, 1);
	assert_int_equal(record.requested, 16);
	assert_int_equal(record.allocated, 256);
	assert_int_equal(record.gfp, 0xd0);
	assert_int_equal(record.node, -1);
	assert_ptr_equal(bytes.at, bytes.end);
	assert_int_equal(bytes.cut + bytes.damaged, 0);
}

/* An allocation between two frees, cut at every byte: whole records are read, the rest is counted.
 */
static void test_cut_records(void **state)
{
	unsigned char all[24 + 53 + 24];
	struct relay_record record;

	(void)state;
	memcpy(all, little, 24);
	memcpy(all + 24, alloc, 53);
	memcpy(all + 77, little, 24);
	for (size_t size = 0; size <= sizeof(all); size++) {
		struct relay_bytes bytes = relay_over(all, size, false);
		size_t count = 0, whole = size < 24 ? 0 : size < 77 ? 24 : size < 101 ? 77 : 101;

		while (relay_next(&bytes, &record))
			count++;
		assert_int_equal(count, (whole >= 24) + (whole >= 77) + (whole >= 101));
		assert_int_equal(bytes.cut, size - whole);
		assert_int_equal(bytes.damaged, 0);
	}
}

/* Behind damage one record alone is believed only where the file ends with it. */
static void test_damage(void **state)
{
	unsigned char all[7 + 24 + 24 + 2 + 24];
	struct relay_bytes bytes = relay_over(all, sizeof(all), false);
	struct relay_record record;
	size_t count = 0;

	(void)state;
	memset(all, 0xee, sizeof(all));
	memcpy(all + 7, little, 24);
	memcpy(all + 31, little, 24);
	memcpy(all + 57, little, 24);
	while (relay_next(&bytes, &record)) {
		is_the_free(&record);
		count++;
	}
	assert_int_equal(count, 3);
	assert_int_equal(bytes.damaged, 9);
	assert_int_equal(bytes.cut, 0);
}

#define MANY 60000 /* records: more than one read takes */

static void test_file(void **state)
{
	char *directory = scratch_directory(), *path = scratch_path(directory, "cpu0.out");
	size_t gap = 300000, size = MANY * 24 + gap, count = 0;
	unsigned char *bytes = malloc(size);
	struct relay_record record;
	struct relay_file relay;

	(void)state;
	assert_non_null(bytes);
	/* zeros are no records: size 0 */
	memset(bytes, 0, size);
	for (size_t i = 0; i < MANY; i++)
		memcpy(bytes + i * 24 + (i < MANY / 2 ? 0 : gap), little, 24);
	scratch_write(path, bytes, size);
	assert_int_equal(relay_open(&relay, path, false), 0);
	while (relay_read(&relay, &record)) {
		is_the_free(&record);
		count++;
	}
	assert_int_equal(count, MANY);
	assert_int_equal(relay.bytes.damaged, gap);
	assert_int_equal(relay.bytes.cut, 0);
	assert_false(relay.failed);
	relay_close(&relay);
	free(bytes);
	free(path);
	scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_orders), cmocka_unit_test(test_allocation),
		cmocka_unit_test(test_cut_records), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
