// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The queue between the thread that drains the rings and the thread that aggregates events. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/queue.h"

#define ROUNDS 20000

static bool put_records(struct queue *queue, uint64_t number, uint32_t count)
{
	static struct kmt_record records[PACKET_RECORDS_MAX];
	struct packet_header header = {
		.cpu = number % 7,
		.records = count,
		.sequence_first = number,
	};

	records[0].pointer = number;
	records[count - 1].call_site = number;
	return queue_put_records(queue, &header, records, count * sizeof(*records));
}

static void assert_packet(const struct online_packet *packet, uint64_t number, uint32_t count)
{
	assert_int_equal(packet->cpu, number % 7);
	assert_int_equal(packet->count, count);
	assert_int_equal(packet->sequence_first, number);
	assert_int_equal(packet->size, count * sizeof(*packet->records));
	assert_int_equal(packet->records[0].pointer, number);
	assert_int_equal(packet->records[count - 1].call_site, number);
}

static void keeps_the_order(void **state)
{
	struct message message = { .kind = MESSAGE_WATERMARK,
				   .watermark = { .time = 7, .lost = 3 } };
	const struct message cache_gone = { .kind = MESSAGE_CACHE_GONE, .cache = { .address = 9 } };
	struct queue queue;

	(void)state;
	assert_int_equal(queue_init(&queue, 4 * sizeof(struct online_packet)), 0);
	assert_false(queue_get(&queue, &message));
	assert_true(put_records(&queue, 1, 10));
	assert_true(queue_put(&queue, &cache_gone));
	assert_true(put_records(&queue, 2, PACKET_RECORDS_MAX));
	assert_true(queue_put(&queue, &message));

	assert_true(queue_get(&queue, &message));
	assert_int_equal(message.kind, MESSAGE_PACKET);
	assert_packet(message.packet, 1, 10);
	queue_return(&queue, message.packet);
	assert_true(queue_get(&queue, &message));
	assert_int_equal(message.kind, MESSAGE_CACHE_GONE);
	assert_int_equal(message.cache.address, 9);
	assert_true(queue_get(&queue, &message));
	assert_packet(message.packet, 2, PACKET_RECORDS_MAX);
	queue_return(&queue, message.packet);
	assert_true(queue_get(&queue, &message));
	assert_int_equal(message.kind, MESSAGE_WATERMARK);
	assert_int_equal(message.watermark.time, 7);
	assert_int_equal(message.watermark.lost, 3);
	assert_false(queue_get(&queue, &message));
	queue_deinit(&queue);
}

/* Packets that a reader holds count for the limit, until the reader returns them. */
static void limits_the_bytes_of_records(void **state)
{
	struct online_packet *held;
	struct message message;
	struct queue queue;
	uint64_t put = 0, got = 0;

	(void)state;
	assert_int_equal(queue_init(&queue, 5 * sizeof(struct online_packet)), 0);
	while (put_records(&queue, put, 1))
		put++;
	assert_int_equal(put, 6);
	assert_true(queue_get(&queue, &message));
	assert_packet(message.packet, got++, 1);
	held = message.packet;
	assert_false(put_records(&queue, put, 1));
	queue_return(&queue, held);
	assert_true(put_records(&queue, put++, 1));
	assert_false(put_records(&queue, put, 1));
	while (queue_get(&queue, &message)) {
		assert_packet(message.packet, got++, 1);
		queue_return(&queue, message.packet);
	}
	assert_int_equal(got, put);

	/* other messages have space of their own, which is limited too */
	while (put_records(&queue, put, 1))
		put++;
	message.kind = MESSAGE_CACHE;
	got = 0;
	while (queue_put(&queue, &message))
		got++;
	assert_in_range(got, 4096, 65536);
	queue_deinit(&queue); /* frees the messages in the queue */
}

/* A packet of 96 records of 255 words, which is the writer's limit, and one record of 9 words. */
static void passes_long_records(void **state)
{
	static uint64_t words[PACKET_RECORDS_BYTES_MAX / KMT_WORD];
	const struct packet_header header = { .cpu = 3, .records = 96 + 1 };
	const size_t size = (96 * 255 + 9) * KMT_WORD;
	struct message message;
	struct queue queue;

	(void)state;
	for (size_t i = 0; i < size / KMT_WORD; i++)
		words[i] = i;
	assert_int_equal(queue_init(&queue, sizeof(struct online_packet)), 0);
	assert_true(queue_put_records(&queue, &header, (const void *)words, size));
	assert_true(queue_get(&queue, &message));
	assert_int_equal(message.packet->count, 97);
	assert_int_equal(message.packet->size, size);
	assert_memory_equal(message.packet->records, words, size);
	queue_return(&queue, message.packet);
	queue_deinit(&queue);
}

static void *put_rounds(void *data)
{
	struct queue *queue = data;
	const struct message name = { .kind = MESSAGE_CACHE };

	for (uint64_t i = 0; i < ROUNDS; i++) {
		while (!put_records(queue, i, 1 + i % 64))
			sched_yield();
		if (i % 5 == 0)
			while (!queue_put(queue, &name))
				sched_yield();
	}
	return NULL;
}

static void passes_messages_between_threads(void **state)
{
	uint64_t packets = 0, names = 0;
	struct message message;
	struct queue queue;
	pthread_t thread;

	(void)state;
	assert_int_equal(queue_init(&queue, 8 * sizeof(struct online_packet)), 0);
	assert_int_equal(pthread_create(&thread, NULL, put_rounds, &queue), 0);
	while (packets < ROUNDS) {
		if (!queue_get(&queue, &message)) {
			sched_yield();
			continue;
		}
		if (message.kind == MESSAGE_PACKET) {
			assert_packet(message.packet, packets, 1 + packets % 64);
			queue_return(&queue, message.packet);
			packets++;
		} else {
			assert_int_equal(message.kind, MESSAGE_CACHE);
			assert_int_equal(packets, 5 * names + 1);
			names++;
		}
	}
	pthread_join(thread, NULL);
	queue_deinit(&queue);
}

static void deinit_accepts_an_empty_queue(void **state)
{
	struct queue queue = { 0 };

	(void)state;
	queue_deinit(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_order),
		cmocka_unit_test(limits_the_bytes_of_records),
		cmocka_unit_test(passes_long_records),
		cmocka_unit_test(passes_messages_between_threads),
		cmocka_unit_test(deinit_accepts_an_empty_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
