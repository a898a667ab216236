/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The live objects: address -> allocation. Open addressing; grows with the live set only. */
#ifndef TRACE_HEAP_H
#define TRACE_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_block {
	uint64_t address;	       /* 0: an empty place */
	uint64_t time;		       /* ns, of the allocation */
	uint32_t requested, allocated; /* bytes */
	uint32_t site;		       /* index of its call site, as the user of the heap counts */
	uint32_t task;
	uint16_t cpu;
	uint16_t flags; /* free for the user of the heap */
};

struct heap {
	struct heap_block *places;
	size_t mask;  /* places - 1 */
	size_t count; /* live objects */
	uint64_t seed;
};

/* The seed keeps a hostile capture from choosing addresses that all fall on one place. */
static inline uint64_t heap_hash(uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15;

	return (hash ^ hash >> 32) * (seed | 1) >> 16;
}
uint64_t heap_seed(void);

int heap_init(struct heap *heap); /* 0 or -ENOMEM */
void heap_deinit(struct heap *heap);

/* Tells the processor that address will be asked for soon. */
void heap_prefetch(const struct heap *heap, uint64_t address);

/*
 * Adds a block. If an object still lived at its address, that one is handed to old and
 * replaced. 0: added; 1: replaced; -ENOMEM.
 */
int heap_put(struct heap *heap, const struct heap_block *block, struct heap_block *old);

/* Takes the block at address out. 1 and block, or 0: there is none. */
int heap_take(struct heap *heap, uint64_t address, struct heap_block *block);

/* Calls each for every live block, in no order that means anything. */
void heap_each(const struct heap *heap, void (*each)(const struct heap_block *block, void *data),
	       void *data);

#endif
