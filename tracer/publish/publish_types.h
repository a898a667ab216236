/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counter of type statistics, and the statistics file, which also has a folder for the details.
 */
#ifndef TRACER_PUBLISH_PUBLISH_TYPES_H
#define TRACER_PUBLISH_PUBLISH_TYPES_H

#include "base/error.h"
#include "live/stats/stats_file.h"
#include "tracer/publish/publish.h"

/*
 * Sets the number of objects that each cache had before, from the directory's kernel/slabinfo. 0 or
 * -ENOMEM, error set.
 */
int publish_initial_counts(struct publish *publish, const char *directory, struct error *error);

/* The statistics file; NULL: none. */
const struct stats_file *publish_stats_file(const struct publish *publish);

/* The events that a snapshot does not include, or STATS_FILE_LOST_UNKNOWN. */
uint64_t publish_lost(const struct publish *publish, const struct watermark *watermark);

#endif
