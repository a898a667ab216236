// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the events of one time, and passes them on in a possible order. */
#include "config.h"

#include "analysis/delayed_free.h"
#include "analysis/repeated_kmalloc.h"
#include "analysis/same_time.h"

/* Does the event allocate a live object's address, or free an address with no live object? */
static bool is_impossible(const struct matcher *matcher, const struct event *event)
{
	const struct slab_object *object;

	if (!event_has_object(event) || event_is_resize(event) || event_is_other(event) ||
	    delayed_free_expects(&matcher->delayed, event))
		return false;
	object = object_table_find(&matcher->analysis->objects, event->pointer);
	return event_is_allocation(event) == (object && !(object->flags & OBJECT_FREED));
}

/*
 * The index of an event of another CPU that must come before the event at index; same_time_count if
 * there is none.
 */
static size_t find_earlier_event(const struct matcher *matcher, size_t index)
{
	const struct event *event = &matcher->same_time[index];
	size_t i;

	if (!is_impossible(matcher, event))
		return matcher->same_time_count;
	for (i = index + 1; i < matcher->same_time_count; i++) {
		const struct event *other = &matcher->same_time[i];

		if (other->pointer == event->pointer && other->cpu != event->cpu &&
		    other->id != KMT_NONE && !event_is_resize(other) && !event_is_other(other) &&
		    event_is_allocation(other) != event_is_allocation(event))
			break;
	}
	return i;
}

int same_time_flush(struct matcher *matcher)
{
	int err = 0;

	for (size_t i = 0; i < matcher->same_time_count && !err; i++) {
		struct event *event = &matcher->same_time[i];
		size_t first;

		if (event->id == KMT_NONE)
			continue; /* passed on before its turn */
		first = find_earlier_event(matcher, i);
		if (first < matcher->same_time_count) {
			err = repeated_kmalloc_take(matcher, &matcher->same_time[first]);
			matcher->same_time[first].id = KMT_NONE;
		}
		if (!err)
			err = repeated_kmalloc_take(matcher, event);
	}
	matcher->same_time_count = 0;
	return err;
}

int same_time_take(struct matcher *matcher, const struct event *event, bool is_last_of_time)
{
	int err = 0;

	if (matcher->same_time_count && (matcher->same_time[0].time != event->time ||
					 matcher->same_time_count == MATCHER_SAME_TIME_MAX))
		err = same_time_flush(matcher);
	if (err)
		return err;
	if (!matcher->same_time_count && is_last_of_time)
		return repeated_kmalloc_take(matcher, event);
	matcher->same_time[matcher->same_time_count++] = *event;
	return 0;
}
