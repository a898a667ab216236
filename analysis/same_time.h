/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts events with the same time into a possible order. Clocks can be coarse: of two events of one
 * address at one time on two CPUs, the order by CPU number can be the wrong one.
 */
#ifndef ANALYSIS_SAME_TIME_H
#define ANALYSIS_SAME_TIME_H

#include "analysis/matcher_state.h"

/*
 * Events in time order. is_last_of_time: no more events with this event's time follow. 0 or -errno.
 */
int same_time_take(struct matcher *matcher, const struct event *event, bool is_last_of_time);

/* Passes all kept events on. 0 or -errno. */
int same_time_flush(struct matcher *matcher);

#endif
