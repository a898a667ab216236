/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The short way for what nearly all events are, where all is looked at and nobody watches: an
 * allocation where nothing lives, at a site that has its group, and the free of an object that
 * counts. It does what the pass does with these, and leaves all else to it.
 */
#ifndef ANALYSIS_FASTPATH_H
#define ANALYSIS_FASTPATH_H

#include "analysis/matcher.h"

/*
 * ns: before it an event may be usual. Where nothing is selected the window is everything, and what
 * comes before check_until is judged: nobody needs to ask.
 */
static inline uint64_t fastpath_end(const struct matcher *matcher)
{
	if (matcher->select || matcher->analysis->settings.observer_count ||
	    matcher->analysis->objects.limit)
		return 0;
	return matcher->check_until < UINT64_MAX ? matcher->check_until + 1 : UINT64_MAX;
}

/*
 * Takes events from the first on, as long as they are usual, and tells how many. guesses: at the
 * block of each one's object, as object_table_prefetch_object() makes them: NULL, another's or,
 * since events before it are taken first, one that was removed meanwhile. One more event lies
 * behind the last: those that share their time with the next are not usual either. err: 0 or
 * -ENOMEM.
 */
size_t fastpath_run(struct matcher *matcher, const struct event *events, size_t count,
		    struct slab_object *const *guesses, int *err);

#endif
