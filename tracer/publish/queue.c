// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two circular buffers, one for messages and one for packets to use again. A slot belongs to its
 * producer until the producer's counter has passed it, then to the consumer until the consumer's
 * counter has passed it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/publish/queue.h"

#define MESSAGES_MORE 8192 /* in addition to packets: caches come in bursts of hundreds */
#define LOOK_TAKES 1024	   /* packets from one look at the free packets to the next */
#define KEPT_FREE 4	   /* packets that stay when no more were needed */

static size_t power_of_two(size_t least)
{
	size_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}

int queue_init(struct queue *queue, uint64_t bytes)
{
	memset(queue, 0, sizeof(*queue));
	queue->packets_max = bytes / WRITER_PACKET_BYTES + 1;
	queue->message_mask = power_of_two(queue->packets_max + MESSAGES_MORE) - 1;
	queue->free_mask = power_of_two(queue->packets_max) - 1;
	queue->messages = calloc(queue->message_mask + 1, sizeof(*queue->messages));
	queue->free_packets = calloc(queue->free_mask + 1, sizeof(struct queue_packet *));
	return queue->messages && queue->free_packets ? 0 : -ENOMEM;
}

static size_t count_free(const struct queue *queue)
{
	return __atomic_load_n(&queue->returned, __ATOMIC_ACQUIRE) - queue->reused;
}

static struct queue_packet *reuse_packet(struct queue *queue)
{
	struct queue_packet *packet;

	if (!count_free(queue))
		return NULL;
	packet = queue->free_packets[queue->reused & queue->free_mask];
	/* only this thread reads reused: there are never more packets than slots */
	queue->reused++;
	return packet;
}

static void free_packet(struct queue_packet *packet)
{
	free(packet->memory);
	free(packet);
}

/*
 * Gives its memory back. The C library may keep freed memory for later, so the whole pages of it go
 * back to the kernel before.
 */
static void drop_packet(struct queue *queue, struct queue_packet *packet)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)packet->memory + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)packet->memory + WRITER_PACKET_BYTES) / page * page;

	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
	free_packet(packet);
	queue->packets_made--;
}

/* Packets that were free all the time since the last look were made for a burst that has ended. */
static void drop_unused(struct queue *queue)
{
	size_t free_now = count_free(queue);

	if (!queue->takes++ || queue->least_free > free_now)
		queue->least_free = free_now;
	if (queue->takes < LOOK_TAKES)
		return;
	queue->takes = 0;
	for (; queue->least_free > KEPT_FREE; queue->least_free--)
		drop_packet(queue, reuse_packet(queue));
}

static struct queue_packet *make_packet(struct queue *queue)
{
	struct queue_packet *packet;

	if (queue->packets_made == queue->packets_max)
		return NULL;
	packet = malloc(sizeof(*packet));
	if (!packet)
		return NULL;
	packet->memory = malloc(WRITER_PACKET_BYTES);
	if (!packet->memory) {
		free(packet);
		return NULL;
	}
	queue->packets_made++;
	return packet;
}

/* A queue_packet begins with its online_packet. */
static struct queue_packet *outer_packet(struct online_packet *packet)
{
	return (struct queue_packet *)packet;
}

void queue_deinit(struct queue *queue)
{
	struct queue_packet *packet;
	struct message message;

	while (queue->messages && queue_get(queue, &message))
		if (message.kind == MESSAGE_PACKET)
			free_packet(outer_packet(message.packet));
		else if (message.kind == MESSAGE_PATHS)
			free(message.paths);
		else if (message.kind == MESSAGE_NAMES)
			free(message.names);
	while (queue->free_packets && (packet = reuse_packet(queue)))
		free_packet(packet);
	free(queue->messages);
	free(queue->free_packets);
	queue->messages = NULL;
	queue->free_packets = NULL;
}

static bool has_room(const struct queue *queue)
{
	return queue->put - __atomic_load_n(&queue->got, __ATOMIC_ACQUIRE) <= queue->message_mask;
}

bool queue_put(struct queue *queue, const struct message *message)
{
	if (!has_room(queue))
		return false;
	queue->messages[queue->put & queue->message_mask] = *message;
	__atomic_store_n(&queue->put, queue->put + 1, __ATOMIC_RELEASE);
	return true;
}

bool queue_exchange(struct queue *queue, const struct packet_header *header, unsigned char **memory,
		    size_t size)
{
	struct message message = { .kind = MESSAGE_PACKET };
	struct queue_packet *packet;
	unsigned char *unused;

	if (!has_room(queue))
		return false;
	drop_unused(queue);
	packet = reuse_packet(queue);
	if (!packet)
		packet = make_packet(queue);
	if (!packet)
		return false;
	unused = packet->memory;
	packet->memory = *memory;
	*memory = unused;
	packet->packet = (struct online_packet){
		.cpu = header->cpu,
		.count = header->records,
		.size = size,
		.records = (const void *)(packet->memory + sizeof(*header)),
	};
	message.packet = &packet->packet;
	return queue_put(queue, &message);
}

bool queue_get(struct queue *queue, struct message *message)
{
	if (__atomic_load_n(&queue->put, __ATOMIC_ACQUIRE) == queue->got)
		return false;
	*message = queue->messages[queue->got & queue->message_mask];
	__atomic_store_n(&queue->got, queue->got + 1, __ATOMIC_RELEASE);
	return true;
}

void queue_return(struct queue *queue, struct online_packet *packet)
{
	queue->free_packets[queue->returned & queue->free_mask] = outer_packet(packet);
	__atomic_store_n(&queue->returned, queue->returned + 1, __ATOMIC_RELEASE);
}
