/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recently freed objects stay in the object table, so that a second free of one is detected. */
#ifndef ANALYSIS_FREED_OBJECTS_H
#define ANALYSIS_FREED_OBJECTS_H

#include "analysis/matcher_state.h"

/* Removes forgotten objects from the object table. */
void freed_objects_sweep(struct matcher *matcher);

/* Is it a freed object, with more than MATCHER_FREED_MAX frees after its own? */
static inline bool freed_objects_is_forgotten(const struct matcher *matcher,
					      const struct slab_object *object)
{
	return object->flags & OBJECT_FREED &&
	       (uint32_t)matcher->freed_count - object->freed.number > MATCHER_FREED_MAX;
}

/* Turns a live object into a freed one. flags: OBJECT_FROM_BACKUP or 0. 0 or -ENOMEM. */
static inline int freed_objects_keep(struct matcher *matcher, const struct event *event,
				     struct slab_object *object, uint16_t flags)
{
	int64_t site = grouping_site(&matcher->grouping, event->call_site, event->time);

	if (site < 0)
		return (int)site;
	object->freed.time = event->time;
	object->freed.site = (uint32_t)site;
	object->freed.number = (uint32_t)matcher->freed_count++;
	object->flags |= (uint16_t)(OBJECT_FREED | flags);
	if (matcher->freed_count >= matcher->sweep_at)
		freed_objects_sweep(matcher);
	return 0;
}

#endif
