// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The queue between the thread that drains the rings and the thread that aggregates events. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tracer/publish/queue.h"

#define ROUNDS 20000

/* The memory of a writer's packet, all zero. */
static unsigned char *make_memory(void)
{
	unsigned char *memory = calloc(1, WRITER_PACKET_BYTES);

	assert_non_null(memory);
	return memory;
}

/* memory: of the writer, which it may exchange. */
static bool put_records(struct queue *queue, unsigned char **memory, uint64_t number,
			uint32_t count)
{
	struct kmt_record *records = (void *)(*memory + sizeof(struct packet_header));
	const struct packet_header header = {
		.cpu = number % 7,
		.records = count,
	};

	records[0].pointer = number;
	records[count - 1].call_site = number;
	return queue_exchange(queue, &header, memory, count * sizeof(*records));
}

static void assert_packet(const struct online_packet *packet, uint64_t number, uint32_t count)
{
	assert_int_equal(packet->cpu, number % 7);
	assert_int_equal(packet->count, count);
	assert_int_equal(packet->size, count * sizeof(*packet->records));
	assert_int_equal(packet->records[0].pointer, number);
	assert_int_equal(packet->records[count - 1].call_site, number);
}

static void keeps_the_order(void **state)
{
	unsigned char *memory = make_memory();
	struct message message = { .kind = MESSAGE_WATERMARK,
				   .watermark = { .time = 7, .queue_dropped = 3 } };
	const struct message cache_gone = { .kind = MESSAGE_CACHE_GONE, .cache = { .address = 9 } };
	struct queue queue;

	(void)state;
	assert_int_equal(queue_init(&queue, 4 * WRITER_PACKET_BYTES), 0);
	assert_false(queue_get(&queue, &message));
	assert_true(put_records(&queue, &memory, 1, 10));
	assert_true(queue_put(&queue, &cache_gone));
	assert_true(put_records(&queue, &memory, 2, PACKET_RECORDS_MAX));
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
	assert_int_equal(message.watermark.queue_dropped, 3);
	assert_false(queue_get(&queue, &message));
	queue_deinit(&queue);
	free(memory);
}

/* Packets that a reader holds count for the limit, until the reader returns them. */
static void limits_the_bytes_of_records(void **state)
{
	unsigned char *memory = make_memory();
	struct online_packet *held;
	struct message message;
	struct queue queue;
	uint64_t put = 0, got = 0;

	(void)state;
	assert_int_equal(queue_init(&queue, 5 * WRITER_PACKET_BYTES), 0);
	while (put_records(&queue, &memory, put, 1))
		put++;
	assert_int_equal(put, 6);
	assert_true(queue_get(&queue, &message));
	assert_packet(message.packet, got++, 1);
	held = message.packet;
	assert_false(put_records(&queue, &memory, put, 1));
	queue_return(&queue, held);
	assert_true(put_records(&queue, &memory, put++, 1));
	assert_false(put_records(&queue, &memory, put, 1));
	while (queue_get(&queue, &message)) {
		assert_packet(message.packet, got++, 1);
		queue_return(&queue, message.packet);
	}
	assert_int_equal(got, put);

	/* other messages have space of their own, which is limited too */
	while (put_records(&queue, &memory, put, 1))
		put++;
	message.kind = MESSAGE_CACHE;
	got = 0;
	while (queue_put(&queue, &message))
		got++;
	assert_in_range(got, 4096, 65536);
	queue_deinit(&queue); /* frees the messages in the queue */
	free(memory);
}

/*
 * A packet of 96 records of 255 words, which is the writer's limit, and one record of 9 words. The
 * queue does not copy it: the reader gets the same memory.
 */
static void passes_long_records(void **state)
{
	const struct packet_header header = { .cpu = 3, .records = 96 + 1 };
	const size_t size = (96 * 255 + 9) * KMT_WORD;
	unsigned char *memory = make_memory(), *filled = memory;
	uint64_t *words = (void *)(memory + sizeof(header));
	struct message message;
	struct queue queue;

	(void)state;
	for (size_t i = 0; i < size / KMT_WORD; i++)
		words[i] = i;
	assert_int_equal(queue_init(&queue, WRITER_PACKET_BYTES), 0);
	assert_true(queue_exchange(&queue, &header, &memory, size));
	assert_ptr_not_equal(memory, filled);
	assert_true(queue_get(&queue, &message));
	assert_int_equal(message.packet->count, 97);
	assert_int_equal(message.packet->size, size);
	assert_ptr_equal(message.packet->records, words);
	for (size_t i = 0; i < size / KMT_WORD; i++)
		assert_int_equal(words[i], i);

	/* without room the writer keeps its memory; later it gets what the reader returned */
	assert_int_equal(queue.packets_max, 2);
	assert_true(queue_exchange(&queue, &header, &memory, size));
	words = (void *)memory;
	assert_false(queue_exchange(&queue, &header, &memory, size));
	assert_ptr_equal(memory, words);
	queue_return(&queue, message.packet);
	assert_true(queue_exchange(&queue, &header, &memory, size));
	assert_ptr_equal(memory, filled);
	queue_deinit(&queue);
	free(memory);
}

/* Puts and takes one packet at a time. */
static void pass_packets(struct queue *queue, unsigned char **memory, size_t count)
{
	struct message message;

	for (size_t i = 0; i < count; i++) {
		assert_true(put_records(queue, memory, i, 1));
		assert_true(queue_get(queue, &message));
		assert_packet(message.packet, i, 1);
		queue_return(queue, message.packet);
	}
}

/* Of this process. */
static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t size, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &size, &resident), 2);
	fclose(file);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* After a burst its packets are gone, and their memory is the kernel's. */
static void gives_back_the_memory_of_a_burst(void **state)
{
	unsigned char *memory = make_memory();
	struct message message;
	struct queue queue;
	size_t most;

	(void)state;
	assert_int_equal(queue_init(&queue, 100 * WRITER_PACKET_BYTES), 0);
	for (int burst = 0; burst < 3; burst++) {
		for (uint64_t i = 0; i < 50; i++) {
			memset(memory, 0xff, WRITER_PACKET_BYTES);
			assert_true(put_records(&queue, &memory, i, PACKET_RECORDS_MAX));
		}
		assert_int_equal(queue.packets_made, 50);
		most = resident_bytes();
		for (uint64_t i = 0; i < 50; i++) {
			assert_true(queue_get(&queue, &message));
			assert_packet(message.packet, i, PACKET_RECORDS_MAX);
			queue_return(&queue, message.packet);
		}
		pass_packets(&queue, &memory, 2048);
		assert_in_range(queue.packets_made, 4, 10);
		assert_true(most >= resident_bytes() + 30 * WRITER_PACKET_BYTES);
	}
	queue_deinit(&queue);
	free(memory);
}

static void *put_rounds(void *data)
{
	unsigned char *memory = make_memory();
	struct queue *queue = data;
	const struct message name = { .kind = MESSAGE_CACHE };

	for (uint64_t i = 0; i < ROUNDS; i++) {
		while (!put_records(queue, &memory, i, 1 + i % 64))
			sched_yield();
		if (i % 5 == 0)
			while (!queue_put(queue, &name))
				sched_yield();
	}
	free(memory);
	return NULL;
}

static void passes_messages_between_threads(void **state)
{
	uint64_t packets = 0, names = 0;
	struct message message;
	struct queue queue;
	pthread_t thread;

	(void)state;
	assert_int_equal(queue_init(&queue, 8 * WRITER_PACKET_BYTES), 0);
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
		cmocka_unit_test(gives_back_the_memory_of_a_burst),
		cmocka_unit_test(passes_messages_between_threads),
		cmocka_unit_test(deinit_accepts_an_empty_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
