/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One stream of a capture as events, a batch at a time. Several streams can be read by several
 * threads: they share the capture only, which is not changed.
 */
#ifndef CAPTURE_STREAM_EVENTS_H
#define CAPTURE_STREAM_EVENTS_H

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/reader.h"
#include "capture/stream_counters.h"

#define STREAM_EVENTS_MEMO_BITS 8

/* A cache that was searched recently, and that alone has had its address in the capture. */
struct stream_events_memo {
	uint64_t address;
	const struct cache *cache; /* NULL: an empty slot */
};

struct stream_events {
	const struct capture *capture;
	const struct capture_stream *source;
	size_t next;	    /* index of the next file in source->parts */
	size_t part;	    /* index in capture->parts, of the stream's open file */
	uint64_t done, all; /* bytes: of the files before it, and of all files */
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	uint64_t sequence_end; /* the highest of all packet headers */
	uint64_t latest;       /* ns: the highest time of the events so far */
	uint32_t last_task;
	bool last_own;		 /* last_task belongs to kmemtraced */
	uint64_t seed;		 /* for the events' hashes */
	bool grows;		 /* packets may follow the end of the file */
	bool in_checkpoint;	 /* the open file is one of a checkpoint */
	bool first_packet;	 /* of the open file: none was read yet */
	uint64_t skipped_before; /* by the last packets of the files before it */
	struct stream_counters counters;
	struct stream_events_memo memos[1 << STREAM_EVENTS_MEMO_BITS];
};

/*
 * Opens the first of the stream's files; the others follow. 0 or -errno. The capture must stay
 * open. seed: for the events' hashes.
 */
int stream_events_open(struct stream_events *stream_events, const struct capture *capture,
		       const struct capture_stream *source, uint64_t seed);
void stream_events_close(struct stream_events *stream_events);

/* The bytes of all files, and of those that are read. */
uint64_t stream_events_bytes(const struct stream_events *stream_events);
uint64_t stream_events_offset(const struct stream_events *stream_events);

/* The file of a stream that grows has more packets, or, if grows is false, its end. 0 or -errno. */
int stream_events_refresh(struct stream_events *stream_events, bool grows);

/*
 * Reads the next events in the order of the stream: up to `space`, and not beyond the packet.
 * Returns their number, 0 at the end, or -errno. Damage is skipped and counted.
 */
int stream_events_fill(struct stream_events *stream_events, struct event *events, size_t space);

#endif
