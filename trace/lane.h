/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One stream of a capture as events, a batch at a time. Shares nothing but the capture, which it
 * only reads, with other lanes.
 */
#ifndef TRACE_LANE_H
#define TRACE_LANE_H

#include "trace/capture.h"
#include "trace/event.h"
#include "trace/order.h"
#include "trace/reader.h"

#define LANE_MEMO_BITS 8

/* A cache that was asked for lately, and that its address alone tells. */
struct lane_memo {
	uint64_t address;
	const struct cache *cache; /* NULL: none yet */
};

struct lane {
	const struct capture *capture;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	uint64_t sequence_end; /* the highest that a packet told */
	uint64_t latest;       /* ns: the highest time of its events so far */
	uint32_t last_task;
	bool last_own; /* last_task is one of kmemtraced's own */
	uint64_t seed; /* of the events' hashes */
	struct order_stream figures;
	struct lane_memo memos[1 << LANE_MEMO_BITS];
};

/* 0 or -errno. The capture must stay open. seed: of the events' hashes. */
int lane_open(struct lane *lane, const struct capture *capture, const struct capture_stream *source,
	      uint64_t seed);
void lane_close(struct lane *lane);

/*
 * The next events, as many as there is room for and are left, in the order of the stream. Their
 * number; 0 at the end; or -errno. Damage is passed over and counted.
 */
int lane_fill(struct lane *lane, struct event *events, size_t space);

#endif
