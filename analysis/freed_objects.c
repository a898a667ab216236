// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A forgotten object stays in the table until the next sweep. Most addresses are allocated again
 * before that, and sweeps are so rare that reading the whole table costs little.
 */
#include "config.h"

#include "analysis/freed_objects.h"

#define SWEEP_PART 8 /* at least a table's objects / SWEEP_PART frees lie between two sweeps */

void freed_objects_sweep(struct matcher *matcher)
{
	struct object_table *objects = &matcher->analysis->objects;
	uint64_t wait = objects->used / SWEEP_PART;
	struct slab_object *object;
	size_t next = 0;

	while ((object = object_table_next(objects, &next)))
		if (freed_objects_is_forgotten(matcher, object))
			object_table_remove(objects, object);
	matcher->sweep_at =
		matcher->freed_count + (wait > MATCHER_FREED_MAX ? wait : MATCHER_FREED_MAX);
}
