/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One stream of a repair: which of its packets are kept, and the new stream that is written. */
#ifndef CHECK_REPAIR_REPAIR_STREAM_H
#define CHECK_REPAIR_REPAIR_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/loss.h"
#include "capture/reader.h"
#include "capture/status.h"

/* Packets of this capture and byte order are kept, all others are dropped. */
struct capture_id {
	uint8_t uuid[16];
	bool swap;    /* the byte order differs from this machine's */
	bool goes_on; /* it is a piece of a set: its numbers go on from the piece before */
};

struct kept_packet {
	uint64_t offset;
	uint64_t sequence_end;
};

struct repair_stream {
	unsigned int cpu;
	char *path; /* NULL: the stream is missing */
	struct kept_packet *packets;
	size_t count, space;
	bool empty_first;	   /* the first kept packet is valid as the first of a stream */
	uint64_t first_sequence;   /* of the first event; 0, unless the capture goes on */
	struct packet_header last; /* of the last kept packet */
	uint64_t time_first;	   /* of the first kept packet, ns */
	uint64_t records, own, from_backup;
	struct loss loss; /* complete after repair_stream_close_loss() */
	uint64_t dropped_bytes, dropped_ranges;
	bool tail_dropped; /* no kept packet follows the last dropped bytes */
};

/* The capture of the first whole packet of the stream. 0; -ENODATA: it has none; or -errno. */
int repair_stream_id(const char *path, struct capture_id *id);

/* Reads the stream and decides which packets are kept. The status names own tasks. 0 or -errno. */
int repair_stream_scan(struct repair_stream *stream, const struct capture_id *id,
		       const struct status *status);

/* The counters of a final packet, which the kept packets do not have. */
struct repair_end {
	uint64_t sequence_end, skipped;
	uint64_t begin, time; /* of the capture and of the packet, ns */
};

/* Counts every missing sequence number below end->sequence_end as lost. 0 or -errno. */
int repair_stream_close_loss(struct repair_stream *stream, const struct repair_end *end);

/* Writes the kept packets to the empty file fd, which is closed. 0 or -errno. */
int repair_stream_write(const struct repair_stream *stream, const struct capture_id *id,
			const struct repair_end *end, int fd);
void repair_stream_deinit(struct repair_stream *stream);

#endif
