// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packed records: unpacking restores every bit of every record, in both byte orders, and an
 * independent decoder, written from kmemtrace-capture(5), agrees.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/packing.h"
#include "tests/unit/scratch.h"
#include "capture/reader.h"

static void packs_typical_records(void **state)
{
	struct packing *packing = *state;
	size_t size;

	for (size_t count = 1; count <= PACKING_RECORDS; count += count < 40 ? 1 : count - 7) {
		packing_make_typical(packing, count);
		packing_check(packing, count);
	}
	packing_make_typical(packing, PACKING_RECORDS);
	size = packing_check(packing, PACKING_RECORDS);
	assert_in_range(size, 1, PACKING_RECORDS * 5);
}

static void packs_extreme_values(void **state)
{
	struct packing *packing = *state;

	for (size_t count = 1; count <= PACKING_RECORDS; count += count < 40 ? 1 : count - 7) {
		packing_make_extreme(packing, count);
		packing_check(packing, count);
	}
}

/* Random call sites and objects need 16 bytes; the rest of a record is small. */
static void stores_random_addresses_in_16_bytes(void **state)
{
	struct packing *packing = *state;

	packing_make_typical(packing, PACKING_RECORDS);
	for (size_t i = 0; i < PACKING_RECORDS; i++) {
		packing->records[i].pointer = packing_random(packing);
		packing->records[i].call_site = packing_random(packing);
	}
	assert_in_range(packing_check(packing, PACKING_RECORDS), PACKING_RECORDS * 16,
			PACKING_RECORDS * 20);
}

static bool pack_records(struct packing *packing, size_t records_size, size_t count)
{
	struct packed_packet packed;

	return packer_pack(packing->packer, packing->records, records_size, count, false, &packed);
}

static void leaves_records_raw_that_it_cannot_pack(void **state)
{
	const size_t size = sizeof(((struct packing *)NULL)->records);
	struct packing *packing = *state;

	packing_make_random(packing, PACKING_RECORDS);
	for (size_t count = 1; count <= PACKING_RECORDS; count *= 2)
		packing_check(packing, count);
	/* one random record does not get smaller */
	assert_int_equal(packing_check(packing, 1), 0);
	packing_make_typical(packing, PACKING_RECORDS);
	assert_false(pack_records(packing, 0, 0));
	assert_false(pack_records(packing, 0, PACKING_RECORDS));
	assert_false(pack_records(packing, size, PACKING_RECORDS + 1));
	assert_false(pack_records(packing, size + sizeof(*packing->records), PACKING_RECORDS + 1));
	assert_false(pack_records(packing, size - KMT_WORD, PACKING_RECORDS));
	assert_false(pack_records(packing, size, PACKING_RECORDS - 1));
	assert_true(pack_records(packing, size, PACKING_RECORDS));
	packing->records[PACKING_RECORDS - 1].words++;
	assert_false(pack_records(packing, size, PACKING_RECORDS));
	assert_true(pack_records(packing, size - sizeof(*packing->records), PACKING_RECORDS - 1));
	packing->records[0].words = KMT_RECORD_WORDS - 1;
	assert_false(pack_records(packing, size - KMT_WORD, PACKING_RECORDS));
	assert_false(pack_records(packing, size, PACKING_RECORDS));
}

static void packs_a_real_capture(void **state)
{
	struct packing *packing = *state;
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
			for (count = 0; cursor_next(&cursor, &packing->records[count]) == 1;
			     count++)
				;
			assert_int_equal(count, packet.header.records);
			if (!count)
				continue;
			records += count;
			bytes += packing_check(packing, count);
		}
		stream_close(&stream);
		free(path);
	}
	assert_true(records > 6000);
	assert_in_range(bytes, records, records * 5);
}

static void packs_long_records(void **state)
{
	struct packing *packing = *state;
	size_t size;

	for (size_t count = 1; count <= PACKING_RECORDS; count += count < 40 ? 1 : count - 7) {
		for (size_t every = 1; every < 4; every++) {
			packing_make_typical(packing, count);
			packing_make_long(packing, count, every);
			packing_check_long(packing, count, packing->size);
			packing_make_extreme(packing, count);
			packing_make_long(packing, count, every);
			packing_check_long(packing, count, packing->size);
		}
	}
	/* equal records of the maximum length, with equal words and with random words */
	for (int is_random = 0; is_random < 2; is_random++) {
		uint64_t *words = (uint64_t *)packing->records;

		packing_make_typical(packing, 1);
		packing->records[0].words = KMT_WORDS_LIMIT;
		for (int i = KMT_RECORD_WORDS; i < KMT_WORDS_LIMIT; i++)
			words[i] = is_random ? packing_random(packing) : 5;
		for (int i = 1; i < 10; i++)
			memcpy(words + i * KMT_WORDS_LIMIT, words, KMT_WORDS_LIMIT * KMT_WORD);
		size = packing_check_long(packing, 10, 10 * KMT_WORDS_LIMIT * KMT_WORD);
		assert_in_range(size, 1, is_random ? KMT_WORDS_LIMIT * KMT_WORD + 100 : 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(packs_typical_records, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(packs_extreme_values, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(stores_random_addresses_in_16_bytes, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(leaves_records_raw_that_it_cannot_pack,
						packing_setup, packing_teardown),
		cmocka_unit_test_setup_teardown(packs_a_real_capture, packing_setup,
						packing_teardown),
		cmocka_unit_test_setup_teardown(packs_long_records, packing_setup,
						packing_teardown),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
