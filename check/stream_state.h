/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of one stream that is being checked, and the form of a check of it. */
#ifndef CHECK_STREAM_STATE_H
#define CHECK_STREAM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/loss.h"
#include "capture/reader.h"
#include "check/check_problems.h"

#define CHECK_NAMELESS_MAX 64 /* caches without a name that are remembered */
#define CHECK_RECENT_CACHES_BITS 8

struct stream_state;

/* One check of a stream. Each function is NULL or is called at its time, in the table's order. */
struct stream_check {
	struct check_info info;
	void (*packet)(struct stream_state *stream, const struct packet *packet);
	/* after the records of the packet */
	void (*packet_end)(struct stream_state *stream, const struct packet *packet);
	void (*stream_end)(struct stream_state *stream);
};

struct stream_state {
	struct check_problems *problems;
	const struct stream_check *check; /* the check that runs now */
	const struct capture *capture;	  /* NULL: the stream is checked alone */
	unsigned int cpu; /* from the name of the file, else from the first packet */
	bool cpu_known;
	uint64_t packets;		  /* good packets so far */
	struct packet_header first, last; /* of the good packets; last: of the packet before */
	struct loss loss;
	const struct packet *packet; /* the packet that is being read */
	const unsigned char *record; /* the position of the record in it */
	uint64_t sequence;	     /* of the record */
	uint64_t kind; /* of the record: bit 1 << id, or 0 if this version does not know the id */
	uint64_t record_time;			    /* of the record before, ns */
	uint64_t packet_records;		    /* in this packet */
	uint64_t sequence_lowest, sequence_highest; /* in this packet */
	uint64_t records, own;
	uint32_t last_task;
	bool last_own;	  /* last_task is a task of kmemtraced */
	uint64_t unknown; /* records of kinds that a later version may have written */
	uint64_t nameless[CHECK_NAMELESS_MAX]; /* caches whose names kmemtraced lost */
	size_t nameless_count;
	uint64_t recent_caches[1 << CHECK_RECENT_CACHES_BITS]; /* found in kernel/caches, by hash */
};

#endif
