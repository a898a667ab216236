// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The fields of the cgroup of the current task. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analysis/fields/values.h"

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

/* Does the allocation ask for a charge? Of a kmalloc() only the flags count. */
static struct value is_accounted(const struct value_source *source, const struct event *event)
{
	if (!source->gfp_account)
		return value_unknown();
	if (event->gfp & source->gfp_account)
		return value_of(true);
	if (event_is_one_of(event, RECORD_KINDS_WITH(RECORD_SIZES)))
		return value_of(false);
	if (!event->has_cache || event->cache->accounting == CACHE_ACCOUNTING_UNKNOWN)
		return value_unknown();
	return value_of(event->cache->accounting == CACHE_ACCOUNTED);
}

struct value value_get_charged(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;
	const struct named *named;
	struct value accounted;

	if (!event_is_allocation(event))
		return value_unknown();
	if (event->context != KMT_CONTEXT_TASK || transition->outcome == OUTCOME_FAILED ||
	    source->analysis->capture->cgroups.is_uncharged)
		return value_of(false);
	accounted = is_accounted(source, event);
	if (!accounted.known || !accounted.number)
		return accounted;
	named = cgroup_names(source, transition);
	if (!named || !named->cgroup)
		return value_unknown();
	return value_of(strcmp(texts_get(&source->texts, named->cgroup), "/") != 0);
}
