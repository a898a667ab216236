/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs frees with allocations. An event enters here once, in time order, and passes through these
 * files: same_time, repeated_kmalloc, match_event; or directly through fastpath. It becomes one
 * transition, which goes to the subscribers: the observers, the counters and the heap rules (see
 * subscribers.h). Or it only counts in the totals, as left out, repeated, untracked or kmemtraced's
 * own; an own event that is not about a slab object counts nowhere.
 */
#ifndef ANALYSIS_MATCHER_H
#define ANALYSIS_MATCHER_H

#include "analysis/model.h"

struct matcher;

int matcher_open(struct matcher **matcher, struct analysis *analysis); /* 0 or -ENOMEM */
void matcher_close(struct matcher *matcher);

/* Events in time order. 0 or -errno. */
int matcher_take(struct matcher *matcher, const struct event *events, size_t count);

/* No more events with the last event's time come: matches all that waited for one. 0 or -errno. */
int matcher_flush(struct matcher *matcher);

/* Copies the address of the last allocation of each CPU to addresses, unless that is NULL. */
void matcher_last_allocations(const struct matcher *matcher, uint64_t *addresses);

/* No more events come. end: of the selected window, ns. 0 or -errno. */
int matcher_finish(struct matcher *matcher, uint64_t end);

#endif
