// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The fields of the cgroup of the current task. */
#include "config.h"

#include <errno.h>

#include "fields/values.h"

static const struct named *cgroup_names(struct value_source *source,
					const struct transition *transition)
{
	const struct event *event = transition->event;
	const struct named *named = names_cgroup(&source->names, event->task, event->time);

	if (!named)
		source->err = -ENOMEM;
	return named;
}

struct value value_get_cgroup(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (transition->event->context != KMT_CONTEXT_TASK)
		return value_get_context(source, transition);
	named = cgroup_names(source, transition);
	return named && named->cgroup ? value_of(named->cgroup) : value_unknown();
}

struct value value_get_container(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (transition->event->context != KMT_CONTEXT_TASK)
		return value_unknown();
	named = cgroup_names(source, transition);
	return named && named->container ? value_of(named->container) : value_unknown();
}
