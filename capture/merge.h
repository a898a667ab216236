/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All events of a capture in time order: the streams of its CPUs merged. Of events at the same
 * time, that of the lower CPU comes first. Losses of each CPU are counted on the way.
 */
#ifndef CAPTURE_MERGE_H
#define CAPTURE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/stream_counters.h"

struct merge;

/*
 * Opens all streams. 0 or -errno, with capture->error.text set. The capture must stay open.
 * threads: the largest number of threads that read, with the caller's; 0: one for each CPU. The
 * events do not depend on it. seed: for the events' hashes, as in hash_address().
 */
int merge_open(struct merge **merge, struct capture *capture, unsigned int threads, uint64_t seed);
void merge_close(struct merge *merge);

/*
 * Gives a batch of events, valid until the next call. Returns their number, 0 at the end, or
 * -errno. Damage is skipped and counted; it is not an error.
 */
int merge_next(struct merge *merge, const struct event **events);

size_t merge_stream_count(const struct merge *merge);

/*
 * The counters of a stream are final once merge_next() has returned 0. Before the first
 * merge_next(), time_first and packets (0: the stream is empty) are valid. Between these calls, no
 * counter is valid.
 */
const struct stream_counters *merge_stream_counters(const struct merge *merge, size_t index);

/* The bytes of the streams whose events were returned; *bytes: the size of all streams. */
uint64_t merge_progress(const struct merge *merge, uint64_t *bytes);

#endif
