/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects by address: the live ones, and for a while those that were freed. Grows with the live
 * set only.
 */
#ifndef ANALYSIS_OBJECT_TABLE_H
#define ANALYSIS_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum {
	OBJECT_FREED = 1,	      /* not live: kept to know a second free of it */
	OBJECT_FROM_BACKUP = 2,	      /* its last event came from a second program */
	OBJECT_FILTERED = 4,	      /* kmemtraced's own, or not selected: in no figure */
	OBJECT_SELF = 8,	      /* kmemtraced's own */
	OBJECT_PREWINDOW = 16,	      /* allocated before the window that is looked at */
	OBJECT_FROM_ALLOCATOR = 64,   /* told from inside kmalloc(): it may be told again */
	OBJECT_OVERLAP_REPORTED = 32, /* another object was put over it, and that was told */
	OBJECT_CACHE_ANONYMOUS = 128, /* its kernel tells no cache of it: see late.h */
	OBJECT_REUSED_ADDRESS = 256,  /* it was given the address of a live one of those */
	OBJECT_MATCHES_PAGE =
		512 /* it lies as all else in its page: see heap_rules_is_still_plain() */
};

struct slab_object {
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
struct object_slot {
	uint32_t hash;
	uint32_t number; /* of the block, + 1; 0: an empty place */
};

#define OBJECT_TABLE_CHUNK 4096 /* blocks that are allocated at a time */

/* Blocks stay where they are; an index of 8 bytes a place finds them. */
struct object_table {
	struct object_slot *slots;
	uint64_t seed;
	size_t mask;  /* places - 1 */
	size_t count; /* blocks */
	size_t limit; /* of them, for object_table_is_full(); 0: none */
	struct slab_object **chunks;
	size_t used;   /* blocks of the chunks, those of removed ones too */
	uint32_t idle; /* number of a removed one, + 1; its group is the next: a list, 0 at its end
			*/
};

/* Whoever sets a limit asks before object_table_add(), which knows none. */
static inline bool object_table_is_full(const struct object_table *objects)
{
	return objects->limit && objects->count >= objects->limit;
}

int object_table_init(struct object_table *objects); /* 0 or -ENOMEM */
void object_table_deinit(struct object_table *objects);

static inline struct slab_object *slab_object(const struct object_table *objects, size_t index)
{
	return &objects->chunks[index / OBJECT_TABLE_CHUNK][index % OBJECT_TABLE_CHUNK];
}

/* The block at address, whose hash is known; or NULL. Stays where it is until it is removed. */
static inline struct slab_object *object_table_find_hashed(const struct object_table *objects,
							   uint64_t address, uint32_t hash)
{
	size_t slot = hash & objects->mask;

	for (; objects->slots[slot].number; slot = (slot + 1) & objects->mask) {
		struct slab_object *object;

		if (objects->slots[slot].hash != hash)
			continue;
		object = slab_object(objects, objects->slots[slot].number - 1);
		if (object->address == address)
			return object;
	}
	return NULL;
}

/* The same, by the address alone. */
static inline struct slab_object *object_table_find(const struct object_table *objects,
						    uint64_t address)
{
	return object_table_find_hashed(objects, address, hash_address(objects->seed, address));
}

/* Tells the processor that an address of this hash will be asked for: first this, */
static inline void object_table_prefetch(const struct object_table *objects, uint32_t hash)
{
	__builtin_prefetch(&objects->slots[hash & objects->mask]);
}

/* and then, as long again as memory takes, this. A guess at its block: it may be another's. */
static inline struct slab_object *object_table_prefetch_object(const struct object_table *objects,
							       uint32_t hash)
{
	uint32_t number = objects->slots[hash & objects->mask].number;
	struct slab_object *object;

	if (!number)
		return NULL;
	object = slab_object(objects, number - 1);
	__builtin_prefetch(object, 1);
	__builtin_prefetch((const char *)(object + 1) - 1, 1);
	return object;
}

/*
 * The block at address, a new one if there is none: of that only the address is set, all else
 * is 0. NULL: no memory.
 */
struct slab_object *object_table_add_hashed(struct object_table *objects, uint64_t address,
					    uint32_t hash);

static inline struct slab_object *object_table_add(struct object_table *objects, uint64_t address)
{
	return object_table_add_hashed(objects, address, hash_address(objects->seed, address));
}

void object_table_remove(struct object_table *objects, struct slab_object *object);

/* The next block in an order that means nothing, or NULL; *next is 0 at the start. */
struct slab_object *object_table_next(const struct object_table *objects, size_t *next);

#endif
