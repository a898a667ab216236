// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Forgotten ones stay in the heap until it is swept: most blocks are in use again before that, and
 * it is so seldom that nobody needs to list them by their frees.
 */
#include "config.h"

#include "trace/freed.h"

#define SWEEP_PART 8 /* of the heap's blocks: as many frees, at least, lie between two sweeps */

void freed_sweep(struct pass *pass)
{
	struct heap *heap = &pass->analysis->heap;
	uint64_t wait = heap->used / SWEEP_PART;
	struct heap_block *block;
	size_t next = 0;

	while ((block = heap_next(heap, &next)))
		if (freed_is_forgotten(pass, block))
			heap_remove(heap, block);
	pass->sweep_next = pass->freed_count + (wait > PASS_FREED_MAX ? wait : PASS_FREED_MAX);
}
