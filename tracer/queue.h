/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue of records, caches and watermarks, in order, from the thread that drains to the thread
 * that aggregates. One thread puts and one gets; neither waits for the other.
 */
#ifndef TRACER_QUEUE_H
#define TRACER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/caches.h"
#include "capture/format.h"
#include "analysis/online.h"

enum message_kind {
	MESSAGE_PACKET,
	MESSAGE_CACHE,
	MESSAGE_CACHE_GONE,
	MESSAGE_WATERMARK,
	MESSAGE_PATHS,
};

/* Every event before time was put before it, except events that were lost or found no room. */
struct watermark {
	uint64_t time;	/* ns */
	uint64_t begin; /* ns: of the capture */
	uint64_t lost;	/* events not put so far; includes all such events before time */
};

struct message {
	enum message_kind kind;
	union {
		struct online_packet *packet; /* the consumer returns it */
		struct cache cache;	      /* MESSAGE_CACHE_GONE: its address and until */
		struct watermark watermark;
		char *paths; /* as stats_snapshot.paths; the consumer frees it */
	};
};

struct queue {
	size_t packets_max, packets_made; /* the producer's */
	struct message *messages;	  /* circular, as is free_packets */
	struct online_packet **free_packets;
	size_t message_mask, free_mask; /* slots - 1 */
	/* each only grows, and has one writer */
	size_t put, reused __attribute__((aligned(64)));   /* by the producer */
	size_t got, returned __attribute__((aligned(64))); /* by the consumer */
};

/* bytes: limit of all records. 0 or -ENOMEM. */
int queue_init(struct queue *queue, uint64_t bytes);
void queue_deinit(struct queue *queue); /* all zero is allowed */

/* For the producer. size: bytes of all records. False: no room, nothing was put. */
bool queue_put_records(struct queue *queue, const struct packet_header *header,
		       const struct kmt_record *records, size_t size);
bool queue_put(struct queue *queue, const struct message *message);

/* For the consumer. False: the queue is empty. */
bool queue_get(struct queue *queue, struct message *message);
void queue_return(struct queue *queue, struct online_packet *packet);

#endif
