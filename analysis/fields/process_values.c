// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of the fields that only process events have. */
#include "config.h"

#include "analysis/fields/values.h"

#define KIND(id) ((uint64_t)1 << (id))

/* The low half of the payload. */
static struct value low_half(const struct event *event)
{
	return value_of((uint32_t)event->payload);
}

struct value value_get_address(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;

	(void)source;
	if (!event_is_other(event) || event->id == KMT_OOM_KILL)
		return value_unknown();
	return value_of((int64_t)event->pointer);
}

struct value value_get_length(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;

	(void)source;
	if (!event_is_one_of(event, KIND(KMT_MMAP) | KIND(KMT_MUNMAP) | KIND(KMT_BRK)) ||
	    (event->id == KMT_BRK && event->payload == KMT_LENGTH_UNKNOWN))
		return value_unknown();
	if (event->id != KMT_BRK && event->payload > INT64_MAX)
		return value_of(INT64_MAX);
	return value_of((int64_t)event->payload);
}

struct value value_get_write_access(struct value_source *source,
				    const struct transition *transition)
{
	const struct event *event = transition->event;

	(void)source;
	if (event->id != KMT_PAGE_FAULT || (uint32_t)event->payload == KMT_ACCESS_UNKNOWN)
		return value_unknown();
	return low_half(event);
}

struct value value_get_fault_type(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return transition->event->id == KMT_PAGE_FAULT_RETURN ? low_half(transition->event)
							      : value_unknown();
}

struct value value_get_zero(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return transition->event->id == KMT_WRITE_SHARED_COPY ? low_half(transition->event)
							      : value_unknown();
}
