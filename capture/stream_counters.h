/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of events and bytes that were read, lost or damaged in the stream of one CPU. */
#ifndef CAPTURE_STREAM_COUNTERS_H
#define CAPTURE_STREAM_COUNTERS_H

#include <stdint.h>

#include "capture/loss.h"

struct stream_counters {
	unsigned int cpu;
	uint64_t recorded;	   /* records read, known or unknown */
	uint64_t unknown;	   /* of these: with an id that this version does not know */
	uint64_t own;		   /* of these: by a task of kmemtraced */
	struct loss loss;	   /* records in damaged bytes are lost; all confirmed at the end */
	uint64_t all_cpus_skipped; /* events of all CPUs, by the header of the last packet */
	uint64_t time_first, time_last; /* ns, of the packets */
	uint64_t damaged_bytes;		/* not read */
	uint64_t cut_bytes;		/* of these: at the end, with no whole packet behind */
	uint64_t packets;
	/* of a piece that is read alone: records of the piece before, from the checkpoint; and
	 * records that belong to the next piece, which recorded does not include */
	uint64_t from_before, left_to_next;
	uint64_t initial;		/* allocations of live objects in the checkpoint */
	uint64_t caches_unknown;	/* events of a cache that kernel/caches does not name */
	uint64_t anonymous_allocations; /* of anonymous caches, which the kernel does not name */
};

#endif
