// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matches the probe and the type of an event with globs, each type once. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/probe_filter.h"
#include "base/array.h"

int probe_filter_parse(struct probe_filter *filter, const char *text)
{
	int err = probe_globs_parse(&filter->globs, text);

	filter->has_types = false;
	for (size_t i = 0; i < filter->globs.count; i++)
		filter->has_types |= filter->globs.list[i].is_dtrace;
	for (unsigned int probe = 0; probe < PROBES; probe++)
		filter->probes[probe] = probe_globs_take(&filter->globs, probe);
	return err;
}

void probe_filter_deinit(struct probe_filter *filter)
{
	probe_globs_deinit(&filter->globs);
	free(filter->types);
	filter->types = NULL;
}

static bool takes_type(struct probe_filter *filter, struct value_source *source, size_t text,
		       bool is_free)
{
	struct probe_type *types = filter->types;

	if (text >= filter->type_count) {
		types = array_grow_zeroed(types, &filter->type_count, text + 1, sizeof(*types));
		if (!types) {
			source->err = -ENOMEM;
			return false;
		}
		filter->types = types;
	}
	if (!types[text].is_known[is_free]) {
		types[text].is_known[is_free] = true;
		types[text].is_taken[is_free] = probe_globs_take_type(
			&filter->globs, text ? texts_get(&source->texts, (uint32_t)text) : "",
			is_free);
	}
	return types[text].is_taken[is_free];
}

bool probe_filter_takes(struct probe_filter *filter, struct value_source *source,
			const struct transition *transition)
{
	const struct event *event = transition->event;
	bool is_free = event_is_one_of(event, RECORD_KINDS_WITH(RECORD_FREE));

	if (filter->probes[probe_of(event->id, event->node)])
		return true;
	/* as in dtmalloc, a failed allocation and the free of NULL are no event of a type */
	if (!filter->has_types || transition->outcome == OUTCOME_FAILED ||
	    transition->outcome == OUTCOME_NO_OBJECT || (!is_free && !event_is_allocation(event)))
		return false;
	return takes_type(filter, source, (size_t)value_get_cache(source, transition).number,
			  is_free);
}
