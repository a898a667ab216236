/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far the rings were drained, and what was missing then. */
#ifndef TRACER_PUBLISH_WATERMARK_H
#define TRACER_PUBLISH_WATERMARK_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;

/* Every event before time was put before it, except events that were lost or found no room. */
struct watermark {
	uint64_t time;	/* ns */
	uint64_t begin; /* ns: of the capture */
	uint64_t lost;	/* events not put so far; includes all such events before time */
	/* for metrics, all since the begin */
	uint64_t recorded;	/* events */
	uint64_t ring_lost;	/* events that are in no stream */
	uint64_t skipped;	/* an upper bound */
	uint64_t queue_dropped; /* recorded events that were not put */
	uint64_t stored;	/* bytes in the streams */
	uint64_t interval_most; /* bytes: the largest between samples */
	uint32_t unobserved;	/* paths of the allocator */
	bool names_lost;	/* of caches */
};

/* The recorded events that the counters do not include. */
uint64_t watermark_uncounted(const struct watermark *watermark, const struct analysis *analysis);

/* Bytes: the largest interval of the samples; a CPU may have raised it after the watermark. */
uint64_t watermark_interval_most(const struct watermark *watermark,
				 const struct analysis *analysis);

#endif
