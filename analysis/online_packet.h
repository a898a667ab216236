/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A packet of records on its way into an online analysis. */
#ifndef ANALYSIS_ONLINE_PACKET_H
#define ANALYSIS_ONLINE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/record.h"

#define ONLINE_PACKET_AHEAD 8 /* records: matching as many takes longer than a read of memory */

/* Records of one CPU, in the order of its stream, which is the order of time. */
struct online_packet {
	/* private */
	struct online_packet *next;
	size_t taken, hashed;		    /* bytes of the records taken, and looked at ahead */
	uint32_t taken_count, hashed_count; /* the same in records */
	uint32_t hashes[2 * ONLINE_PACKET_AHEAD]; /* by number of the record, modulo the size */

	uint32_t cpu;
	uint32_t count; /* of records, which may be longer than struct kmt_record */
	size_t size;	/* bytes of all records */
	const struct kmt_record *records;
};

#endif
