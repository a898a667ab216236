/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The general path: matches any event, in any situation. */
#ifndef ANALYSIS_MATCH_EVENT_H
#define ANALYSIS_MATCH_EVENT_H

#include "analysis/matcher_state.h"

/* The events before it are matched, and it will not be matched again. 0 or -errno. */
int match_event(struct matcher *matcher, const struct event *event);

#endif
