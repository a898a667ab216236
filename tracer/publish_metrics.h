/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the publishing thread does for --metrics: counts, and writes the file at each interval. */
#ifndef TRACER_PUBLISH_METRICS_H
#define TRACER_PUBLISH_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/stats/metrics.h"
#include "live/stats/metrics_file.h"
#include "tracer/queue.h"

struct publish_metrics_settings {
	const char *path;     /* NULL: no metrics */
	uint64_t interval_ns; /* between two texts */
	size_t top;	      /* rows, see live/stats/metrics.h */
};

struct publish_metrics {
	struct publish_metrics_settings settings;
	struct metrics_file *file; /* NULL: no metrics */
	struct metrics metrics;
	struct metrics_facts facts; /* of the last text: no counter is below them */
	uint64_t written;	    /* ns: when the last text was written; 0: never */
	int end_err;		    /* -errno of removing the file */
	/* for several threads, with atomic operations: of the last text; 0: it was written */
	int err;
	int reported; /* the err that publish_metrics_failed() has reported */
};

/* Checks that the file can be written. 0, or -errno with errmsg set. */
int publish_metrics_start(struct publish_metrics *metrics,
			  const struct publish_metrics_settings *settings, char *errmsg,
			  size_t errmsg_size);

/*
 * For the publishing thread: writes a text with the events before the time (ns), if the last one
 * is old enough. 0 or -ENOMEM.
 */
int publish_metrics_step(struct publish_metrics *metrics, const struct analysis *analysis,
			 const struct watermark *watermark, uint64_t time);

/* From any thread: the next texts come at another interval. */
void publish_metrics_set_interval(struct publish_metrics *metrics, uint64_t interval_ns);

/* The recorded events that the counters do not include. */
uint64_t publish_uncounted(const struct analysis *analysis, const struct watermark *watermark);

/* Bytes: the largest interval of the samples; a CPU may have raised it after the watermark. */
uint64_t publish_interval_most(const struct analysis *analysis, const struct watermark *watermark);

/* True once for each new reason why the file could not be written; errmsg gets the message. */
bool publish_metrics_failed(struct publish_metrics *metrics, char *errmsg, size_t errmsg_size);

/* For the publishing thread, at its end: removes the file. */
void publish_metrics_end(struct publish_metrics *metrics);

/* After the thread has ended: 0, or -errno with errmsg set: the file could not be removed. */
int publish_metrics_result(const struct publish_metrics *metrics, char *errmsg, size_t errmsg_size);
void publish_metrics_close(struct publish_metrics *metrics); /* all zero is allowed */

#endif
