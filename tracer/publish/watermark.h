/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far the rings were drained, and what was missing then. */
#ifndef TRACER_PUBLISH_WATERMARK_H
#define TRACER_PUBLISH_WATERMARK_H

#include <stdint.h>

#include "analysis/missing.h"

struct analysis;

/*
 * The queue gets each event before this time ahead of the watermark, except events that were lost
 * or found no room in it.
 */
struct watermark {
	uint64_t time;	/* ns */
	uint64_t begin; /* ns: of the capture */
	/* since the begin; lost: in no stream; skipped: at most; uncounted: not set */
	struct missing missing;
	uint64_t queue_dropped; /* recorded events that were not put */
	uint64_t stored;	/* bytes in the streams */
};

/* All that the counters lack. A CPU may have raised the interval of the samples after the
 * watermark. */
struct missing watermark_missing(const struct watermark *watermark,
				 const struct analysis *analysis);

#endif
