/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects by address: the live ones, and for a while those that were freed. Open addressing;
 * grows with the live set only.
 */
#ifndef TRACE_HEAP_H
#define TRACE_HEAP_H

#include <stddef.h>
#include <stdint.h>

enum {
	BLOCK_FREED = 1,     /* not live: kept to know a second free of it */
	BLOCK_RESCUED = 2,   /* its last event came from a second program */
	BLOCK_LEFT_OUT = 4,  /* kmemtraced's own, or not selected: in no figure */
	BLOCK_OWN = 8,	     /* kmemtraced's own */
	BLOCK_BEFORE = 16,   /* allocated before the window that is looked at */
	BLOCK_INNER = 64,    /* told from inside kmalloc(): it may be told again */
	BLOCK_OVERLAID = 32, /* another object was put over it, and that was told */
	BLOCK_UNNAMED = 128, /* its kernel tells no cache of it: see late.h */
	BLOCK_REPLACES = 256 /* it was given the address of a live one of those */
};

struct heap_block {
	uint64_t address;   /* 0: an empty place */
	uint64_t time;	    /* ns: of the allocation; of a freed one, of the free */
	uint32_t requested; /* bytes; of a freed one: index of the site that freed it */
	uint32_t allocated; /* bytes */
	uint32_t group;	    /* of its allocation, as the user of the heap counts */
	uint32_t task;	    /* thread id: that allocated it; of a freed one, that freed it */
	uint32_t cache;	    /* as the user of the heap counts */
	uint16_t cpu;	    /* where it was allocated; of a freed one, where it was freed */
	uint16_t flags;	    /* BLOCK_… */
};

struct heap {
	struct heap_block *places;
	size_t mask;  /* places - 1 */
	size_t count; /* blocks */
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

/* The block at address, or NULL. Valid until the next call of heap_add() or heap_remove(). */
struct heap_block *heap_find(const struct heap *heap, uint64_t address);

/*
 * The block at address, a new one if there is none: of that only the address is set, all else
 * is 0. NULL: no memory. Valid as above.
 */
struct heap_block *heap_add(struct heap *heap, uint64_t address);

void heap_remove(struct heap *heap, struct heap_block *block);

/* The next block in an order that means nothing; NULL begins, and ends. */
const struct heap_block *heap_next(const struct heap *heap, const struct heap_block *block);

#endif
