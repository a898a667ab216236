/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernels since 6.12 report a large kmalloc() twice: first from a call site inside kmalloc(), then
 * with the true caller. The first report waits for the second, which replaces it: for up to a
 * second, until another event of its object, or until the code that allocated goes on.
 */
#ifndef ANALYSIS_REPEATED_KMALLOC_H
#define ANALYSIS_REPEATED_KMALLOC_H

#include "analysis/matcher_state.h"

/* Passes an event on to match_event(), now or later. 0 or -errno. */
int repeated_kmalloc_take(struct matcher *matcher, const struct event *event);

/* No more events come: matches all waiting events. 0 or -errno. */
int repeated_kmalloc_finish(struct matcher *matcher);

#endif
