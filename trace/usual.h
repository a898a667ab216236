/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The short way for what nearly all events are, where all is looked at and nobody watches: an
 * allocation where nothing lives, at a site that has its group, and the free of an object that
 * counts. It does what the pass does with these, and leaves all else to it.
 */
#ifndef TRACE_USUAL_H
#define TRACE_USUAL_H

#include "trace/pass.h"

/*
 * ns: before it an event may be usual. Where nothing is selected the window is everything, and what
 * comes before judged_last is judged: nobody needs to ask.
 */
static inline uint64_t usual_end(const struct pass *pass)
{
	if (pass->select || pass->analysis->settings.observer_count || pass->analysis->heap.limit)
		return 0;
	return pass->judged_last < UINT64_MAX ? pass->judged_last + 1 : UINT64_MAX;
}

/*
 * Takes events from the first on, as long as they are usual, and tells how many. guesses: at the
 * block of each one's object, as heap_prefetch_block() makes them: NULL, another's or, since events
 * before it are taken first, one that was removed meanwhile. One more event lies behind the last:
 * those that share their time with the next are not usual either. err: 0 or -ENOMEM.
 */
size_t usual_run(struct pass *pass, const struct event *events, size_t count,
		 struct heap_block *const *guesses, int *err);

#endif
