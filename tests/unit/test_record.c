// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout of records and packet headers: fields on disk keep their offsets. */
#include "config.h"

#include <string.h>

#include "tests/unit/unit.h"
#include "kernel/record.h"
#include "capture/event.h"
#include "capture/format.h"

#define ASSERT_FIELD(type, field, offset, size)                        \
	do {                                                           \
		assert_int_equal(offsetof(type, field), offset);       \
		assert_int_equal(sizeof(((type *)NULL)->field), size); \
	} while (0)

static void ids_do_not_change(void **state)
{
	(void)state;
	assert_int_equal(KMT_NONE, 0);
	assert_int_equal(KMT_KMALLOC, 1);
	assert_int_equal(KMT_KFREE, 2);
	assert_int_equal(KMT_CACHE_ALLOC, 3);
	assert_int_equal(KMT_CACHE_FREE, 4);
	assert_int_equal(KMT_BULK_ALLOC, 5);
	assert_int_equal(KMT_BULK_FREE, 6);
	assert_int_equal(KMT_REALLOC, 7);
	assert_int_equal(KMT_BACKUP_KFREE, 8);
	assert_int_equal(KMT_BACKUP_CACHE_FREE, 9);
	assert_int_equal(KMT_ANONYMOUS_ALLOC, 10);
	assert_int_equal(KMT_PAGE_FAULT, 11);
	assert_int_equal(KMT_PAGE_FAULT_RETURN, 12);
	assert_int_equal(KMT_WRITE_SHARED, 13);
	assert_int_equal(KMT_WRITE_SHARED_COPY, 14);
	assert_int_equal(KMT_MMAP, 15);
	assert_int_equal(KMT_MUNMAP, 16);
	assert_int_equal(KMT_BRK, 17);
	assert_int_equal(KMT_OOM_KILL, 18);
	assert_int_equal(KMT_STACK, 19);
	assert_int_equal(PACKET_RAW, 0);
}

static void record_fields_do_not_move(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct kmt_record), 48);
	ASSERT_FIELD(struct kmt_record, time, 0, 8);
	ASSERT_FIELD(struct kmt_record, id, 8, 1);
	ASSERT_FIELD(struct kmt_record, words, 9, 1);
	ASSERT_FIELD(struct kmt_record, node, 10, 2);
	ASSERT_FIELD(struct kmt_record, sequence, 12, 4);
	ASSERT_FIELD(struct kmt_record, pointer, 16, 8);
	ASSERT_FIELD(struct kmt_record, call_site, 24, 8);
	ASSERT_FIELD(struct kmt_record, task, 32, 4);
	ASSERT_FIELD(struct kmt_record, gfp, 36, 4);
	ASSERT_FIELD(struct kmt_record, requested, 40, 4);
	ASSERT_FIELD(struct kmt_record, allocated, 44, 4);
	ASSERT_FIELD(struct kmt_record, cache, 40, 8);
}

static void tag_covers_id_words_node_and_sequence(void **state)
{
	struct kmt_record record = { 0 }, other = { 0 };

	(void)state;
	record.id = KMT_KFREE;
	record.words = KMT_RECORD_WORDS;
	record.node = KMT_NODE_ANY;
	record.sequence = 0x12345678;
	other.tag = record.tag;
	assert_int_equal(other.id, KMT_KFREE);
	assert_int_equal(other.words, 6);
	assert_int_equal(other.node, -1);
	assert_int_equal(other.sequence, 0x12345678);
}

static void packet_header_fields_do_not_move(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct packet_header), 112);
	ASSERT_FIELD(struct packet_header, magic, 0, 4);
	ASSERT_FIELD(struct packet_header, stream_id, 4, 4);
	ASSERT_FIELD(struct packet_header, uuid, 8, 16);
	ASSERT_FIELD(struct packet_header, time_first, 24, 8);
	ASSERT_FIELD(struct packet_header, time_last, 32, 8);
	ASSERT_FIELD(struct packet_header, content_bits, 40, 8);
	ASSERT_FIELD(struct packet_header, packet_bits, 48, 8);
	ASSERT_FIELD(struct packet_header, lost, 56, 8);
	ASSERT_FIELD(struct packet_header, number, 64, 8);
	ASSERT_FIELD(struct packet_header, cpu, 72, 4);
	ASSERT_FIELD(struct packet_header, records, 76, 4);
	ASSERT_FIELD(struct packet_header, sequence_first, 80, 8);
	ASSERT_FIELD(struct packet_header, sequence_end, 88, 8);
	ASSERT_FIELD(struct packet_header, skipped, 96, 8);
	ASSERT_FIELD(struct packet_header, codec, 104, 2);
	ASSERT_FIELD(struct packet_header, version, 106, 2);
	ASSERT_FIELD(struct packet_header, crc, 108, 4);
}

static void classifies_events(void **state)
{
	struct event event = { .id = KMT_CACHE_ALLOC };

	(void)state;
	assert_true(event_is_allocation(&event));
	assert_false(event_has_object(&event));
	event.id = KMT_ANONYMOUS_ALLOC;
	assert_true(event_is_allocation(&event));
	event.id = KMT_CACHE_FREE; /* without a cache: some kernels do not name it */
	assert_false(event_is_kfree(&event));
	event.id = KMT_BULK_FREE;
	assert_true(event_is_kfree(&event));
	event.id = KMT_KFREE;
	event.pointer = KMT_ZERO_SIZE_PTR;
	assert_false(event_is_allocation(&event));
	assert_false(event_has_object(&event));
	event.pointer = 0x1000;
	assert_true(event_has_object(&event));
}

static void node_and_context_share_16_bits(void **state)
{
	static const int16_t nodes[] = { KMT_NODE_ANY, 0, 1, KMT_NODE_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		/* as in captures without contexts */
		assert_int_equal(kmt_node_word(nodes[i], KMT_CONTEXT_TASK), nodes[i]);
		for (unsigned int context = 0; context < 16; context++) {
			int16_t word = kmt_node_word(nodes[i], context);

			assert_int_equal(kmt_node(word), nodes[i]);
			assert_int_equal(kmt_context(word), context);
		}
	}
	/* on disk */
	assert_int_equal((uint16_t)kmt_node_word(KMT_NODE_ANY, KMT_CONTEXT_SOFTIRQ), 0xefff);
	assert_int_equal((uint16_t)kmt_node_word(3, KMT_CONTEXT_HARDIRQ), 0x2003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_do_not_change),
		cmocka_unit_test(record_fields_do_not_move),
		cmocka_unit_test(tag_covers_id_words_node_and_sequence),
		cmocka_unit_test(packet_header_fields_do_not_move),
		cmocka_unit_test(classifies_events),
		cmocka_unit_test(node_and_context_share_16_bits),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
