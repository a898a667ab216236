/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One stream of a capture as events, a batch at a time. Shares nothing but the capture, which it
 * only reads, with other lanes.
 */
#ifndef CAPTURE_STREAM_EVENTS_H
#define CAPTURE_STREAM_EVENTS_H

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/merge.h"
#include "capture/reader.h"

#define STREAM_EVENTS_MEMO_BITS 8

/* A cache that was asked for lately, and that its address alone tells. */
struct stream_events_memo {
	uint64_t address;
	const struct cache *cache; /* NULL: none yet */
};

struct stream_events {
	const struct capture *capture;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	uint64_t sequence_end; /* the highest that a packet told */
	uint64_t latest;       /* ns: the highest time of its events so far */
	uint32_t last_task;
	bool last_own; /* last_task is one of kmemtraced's own */
	uint64_t seed; /* of the events' hashes */
	struct stream_counters figures;
	struct stream_events_memo memos[1 << STREAM_EVENTS_MEMO_BITS];
};

/* 0 or -errno. The capture must stay open. seed: of the events' hashes. */
int stream_events_open(struct stream_events *stream_events, const struct capture *capture,
		       const struct capture_stream *source, uint64_t seed);
void stream_events_close(struct stream_events *stream_events);

/*
 * The next events, as many as there is room for and are left, in the order of the stream. Their
 * number; 0 at the end; or -errno. Damage is passed over and counted.
 */
int stream_events_fill(struct stream_events *stream_events, struct event *events, size_t space);

#endif
