/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of sampled allocations. A record names a stack by its id, a hash of the stack, so that
 * each stack is stored once.
 */
#ifndef KERNEL_STACKS_H
#define KERNEL_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STACK_FRAMES_MAX 127 /* the most that the kernel walks */

struct stack {
	uint64_t id;	      /* not 0 */
	uint64_t since;	      /* ns: it was first seen then */
	uint32_t tgid;	      /* the process of a user stack; 0: a kernel stack */
	uint32_t frame_count; /* at most STACK_FRAMES_MAX */
	size_t first_frame;   /* in stacks.frames */
};

struct stacks {
	struct stack *list; /* by id */
	size_t count;
	uint64_t *frames; /* return addresses of each stack, the innermost first */
	size_t frame_count;
};

/*
 * Lines "stack ID SINCE TGID ADDRESS..." of kernel/stacks; ID and addresses are hexadecimal. Lines
 * with other keys are skipped; of two lines with one id, the first counts. 0 or -errno.
 */
int stack_write(FILE *file, const struct stack *stack, const uint64_t *frames);
int stacks_parse(struct stacks *stacks, const char *text);
void stacks_deinit(struct stacks *stacks);

/* NULL: the table does not have it. */
const struct stack *stacks_find(const struct stacks *stacks, uint64_t id);

static inline const uint64_t *stacks_frames(const struct stacks *stacks, const struct stack *stack)
{
	return stacks->frames + stack->first_frame;
}

#endif
