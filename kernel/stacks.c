// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stacks of sampled allocations by id. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/stacks.h"

int stack_write(FILE *file, const struct stack *stack, const uint64_t *frames)
{
	fprintf(file, "stack %" PRIx64 " %" PRIu64 " %" PRIu32, stack->id, stack->since,
		stack->tgid);
	for (uint32_t i = 0; i < stack->frame_count; i++)
		fprintf(file, " %" PRIx64, frames[i]);
	putc('\n', file);
	return text_write_result(file);
}

static int add_frame(struct stacks *stacks, uint64_t address)
{
	uint64_t *frames = array_grow(stacks->frames, stacks->frame_count, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	stacks->frames = frames;
	frames[stacks->frame_count++] = address;
	return 0;
}

static int add_stack(struct stacks *stacks, struct line *line)
{
	struct stack *list, stack = { .first_frame = stacks->frame_count };
	uint64_t address;
	int err = 0;

	if (!line_key(line, "stack") || !line_u64(line, 16, &stack.id) || !stack.id ||
	    !line_u64(line, 10, &stack.since) || !line_u32(line, &stack.tgid))
		return 0;
	while (!err && stack.frame_count < STACK_FRAMES_MAX && line_u64(line, 16, &address)) {
		err = add_frame(stacks, address);
		stack.frame_count++;
	}
	list = err ? NULL : array_grow(stacks->list, stacks->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	stacks->list = list;
	list[stacks->count++] = stack;
	return 0;
}

/* Of stacks with one id: in the order of the table. */
static int compare_stacks(const void *left, const void *right)
{
	const struct stack *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->first_frame > b->first_frame) - (a->first_frame < b->first_frame);
}

int stacks_parse(struct stacks *stacks, const char *text)
{
	struct line line;
	size_t kept = 0;
	int err = 0;

	*stacks = (struct stacks){ 0 };
	while (!err && line_next(&line, &text))
		err = add_stack(stacks, &line);
	if (err) {
		stacks_deinit(stacks);
		return err;
	}
	if (stacks->count)
		qsort(stacks->list, stacks->count, sizeof(*stacks->list), compare_stacks);
	for (size_t i = 0; i < stacks->count; i++)
		if (!kept || stacks->list[kept - 1].id != stacks->list[i].id)
			stacks->list[kept++] = stacks->list[i];
	stacks->count = kept;
	return 0;
}

void stacks_deinit(struct stacks *stacks)
{
	free(stacks->list);
	free(stacks->frames);
	*stacks = (struct stacks){ 0 };
}

static int compare_id(const void *key, const void *element)
{
	uint64_t id = *(const uint64_t *)key;
	const struct stack *stack = element;

	return (id > stack->id) - (id < stack->id);
}

const struct stack *stacks_find(const struct stacks *stacks, uint64_t id)
{
	if (!stacks->count)
		return NULL;
	return bsearch(&id, stacks->list, stacks->count, sizeof(*stacks->list), compare_id);
}
