// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An analysis spends nearly all of its time here. */
#include "config.h"

#include "analysis/fastpath.h"
#include "analysis/match_allocation.h"
#include "analysis/match_free.h"

#define ALLOCATIONS (RECORD_KINDS_WITH(RECORD_ALLOCATION) & ~RECORD_KINDS_WITH(RECORD_ANONYMOUS))
#define FREES (RECORD_KINDS_WITH(RECORD_FREE) & ~RECORD_KINDS_WITH(RECORD_BACKUP))

size_t fastpath_run(struct matcher *matcher, const struct event *events, size_t count,
		    struct slab_object *const *prefetched, int *err)
{
	const struct object_table *objects = &matcher->analysis->objects;
	/* only the general path looks for the stack of an allocation */
	struct cpu_samples *const *samples =
		matcher->analysis->live_stacks ? matcher->samples.by_cpu : NULL;
	uint64_t end = matcher->fastpath_end;
	size_t i;

	/* only the general path adds to these lists */
	if (matcher->delayed.count || matcher->waiting_count)
		return 0;
	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];
		struct slab_object *object = prefetched[i];
		int result = MATCH_NOT_FAST;

		if (event->time >= end || event->time == event[1].time || !event_has_object(event))
			break;
		if (!object || object->address != event->pointer)
			object = object_table_find_hashed(objects, event->pointer, event->hash);
		if (event_is_one_of(event, ALLOCATIONS) &&
		    !(samples && samples_may_have(samples[event->cpu], event->sequence)))
			result = match_allocation(matcher, event, object, true);
		else if (event_is_one_of(event, FREES))
			result = match_free(matcher, event, object, true);
		if (result) {
			*err = result < 0 ? result : 0;
			break;
		}
	}
	return i;
}
