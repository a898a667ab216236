/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects by address: the live ones, and for a while those that were freed. Grows with the live
 * set only.
 */
#ifndef TRACE_HEAP_H
#define TRACE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BLOCK_FREED = 1,      /* not live: kept to know a second free of it */
	BLOCK_RESCUED = 2,    /* its last event came from a second program */
	BLOCK_LEFT_OUT = 4,   /* kmemtraced's own, or not selected: in no figure */
	BLOCK_OWN = 8,	      /* kmemtraced's own */
	BLOCK_BEFORE = 16,    /* allocated before the window that is looked at */
	BLOCK_INNER = 64,     /* told from inside kmalloc(): it may be told again */
	BLOCK_OVERLAID = 32,  /* another object was put over it, and that was told */
	BLOCK_UNNAMED = 128,  /* its kernel tells no cache of it: see late.h */
	BLOCK_REPLACES = 256, /* it was given the address of a live one of those */
	BLOCK_PLAIN = 512     /* it lies as all else in its page: see suspect_is_still_plain() */
};

struct heap_block {
	uint64_t address;   /* 0: an empty place */
	uint64_t time;	    /* ns: of the allocation; of a freed one, of the free */
	uint32_t requested; /* bytes; of a freed one: index of the site that freed it */
	uint32_t allocated; /* bytes */
	uint32_t group;	    /* of its allocation, as the user of the heap counts */
	uint32_t task;	/* thread id: that allocated it; of a freed one, the number of that free */
	uint32_t cache; /* as the user of the heap counts */
	uint16_t cpu;	/* where it was allocated; of a freed one, where it was freed */
	uint16_t flags; /* BLOCK_… */
};

/* Half of a hash, which tells where the search for an address begins, and what lies there. */
struct heap_place {
	uint32_t hash;
	uint32_t number; /* of the block, + 1; 0: an empty place */
};

#define HEAP_CHUNK 4096 /* blocks that are allocated at a time */

/* Blocks stay where they are; an index of 8 bytes a place finds them. */
struct heap {
	struct heap_place *places;
	uint64_t seed;
	size_t mask;  /* places - 1 */
	size_t count; /* blocks */
	size_t limit; /* of them, for heap_is_full(); 0: none */
	struct heap_block **chunks;
	size_t used;   /* blocks of the chunks, those of removed ones too */
	uint32_t idle; /* number of a removed one, + 1; its group is the next: a list, 0 at its end
			*/
};

/* Whoever sets a limit asks before heap_add(), which knows none. */
static inline bool heap_is_full(const struct heap *heap)
{
	return heap->limit && heap->count >= heap->limit;
}

/* The seed keeps a hostile capture from choosing addresses that all fall on one place. */
static inline uint32_t heap_hash(uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15;

	return (uint32_t)((hash ^ hash >> 32) * (seed | 1) >> 16);
}
uint64_t heap_seed(void);

int heap_init(struct heap *heap); /* 0 or -ENOMEM */
void heap_deinit(struct heap *heap);

static inline struct heap_block *heap_block(const struct heap *heap, size_t index)
{
	return &heap->chunks[index / HEAP_CHUNK][index % HEAP_CHUNK];
}

/* The block at address, whose hash is known; or NULL. Stays where it is until it is removed. */
static inline struct heap_block *heap_find_hashed(const struct heap *heap, uint64_t address,
						  uint32_t hash)
{
	size_t place = hash & heap->mask;

	for (; heap->places[place].number; place = (place + 1) & heap->mask) {
		struct heap_block *block;

		if (heap->places[place].hash != hash)
			continue;
		block = heap_block(heap, heap->places[place].number - 1);
		if (block->address == address)
			return block;
	}
	return NULL;
}

/* The same, by the address alone. */
static inline struct heap_block *heap_find(const struct heap *heap, uint64_t address)
{
	return heap_find_hashed(heap, address, heap_hash(heap->seed, address));
}

/* Tells the processor that an address of this hash will be asked for: first this, */
static inline void heap_prefetch(const struct heap *heap, uint32_t hash)
{
	__builtin_prefetch(&heap->places[hash & heap->mask]);
}

/* and then, as long again as memory takes, this. A guess at its block: it may be another's. */
static inline struct heap_block *heap_prefetch_block(const struct heap *heap, uint32_t hash)
{
	uint32_t number = heap->places[hash & heap->mask].number;
	struct heap_block *block;

	if (!number)
		return NULL;
	block = heap_block(heap, number - 1);
	__builtin_prefetch(block, 1);
	__builtin_prefetch((const char *)(block + 1) - 1, 1);
	return block;
}

/*
 * The block at address, a new one if there is none: of that only the address is set, all else
 * is 0. NULL: no memory.
 */
struct heap_block *heap_add_hashed(struct heap *heap, uint64_t address, uint32_t hash);

static inline struct heap_block *heap_add(struct heap *heap, uint64_t address)
{
	return heap_add_hashed(heap, address, heap_hash(heap->seed, address));
}

void heap_remove(struct heap *heap, struct heap_block *block);

/* The next block in an order that means nothing, or NULL; *next is 0 at the start. */
struct heap_block *heap_next(const struct heap *heap, size_t *next);

#endif
