/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue of packets, caches and watermarks, in order, from the thread that drains to the thread
 * that aggregates. One thread puts and one gets; neither waits for the other. A packet is not
 * copied: the writer that made it gets an unused one for it.
 */
#ifndef TRACER_PUBLISH_QUEUE_H
#define TRACER_PUBLISH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/online.h"
#include "capture/writer.h"
#include "kernel/caches.h"
#include "kernel/heap.h"
#include "tracer/publish/watermark.h"

enum message_kind {
	MESSAGE_PACKET,
	MESSAGE_CACHE,
	MESSAGE_CACHE_GONE,
	MESSAGE_WATERMARK,
	MESSAGE_PATHS,
	MESSAGE_NAMES,
	MESSAGE_READING,
};

struct message {
	enum message_kind kind;
	union {
		struct online_packet *packet; /* the consumer returns it */
		struct cache cache;	      /* MESSAGE_CACHE_GONE: its address and until */
		struct watermark watermark;
		char *paths; /* as stats_snapshot.paths; the consumer frees it */
		char *names; /* lines of tasks and cgroups, see details_names(); the same */
		const struct heap_reading *reading; /* see publish_reading() */
	};
};

/* A packet of a writer; packet.records lies in its memory. */
struct queue_packet {
	struct online_packet packet;
	unsigned char *memory; /* WRITER_PACKET_BYTES */
};

struct queue {
	size_t packets_max, packets_made; /* the producer's */
	struct message *messages;	  /* circular, as is free_packets */
	struct queue_packet **free_packets;
	size_t takes, least_free;	/* since it looked last; of free_packets */
	size_t message_mask, free_mask; /* slots - 1 */
	/* each only grows, and has one writer */
	size_t put, reused __attribute__((aligned(64)));   /* by the producer */
	size_t got, returned __attribute__((aligned(64))); /* by the consumer */
};

/* bytes: limit of all packets. 0 or -ENOMEM. */
int queue_init(struct queue *queue, uint64_t bytes);
void queue_deinit(struct queue *queue); /* all zero is allowed */

/*
 * For the producer. False: no room, nothing was put. queue_exchange() puts the records in *memory,
 * as in struct writer_sink, and sets it to the memory of an unused packet.
 */
bool queue_exchange(struct queue *queue, const struct packet_header *header, unsigned char **memory,
		    size_t size);
bool queue_put(struct queue *queue, const struct message *message);

/* For the consumer. False: the queue is empty. */
bool queue_get(struct queue *queue, struct message *message);
void queue_return(struct queue *queue, struct online_packet *packet);

#endif
