/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Freed objects that the heap keeps for a while, to know a second free. */
#ifndef ANALYSIS_FREED_OBJECTS_H
#define ANALYSIS_FREED_OBJECTS_H

#include "analysis/matcher.h"

/* Lets those go that are forgotten. */
void freed_objects_sweep(struct matcher *matcher);

/* Were too many others freed since? */
static inline bool freed_objects_is_forgotten(const struct matcher *matcher,
					      const struct slab_object *object)
{
	return object->flags & OBJECT_FREED &&
	       (uint32_t)matcher->freed_count - object->task > PASS_FREED_MAX;
}

/* Keeps the block as a freed one. rescued: OBJECT_FROM_BACKUP or 0. 0 or -ENOMEM. */
static inline int freed_objects_keep(struct matcher *matcher, const struct event *event,
				     struct slab_object *object, uint16_t rescued)
{
	int64_t site = grouping_site(&matcher->grouping, event->call_site, event->time);

	if (site < 0)
		return (int)site;
	object->time = event->time;
	object->requested = (uint32_t)site;
	object->task = (uint32_t)matcher->freed_count++;
	object->cpu = event->cpu;
	object->flags |= (uint16_t)(OBJECT_FREED | rescued);
	if (matcher->freed_count >= matcher->sweep_next)
		freed_objects_sweep(matcher);
	return 0;
}

#endif
