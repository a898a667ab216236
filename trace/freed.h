/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Freed objects that the heap keeps for a while, to know a second free. */
#ifndef TRACE_FREED_H
#define TRACE_FREED_H

#include "trace/pass.h"

/* Lets those go that are forgotten. */
void freed_sweep(struct pass *pass);

/* Were too many others freed since? */
static inline bool freed_is_forgotten(const struct pass *pass, const struct heap_block *block)
{
	return block->flags & BLOCK_FREED &&
	       (uint32_t)pass->freed_count - block->task > PASS_FREED_MAX;
}

/* Keeps the block as a freed one. rescued: BLOCK_RESCUED or 0. 0 or -ENOMEM. */
static inline int freed_keep(struct pass *pass, const struct event *event, struct heap_block *block,
			     uint16_t rescued)
{
	int64_t site = grouping_site(&pass->grouping, event->call_site, event->time);

	if (site < 0)
		return (int)site;
	block->time = event->time;
	block->requested = (uint32_t)site;
	block->task = (uint32_t)pass->freed_count++;
	block->cpu = event->cpu;
	block->flags |= (uint16_t)(BLOCK_FREED | rescued);
	if (pass->freed_count >= pass->sweep_next)
		freed_sweep(pass);
	return 0;
}

#endif
