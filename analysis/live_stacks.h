/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of the sampled objects that are live. An entry stays for a while after its object was
 * freed: it is of a live object only if both have the same time.
 */
#ifndef ANALYSIS_LIVE_STACKS_H
#define ANALYSIS_LIVE_STACKS_H

#include "analysis/model.h"
#include "base/hash_map.h"

struct live_stack {
	uint64_t address, time; /* of the object */
	uint64_t call_site;
	uint64_t kernel_stack, user_stack; /* ids of kernel/stacks, 0: none */
	uint32_t interval;		   /* bytes: of the sample */
};

struct live_stacks {
	struct hash_map index; /* by address */
	struct live_stack *list;
	size_t count, space;
};

int live_stacks_open(struct live_stacks **stacks); /* 0 or -ENOMEM */
void live_stacks_close(struct live_stacks *stacks);

/* The event allocated a sampled object. objects: those of which entries are kept. 0 or -ENOMEM. */
int live_stacks_add(struct live_stacks *stacks, const struct object_table *objects,
		    const struct event *event, const struct stack_sample *sample);

/* Of a live object; NULL: it was not sampled. Valid until the next live_stacks_add(). */
const struct live_stack *live_stacks_find(const struct live_stacks *stacks,
					  const struct slab_object *object);

#endif
