// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stacks, and their live samples: the end of a sample subtracts what its begin added. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "base/array.h"
#include "kernel/stacks.h"
#include "live/stats/details_stacks.h"

#define UNKNOWN 0 /* index of the stacks that are not known */

static int add_stack(struct details_stacks *stacks, const struct details_stack *stack)
{
	struct details_stack *list = array_grow(stacks->list, stacks->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	stacks->list = list;
	list[stacks->count++] = *stack;
	return 0;
}

int details_stacks_init(struct details_stacks *stacks)
{
	const struct details_stack unknown = { .is_named = true };
	int err = hash_map_init(&stacks->by_id);

	if (!err)
		err = hash_map_init(&stacks->by_address);
	for (size_t i = 0; i < DETAILS_SAMPLED && !err; i++) {
		struct details_sampled_table *table = &stacks->tables[i];

		err = hash_map_init(&table->by_name);
		table->rows = err ? NULL : array_grow(NULL, 0, sizeof(*table->rows));
		if (!table->rows)
			return -ENOMEM;
		table->rows[table->count++] = (struct details_sampled_row){ 0 };
	}
	return err ? err : add_stack(stacks, &unknown);
}

void details_stacks_deinit(struct details_stacks *stacks)
{
	for (size_t i = 0; i < DETAILS_SAMPLED; i++) {
		struct details_sampled_table *table = &stacks->tables[i];

		for (size_t j = 0; j < table->count; j++)
			free(table->rows[j].name);
		free(table->rows);
		hash_map_deinit(&table->by_name);
	}
	free(stacks->list);
	free(stacks->frames);
	free(stacks->samples);
	hash_map_deinit(&stacks->by_id);
	hash_map_deinit(&stacks->by_address);
}

static int add_frame(struct details_stacks *stacks, uint64_t address)
{
	uint64_t *frames = array_grow(stacks->frames, stacks->frame_count, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	stacks->frames = frames;
	frames[stacks->frame_count++] = address;
	return 0;
}

int details_stacks_take(struct details_stacks *stacks, struct line *line)
{
	struct details_stack stack = { .first_frame = stacks->frame_count };
	uint64_t since, address;
	uint32_t tgid;
	int err = 0;

	if (!line_u64(line, 16, &stack.id) || !stack.id || !line_u64(line, 10, &since) ||
	    !line_u32(line, &tgid) || tgid || stacks->count == DETAILS_STACKS_MAX ||
	    hash_map_find(&stacks->by_id, stack.id) != HASH_MAP_NONE)
		return 0;
	while (!err && stack.frame_count < STACK_FRAMES_MAX && line_u64(line, 16, &address)) {
		err = add_frame(stacks, address);
		stack.frame_count++;
	}
	if (!err && stack.frame_count)
		err = add_stack(stacks, &stack);
	if (!err && stack.frame_count)
		err = hash_map_add(&stacks->by_id, stack.id, (uint32_t)stacks->count - 1);
	return err;
}

static uint32_t find_stack(struct details_stacks *stacks, uint64_t id, const struct event *event)
{
	uint32_t index = id ? hash_map_find(&stacks->by_id, id) : HASH_MAP_NONE;
	struct details_stack *stack;

	if (index == HASH_MAP_NONE)
		return UNKNOWN;
	stack = &stacks->list[index];
	if (!stack->time) {
		stack->call_site = event->call_site;
		stack->time = event->time;
	}
	return index;
}

/* The index of an unused sample, or -ENOMEM. */
static int64_t take_unused(struct details_stacks *stacks)
{
	struct details_sample *samples;
	uint32_t index = stacks->unused;

	if (index) {
		stacks->unused = stacks->samples[index - 1].next_unused;
		return index - 1;
	}
	samples = array_grow(stacks->samples, stacks->sample_count, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	stacks->samples = samples;
	return (int64_t)stacks->sample_count++;
}

static int add_sampled_object(struct details_stacks *stacks, const struct stack_sample *sample,
			      const struct event *event, const struct slab_object *object)
{
	double weight = estimate_sample_weight(object, sample->interval);
	struct object_weight counts = estimate_weigh(object, weight);
	struct details_sample begun = {
		.stack = find_stack(stacks, sample->kernel_stack, event),
		.objects = counts.objects,
		.bytes = counts.allocated,
		.variance = weight * (weight - 1) * object->allocated * object->allocated,
	};
	struct details_estimate *estimate = &stacks->list[begun.stack].estimate;
	int64_t index = take_unused(stacks);

	if (index < 0)
		return -ENOMEM;
	stacks->samples[index] = begun;
	estimate->counts.allocations += begun.objects;
	estimate->counts.allocated += begun.bytes;
	estimate->allocated_variance += begun.variance;
	estimate->live_variance += begun.variance;
	estimate->samples++;
	estimate->live_samples++;
	return hash_map_add(&stacks->by_address, object->address, (uint32_t)index);
}

static void end_sample(struct details_stacks *stacks, uint64_t address)
{
	uint32_t index = hash_map_find(&stacks->by_address, address);
	struct details_estimate *estimate;
	struct details_sample *sample;

	if (index == HASH_MAP_NONE)
		return;
	hash_map_remove(&stacks->by_address, address);
	sample = &stacks->samples[index];
	estimate = &stacks->list[sample->stack].estimate;
	estimate->counts.frees += sample->objects;
	estimate->counts.freed += sample->bytes;
	estimate->live_samples--;
	/* the sum is not exact */
	estimate->live_variance =
		estimate->live_samples ? estimate->live_variance - sample->variance : 0;
	*sample = (struct details_sample){ .next_unused = stacks->unused };
	stacks->unused = index + 1;
}

int details_stacks_on_transition(struct details_stacks *stacks, const struct stack_sample *sample,
				 const struct transition *transition)
{
	const struct slab_object *object = transition->object;

	/* no two objects that are live have one address */
	end_sample(stacks, object->address);
	if (transition->outcome != OUTCOME_ALLOCATED)
		return 0;
	return sample ? add_sampled_object(stacks, sample, transition->event, object) : 0;
}
