// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes records, packs and unpacks them, and compares the result with the naive unpacker. */
#include "config.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/naive_unpack.h"
#include "tests/unit/packing.h"
#include "capture/byteorder.h"
#include "tests/unit/scratch.h"

int packing_setup(void **state)
{
	struct packing *packing = calloc(1, sizeof(*packing));

	assert_non_null(packing);
	assert_int_equal(packer_create(&packing->packer), 0);
	assert_int_equal(unpacker_create(&packing->unpacker), 0);
	packing->state = 88172645463325252ULL;
	packing->codec = PACKET_PACKED;
	*state = packing;
	return 0;
}

int packing_teardown(void **state)
{
	struct packing *packing = *state;

	packer_destroy(packing->packer);
	unpacker_destroy(packing->unpacker);
	free(packing);
	return 0;
}

uint64_t packing_random(struct packing *packing)
{
	return scratch_random(&packing->state);
}

uint64_t packing_random_below(struct packing *packing, uint64_t end)
{
	return packing_random(packing) % end;
}

static struct kmt_record *next_record(struct kmt_record *record)
{
	return (void *)((uint64_t *)record + record->words);
}

static void swap_all(struct packing *packing, size_t count, size_t records_size)
{
	struct kmt_record *record = packing->swapped;

	memcpy(packing->swapped, packing->records, records_size);
	for (size_t i = 0; i < count; i++, record = next_record(record)) {
		record_swap(record);
		for (int j = KMT_RECORD_WORDS; j < record->words; j++)
			((uint64_t *)record)[j] = bswap_64(((uint64_t *)record)[j]);
	}
}

int packing_unpack(struct packing *packing, const void *bytes, size_t size, size_t count, bool swap,
		   const struct kmt_record **back, size_t *back_size)
{
	const struct packet_header header = { .records = (uint32_t)count, .codec = packing->codec };

	return unpacker_unpack(packing->unpacker, &header, bytes, size, swap, back, back_size);
}

size_t packing_check_long(struct packing *packing, size_t count, size_t records_size)
{
	struct packed_packet packed, again;
	const struct kmt_record *back;
	size_t size, back_size;

	swap_all(packing, count, records_size);
	if (!packer_pack(packing->packer, packing->records, records_size, count, false, &packed)) {
		assert_false(packer_pack(packing->packer, packing->swapped, records_size, count,
					 true, &again));
		return 0;
	}
	packing->codec = packed.codec;
	assert_int_equal(packed.codec, records_size == count * sizeof(*back) ? PACKET_PACKED
									     : PACKET_PACKED_LONG);
	assert_true(packed.size < PACKING_HEADER + records_size);
	assert_int_equal(packed.size % KMT_WORD, 0);
	size = packed.size - PACKING_HEADER;
	memcpy(packing->bytes, packed.bytes + PACKING_HEADER, size);
	assert_int_equal(
		packing_unpack(packing, packing->bytes, size, count, false, &back, &back_size), 0);
	assert_int_equal(back_size, records_size);
	assert_memory_equal(back, packing->records, records_size);
	assert_int_equal(
		packing_unpack(packing, packing->bytes, size, count, true, &back, &back_size), 0);
	assert_int_equal(back_size, records_size);
	assert_memory_equal(back, packing->swapped, records_size);

	assert_true(
		packer_pack(packing->packer, packing->swapped, records_size, count, true, &again));
	assert_int_equal(again.size - PACKING_HEADER, size);
	assert_int_equal(again.codec, packed.codec);
	assert_memory_equal(again.bytes + PACKING_HEADER, packing->bytes, size);

	memset(packing->naive, 0x55, records_size);
	assert_int_equal(naive_unpack(packing->bytes, size, packing->codec, packing->naive, count),
			 0);
	assert_memory_equal(packing->naive, packing->records, records_size);
	return size;
}

size_t packing_check(struct packing *packing, size_t count)
{
	return packing_check_long(packing, count, count * sizeof(struct kmt_record));
}

void packing_make_typical(struct packing *packing, size_t count)
{
	uint64_t time = 123456789012345, live[64] = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct kmt_record *record = &packing->records[i];
		size_t slot = packing_random_below(packing, 64);

		time += 80 + packing_random_below(packing, 40);
		*record = (struct kmt_record){ .time = time,
					       .words = KMT_RECORD_WORDS,
					       .node = KMT_NODE_ANY,
					       .sequence = (uint32_t)i + 77,
					       .task = 1234 };
		if (live[slot]) {
			record->id = KMT_KFREE;
			record->pointer = live[slot];
			record->call_site =
				0xffffffff81000000 + packing_random_below(packing, 8) * 4096;
			live[slot] = 0;
			continue;
		}
		live[slot] = 0xffff888100000000 + packing_random_below(packing, 100000) * 64;
		record->pointer = live[slot];
		record->call_site = 0xffffffff82000000 + packing_random_below(packing, 8) * 4096;
		record->gfp = 0xcc0;
		if (packing_random_below(packing, 2)) {
			record->id = KMT_KMALLOC;
			record->requested = 50;
			record->allocated = 64;
		} else {
			record->id = KMT_CACHE_ALLOC;
			record->cache = 0xffff888000042a00;
		}
	}
}

void packing_make_random(struct packing *packing, size_t count)
{
	uint64_t *words = (uint64_t *)packing->records;

	for (size_t i = 0; i < count * KMT_RECORD_WORDS; i++)
		words[i] = packing_random(packing);
	for (size_t i = 0; i < count; i++)
		packing->records[i].words = KMT_RECORD_WORDS;
}

/* 0, all bits, or a value near a limit of the packed format. */
static uint64_t draw_extreme(struct packing *packing)
{
	static const uint64_t values[] = {
		0,	   1,	       0x7f,	       0x80,	   UINT32_MAX,	  INT32_MAX,
		INT64_MAX, 1ULL << 63, PACKED_FAR - 1, PACKED_FAR, PACKED_FAR / 2
	};
	uint64_t value = values[packing_random_below(packing, sizeof(values) / sizeof(*values))];

	return packing_random_below(packing, 2) ? value : 0 - value;
}

void packing_make_extreme(struct packing *packing, size_t count)
{
	for (size_t i = 0; i < count; i++)
		packing->records[i] = (struct kmt_record){
			.time = draw_extreme(packing),
			.id = (uint8_t)draw_extreme(packing),
			.words = KMT_RECORD_WORDS,
			.node = (int16_t)draw_extreme(packing),
			.sequence = (uint32_t)draw_extreme(packing),
			.pointer = draw_extreme(packing),
			.call_site = draw_extreme(packing),
			.task = (uint32_t)draw_extreme(packing),
			.gfp = (uint32_t)draw_extreme(packing),
			.cache = draw_extreme(packing),
		};
}

void packing_make_long(struct packing *packing, size_t count, size_t every)
{
	static const uint8_t lengths[] = { 7, 9, 9, 16, KMT_WORDS_LIMIT };
	struct kmt_record *records = malloc(count * sizeof(*records)), *record = packing->records;
	size_t left = sizeof(packing->records) / KMT_WORD - count * KMT_RECORD_WORDS;

	assert_non_null(records);
	memcpy(records, packing->records, count * sizeof(*records));
	for (size_t i = 0; i < count; i++, record = next_record(record)) {
		size_t which = packing_random_below(packing, sizeof(lengths));

		*record = records[i];
		if (i % every || lengths[which] > left + KMT_RECORD_WORDS)
			continue;
		record->words = lengths[which];
		left -= record->words - KMT_RECORD_WORDS;
		if (which % 2)
			record->id = 200;
		for (int j = KMT_RECORD_WORDS; j < record->words; j++)
			((uint64_t *)record)[j] =
				packing_random_below(packing, 8)
					? 0xffffffff81000000 + packing_random_below(packing, 4096)
				: packing_random_below(packing, 2) ? packing_random(packing)
								   : draw_extreme(packing);
	}
	packing->size = (size_t)((char *)record - (char *)packing->records);
	free(records);
}
