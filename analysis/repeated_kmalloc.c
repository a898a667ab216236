// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the first reports of large kmalloc() calls until the second report or the time limit. */
#include "config.h"

#include <string.h>

#include "analysis/match_event.h"
#include "analysis/repeated_kmalloc.h"

#define WAIT_NS 1000000000 /* a task can be off its CPU between its two reports */

static void remove_waiting(struct matcher *matcher, size_t index)
{
	matcher->waiting_count--;
	memmove(&matcher->waiting[index], &matcher->waiting[index + 1],
		(matcher->waiting_count - index) * sizeof(*matcher->waiting));
}

static int match_waiting(struct matcher *matcher, size_t index)
{
	struct event event = matcher->waiting[index];

	remove_waiting(matcher, index);
	return match_event(matcher, &event);
}

static bool is_second_report(const struct event *first, const struct event *event)
{
	return event->id == KMT_KMALLOC && event->pointer == first->pointer &&
	       event->task == first->task && event->requested == first->requested &&
	       event->allocated == first->allocated && event->call_site != first->call_site;
}

/*
 * Nothing comes between the two reports in the code that allocates, though interrupts do. Tasks
 * move between CPUs; interrupts and the idle tasks, which share an id, do not.
 */
static bool is_after_second_report(const struct matcher *matcher, const struct event *first,
				   const struct event *event)
{
	bool moves = first->task && first->context == KMT_CONTEXT_TASK;

	return matcher->status->context == STATUS_CONTEXT_ALL && event->task == first->task &&
	       event->context == first->context && (moves || event->cpu == first->cpu);
}

/*
 * Drops the first report whose second report the event is. Matches reports that waited too long,
 * whose second report is lost, or whose object the event concerns.
 */
static int check_waiting(struct matcher *matcher, const struct event *event)
{
	size_t i = 0;
	int err = 0;

	while (i < matcher->waiting_count && !err) {
		const struct event *first = &matcher->waiting[i];
		bool timed_out = event->time - first->time > WAIT_NS;

		if (!timed_out && is_second_report(first, event)) {
			matcher->analysis->totals.repeated++;
			remove_waiting(matcher, i);
			return 0;
		}
		if (timed_out || is_after_second_report(matcher, first, event) ||
		    (first->pointer && event->pointer == first->pointer))
			err = match_waiting(matcher, i);
		else
			i++;
	}
	return err;
}

int repeated_kmalloc_take(struct matcher *matcher, const struct event *event)
{
	int64_t site;
	int err = 0;

	/* the stack of a second report comes before it, and says nothing about the object */
	if (event->id == KMT_STACK)
		return match_event(matcher, event);
	if (matcher->waiting_count)
		err = check_waiting(matcher, event);
	if (err)
		return err;
	if (event->id != KMT_KMALLOC || event->allocated <= matcher->caches.slab_max)
		return match_event(matcher, event);
	site = grouping_site(&matcher->grouping, event->call_site, event->time);
	if (site < 0)
		return (int)site;
	if (!matcher->analysis->sites[site].in_allocator)
		return match_event(matcher, event);
	if (matcher->waiting_count == MATCHER_WAITING_MAX)
		err = match_waiting(matcher, 0);
	matcher->waiting[matcher->waiting_count++] = *event;
	return err;
}

int repeated_kmalloc_finish(struct matcher *matcher)
{
	int err = 0;

	while (matcher->waiting_count && !err)
		err = match_waiting(matcher, 0);
	return err;
}
