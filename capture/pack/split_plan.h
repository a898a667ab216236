/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where each stream of a capture is split: see split.h. */
#ifndef CAPTURE_PACK_SPLIT_PLAN_H
#define CAPTURE_PACK_SPLIT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/format.h"
#include "capture/pack/split_settings.h"

/* The part of a stream that is in a piece. */
struct split_part {
	size_t first, end;	   /* packets */
	uint64_t begin, until;	   /* ns: of the stream in the piece */
	uint64_t sequence_first;   /* of its first event */
	uint64_t sequence_end;	   /* of the next piece's first event */
	uint64_t recorded;	   /* records */
	uint64_t own, from_backup; /* of these: counted when the packets are copied */
};

struct split_stream {
	unsigned int cpu;
	struct packet_header *packets;
	size_t count;
	struct split_part *parts; /* of each piece */
};

struct split_piece {
	uint64_t begin;		 /* ns: the least of its streams */
	uint64_t end;		 /* ns: the greatest end of its streams */
	uint64_t skipped_before; /* events, in all pieces before */
};

struct split_plan {
	struct split_stream *streams; /* as capture->streams */
	size_t stream_count;
	struct split_piece *pieces;
	size_t piece_count;
	struct error *error;
};

/* 0, or -errno with error set. */
int split_plan_make(struct split_plan *plan, const struct capture *capture,
		    const struct split_settings *settings, struct error *error);
void split_plan_deinit(struct split_plan *plan);

#endif
