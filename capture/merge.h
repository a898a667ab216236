/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All events of a capture in time order: the streams of its CPUs merged. At the same time the
 * lower CPU comes first. Follows the losses of each CPU on the way.
 */
#ifndef CAPTURE_MERGE_H
#define CAPTURE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/loss.h"

struct merge;

/* What one CPU's stream held. */
struct stream_counters {
	unsigned int cpu;
	uint64_t recorded;		/* records handed on or skipped as unknown */
	uint64_t unknown;		/* of them of an id that this version does not know */
	uint64_t own;			/* of them by a task of kmemtraced's own */
	struct loss loss;		/* settled at the end; with what damage cost */
	uint64_t skipped;		/* of the last packet */
	uint64_t time_first, time_last; /* of its packets, ns */
	uint64_t damaged_bytes;		/* passed over */
	uint64_t cut_bytes;		/* of them: at the end, with no whole packet behind */
	uint64_t packets;
	uint64_t caches_unknown;   /* events of a cache that kernel/caches does not name */
	uint64_t cache_not_traced; /* allocations whose cache the kernel does not tell */
};

/*
 * 0 or -errno, with capture->errmsg set. The capture must stay open. threads: at most so many read
 * it, the caller's own among them; 0: as many as there are CPUs. What is read does not depend on
 * it. seed: of the events' hashes, as hash_address() takes it.
 */
int merge_open(struct merge **merge, struct capture *capture, unsigned int threads, uint64_t seed);
void merge_close(struct merge *merge);

/*
 * A batch of events, valid until the next call. Returns their number, 0 at the end, or -errno.
 * Damage is passed over and counted, never an error.
 */
int merge_next(struct merge *merge, const struct event **events);

size_t merge_stream_count(const struct merge *merge);

/*
 * Whole once merge_next() has returned 0. Before merge_next() is called first it has time_first,
 * and packets is 0 if there are none; between, it is not to be looked at.
 */
const struct stream_counters *merge_stream_counters(const struct merge *merge, size_t index);

/* How much of the streams was handed on, bytes, and of how many. */
uint64_t merge_progress(const struct merge *merge, uint64_t *bytes);

#endif
