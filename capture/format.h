/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture on disk: packets of records. kmemtrace-capture(5) describes every byte.
 * A packet's header is a CTF 1.8 packet header and context, in the capture's byte order.
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <stdint.h>

#include "kernel/record.h"

#define CAPTURE_FORMAT 1	 /* kmt_format in metadata; readers refuse a higher one */
#define PACKET_MAGIC 0xc1fc1fc1U /* of CTF; also shows the byte order */
#define PACKET_VERSION 1
#define PACKET_RECORDS_MAX 4096 /* in a packet of this writer; readers take more */
#define PACKET_RECORDS_BYTES_MAX (PACKET_RECORDS_MAX * sizeof(struct kmt_record)) /* in bytes */
#define PACKET_BYTES_MAX (16U << 20) /* a larger packet is damage */

/* The encoding of a packet's records. On disk: append only. */
enum packet_codec {
	PACKET_RAW = 0,
	PACKET_PACKED = 1,	/* see packed.h; all records have KMT_RECORD_WORDS words */
	PACKET_PACKED_LONG = 2, /* the same, with long records */
	PACKET_CODEC_END	/* one past the last that this version knows */
};

struct packet_header {
	uint32_t magic;
	uint32_t stream_id;    /* 0 */
	uint8_t uuid[16];      /* the capture's, as in its metadata */
	uint64_t time_first;   /* ns: not after the first record, not before time_last of the packet
				  before */
	uint64_t time_last;    /* ns: not before the last record */
	uint64_t content_bits; /* header and records */
	uint64_t packet_bits;  /* offset of the next packet; = content_bits */
	uint64_t lost;	       /* lost events of this CPU known so far, cumulative */
	uint64_t number;       /* of the packet in its stream, from 0 */
	uint32_t cpu;
	uint32_t records;
	uint64_t sequence_first; /* lowest sequence number of its records; without records:
				    sequence_end */
	uint64_t sequence_end;	 /* all lower sequence numbers were taken by time_last */
	uint64_t skipped;	 /* skipped events of all CPUs, cumulative */
	uint16_t codec;		 /* enum packet_codec */
	uint16_t version;	 /* PACKET_VERSION */
	uint32_t crc;		 /* CRC-32 (zlib) of the whole packet with this field 0 */
};

_Static_assert(sizeof(struct packet_header) == 112, "packet header ABI");
_Static_assert(sizeof(struct packet_header) % KMT_WORD == 0, "records are aligned");

#endif
