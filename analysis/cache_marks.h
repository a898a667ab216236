/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts the events of each cache before each of settings.mark_times. */
#ifndef ANALYSIS_CACHE_MARKS_H
#define ANALYSIS_CACHE_MARKS_H

#include "analysis/matcher.h"

/* As matcher_take(), but stops at each of the times to count. */
int cache_marks_take(struct matcher *matcher, const struct event *events, size_t count);

/* The number of events before the time. */
size_t events_before(const struct event *events, size_t count, uint64_t time);

/* After the last event: counts for the times that no event has reached. 0 or -ENOMEM. */
int cache_marks_add_rest(struct analysis *analysis);
void cache_marks_deinit(struct analysis *analysis);

#endif
