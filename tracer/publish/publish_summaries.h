/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counter for --summaries, which writes a summary of each interval. */
#ifndef TRACER_PUBLISH_PUBLISH_SUMMARIES_H
#define TRACER_PUBLISH_PUBLISH_SUMMARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/publish/publish.h"

struct publish_summaries_counts {
	uint64_t written; /* summaries */
	uint64_t errors;  /* writes that failed, and summaries that found no room meanwhile */
	uint64_t last;	  /* ns since 1970: the end of the last summary that was written; 0: none */
};

bool publish_writes_summaries(const struct publish *publish);

/* Are there rows that the details count? */
bool publish_summaries_by_owner(const struct publish_summaries_settings *settings);

/*
 * For the publishing thread: the end (ns) of the interval of the next summary, which is written
 * when all events before it are counted, and no others. UINT64_MAX: there are no summaries. The
 * first call begins the first interval, at the begin of the watermark.
 */
uint64_t publish_summaries_next_end(struct publish *publish, const struct watermark *watermark);

/*
 * Writes a summary with the events before the time: the end of the interval, or an earlier one if
 * it is the last summary. 0 or -ENOMEM.
 */
int publish_summaries_write(struct publish *publish, const struct watermark *watermark,
			    uint64_t time);

/* From any thread: files are kept for another time, and may have so many bytes. */
void publish_summaries_set_keep(struct publish *publish, uint64_t keep_ns);
void publish_summaries_set_max(struct publish *publish, uint64_t bytes);
void publish_summaries_count(const struct publish *publish,
			     struct publish_summaries_counts *counts);

#endif
