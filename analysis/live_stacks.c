// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the stacks of sampled objects by address, and drops those of freed objects from time to
 * time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/live_stacks.h"

#define SPACE_LEAST 1024

int live_stacks_open(struct live_stacks **stacks)
{
	*stacks = calloc(1, sizeof(**stacks));
	return *stacks ? hash_map_init(&(*stacks)->index) : -ENOMEM;
}

void live_stacks_close(struct live_stacks *stacks)
{
	if (!stacks)
		return;
	hash_map_deinit(&stacks->index);
	free(stacks->list);
	free(stacks);
}

static bool is_of(const struct live_stack *stack, const struct slab_object *object)
{
	return object && !(object->flags & OBJECT_FREED) && object->time == stack->time;
}

/* Drops the entries of objects that were freed. 0 or -ENOMEM. */
static int drop_freed(struct live_stacks *stacks, const struct object_table *objects)
{
	size_t kept = 0;
	int err;

	for (size_t i = 0; i < stacks->count; i++) {
		const struct live_stack *stack = &stacks->list[i];

		if (is_of(stack, object_table_find(objects, stack->address)))
			stacks->list[kept++] = *stack;
	}
	stacks->count = kept;
	hash_map_deinit(&stacks->index);
	err = hash_map_init(&stacks->index);
	for (size_t i = 0; i < kept && !err; i++)
		err = hash_map_add(&stacks->index, stacks->list[i].address, (uint32_t)i);
	return err;
}

/* Room for one more: at least half of it is free, so that each entry pays for one look at another.
 */
static int grow_stacks(struct live_stacks *stacks, const struct object_table *objects)
{
	struct live_stack *list;
	int err = drop_freed(stacks, objects);
	size_t space = stacks->space ? stacks->space * 2 : SPACE_LEAST;

	if (err || stacks->count < stacks->space / 2)
		return err;
	list = reallocarray(stacks->list, space, sizeof(*list));
	if (!list)
		return -ENOMEM;
	stacks->list = list;
	stacks->space = space;
	return 0;
}

int live_stacks_add(struct live_stacks *stacks, const struct object_table *objects,
		    const struct event *event, const struct stack_sample *sample)
{
	uint32_t number = hash_map_find(&stacks->index, event->pointer);
	int err = 0;

	if (number == HASH_MAP_NONE) {
		if (stacks->count == stacks->space)
			err = grow_stacks(stacks, objects);
		number = (uint32_t)stacks->count;
		if (!err)
			err = hash_map_add(&stacks->index, event->pointer, number);
		if (err)
			return err;
		stacks->count++;
	}
	stacks->list[number] = (struct live_stack){
		.address = event->pointer,
		.time = event->time,
		.call_site = event->call_site,
		.kernel_stack = sample->kernel_stack,
		.user_stack = sample->user_stack,
		.interval = sample->interval,
	};
	return 0;
}

const struct live_stack *live_stacks_find(const struct live_stacks *stacks,
					  const struct slab_object *object)
{
	uint32_t number = hash_map_find(&stacks->index, object->address);

	return number != HASH_MAP_NONE && is_of(&stacks->list[number], object)
		       ? &stacks->list[number]
		       : NULL;
}
