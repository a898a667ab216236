// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The fields of the stack of a sampled allocation. */
#include "config.h"

#include <errno.h>

#include "analysis/fields/values.h"

/* NULL: there is none, or source->err is set. */
static const struct named *find_stack(struct value_source *source,
				      const struct transition *transition)
{
	const struct stack_sample *sample = source->analysis->sample;
	const struct event *event = transition->event;
	const struct named *named;

	if (!sample || !sample->kernel_stack || !event_is_allocation(event))
		return NULL;
	named = names_stack(&source->names, sample->kernel_stack, event->call_site, event->time);
	if (!named)
		source->err = -ENOMEM;
	return named;
}

struct value value_get_stack(struct value_source *source, const struct transition *transition)
{
	const struct named *named = find_stack(source, transition);

	return named && named->stack ? value_of(named->stack) : value_unknown();
}

struct value value_get_syscall(struct value_source *source, const struct transition *transition)
{
	const struct named *named = find_stack(source, transition);

	return named && named->syscall ? value_of(named->syscall) : value_unknown();
}

struct value value_get_user_stack(struct value_source *source, const struct transition *transition)
{
	const struct stack_sample *sample = source->analysis->sample;
	const struct named *named;

	if (!sample || !sample->user_stack || !event_is_allocation(transition->event))
		return value_unknown();
	named = names_user_stack(&source->names, sample->user_stack);
	if (!named)
		source->err = -ENOMEM;
	return named && named->text ? value_of(named->text) : value_unknown();
}
