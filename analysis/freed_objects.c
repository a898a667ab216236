// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Forgotten ones stay in the heap until it is swept: most blocks are in use again before that, and
 * it is so seldom that nobody needs to list them by their frees.
 */
#include "config.h"

#include "analysis/freed_objects.h"

#define SWEEP_PART 8 /* of the heap's blocks: as many frees, at least, lie between two sweeps */

void freed_objects_sweep(struct matcher *matcher)
{
	struct object_table *objects = &matcher->analysis->objects;
	uint64_t wait = objects->used / SWEEP_PART;
	struct slab_object *object;
	size_t next = 0;

	while ((object = object_table_next(objects, &next)))
		if (freed_objects_is_forgotten(matcher, object))
			object_table_remove(objects, object);
	matcher->sweep_next =
		matcher->freed_count + (wait > PASS_FREED_MAX ? wait : PASS_FREED_MAX);
}
