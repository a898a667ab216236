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

#include "tracer/queue.h"

#define MESSAGES_MORE 8192 /* in addition to packets: caches come in bursts of hundreds */

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
	queue->packets_max = bytes / sizeof(struct online_packet) + 1;
	queue->message_mask = power_of_two(queue->packets_max + MESSAGES_MORE) - 1;
	queue->free_mask = power_of_two(queue->packets_max) - 1;
	queue->messages = calloc(queue->message_mask + 1, sizeof(*queue->messages));
	queue->free_packets = calloc(queue->free_mask + 1, sizeof(struct online_packet *));
	return queue->messages && queue->free_packets ? 0 : -ENOMEM;
}

static struct online_packet *reuse(struct queue *queue)
{
	struct online_packet *packet;

	if (__atomic_load_n(&queue->returned, __ATOMIC_ACQUIRE) == queue->reused)
		return NULL;
	packet = queue->free_packets[queue->reused & queue->free_mask];
	/* only this thread reads reused: there are never more packets than slots */
	queue->reused++;
	return packet;
}

void queue_deinit(struct queue *queue)
{
	struct online_packet *packet;
	struct message message;

	while (queue->messages && queue_get(queue, &message))
		if (message.kind == MESSAGE_PACKET)
			free(message.packet);
		else if (message.kind == MESSAGE_PATHS)
			free(message.paths);
	while (queue->free_packets && (packet = reuse(queue)))
		free(packet);
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

bool queue_put_records(struct queue *queue, const struct packet_header *header,
		       const struct kmt_record *records, size_t size)
{
	struct message message = { .kind = MESSAGE_PACKET };
	struct online_packet *packet;

	if (!has_room(queue))
		return false;
	packet = reuse(queue);
	if (!packet && queue->packets_made < queue->packets_max) {
		packet = malloc(sizeof(*packet));
		queue->packets_made += packet != NULL;
	}
	if (!packet)
		return false;
	packet->cpu = header->cpu;
	packet->count = header->records;
	packet->sequence_first = header->sequence_first;
	packet->size = size;
	memcpy(packet->records, records, size);
	message.packet = packet;
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
	queue->free_packets[queue->returned & queue->free_mask] = packet;
	__atomic_store_n(&queue->returned, queue->returned + 1, __ATOMIC_RELEASE);
}
