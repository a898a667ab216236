/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects by address: the live ones, and with findings also recently freed ones. Memory grows with
 * the number of live objects only.
 */
#ifndef ANALYSIS_OBJECT_TABLE_H
#define ANALYSIS_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define OBJECT_DOUBLINGS_SHIFT 11

enum {
	OBJECT_FREED = 1,	      /* not live: remembered to detect a second free */
	OBJECT_FROM_BACKUP = 2,	      /* its free was recorded by a backup program */
	OBJECT_LEFT_OUT = 4,	      /* not counted: of kmemtraced itself, or not selected */
	OBJECT_OWN = 8,		      /* of kmemtraced itself; with OBJECT_LEFT_OUT */
	OBJECT_PREWINDOW = 16,	      /* allocated before the selected window */
	OBJECT_OVERLAP_REPORTED = 32, /* another object was allocated over it: reported once */
	OBJECT_FROM_ALLOCATOR = 64,   /* reported from inside kmalloc(): a second report may come */
	OBJECT_CACHE_ANONYMOUS = 128, /* its kernel names no cache: see delayed_free.h */
	OBJECT_REUSED_ADDRESS = 256,  /* allocated at the address of a live anonymous object */
	OBJECT_MATCHES_PAGE = 512,    /* it has the page's stride and phase: see slab_pages.h */
	OBJECT_IN_INTERRUPT = 1024,   /* allocated in an interrupt, not by its task */
	OBJECT_DOUBLINGS = 31 << OBJECT_DOUBLINGS_SHIFT, /* of the interval: see estimate.h */
	/* without estimates, if analysis_settings.mark_sampled: it was sampled */
	OBJECT_SAMPLED = 1 << OBJECT_DOUBLINGS_SHIFT,
};

struct slab_object {
	uint64_t address; /* 0: unused */
	union {
		struct {		    /* live */
			uint64_t time;	    /* ns: of the allocation */
			uint32_t requested; /* bytes */
			uint32_t task;	    /* thread id: of the allocation */
		};
		struct {		 /* OBJECT_FREED */
			uint64_t time;	 /* ns: of the free */
			uint32_t site;	 /* of the free: index in analysis.sites */
			uint32_t number; /* of the free: frees are counted modulo 2^32 */
		} freed;
	};
	uint32_t allocated; /* bytes */
	union {
		uint32_t group;	      /* of the allocation: index in analysis.groups */
		uint32_t next_unused; /* address 0: number of the next unused object, + 1 */
	};
	uint32_t cache; /* index in analysis.caches */
	uint16_t cpu;	/* of the allocation */
	uint16_t flags; /* OBJECT_… */
};

_Static_assert(sizeof(struct slab_object) == 40, "millions of objects are live");

/* A slot of the hash index: the lower half of the address' hash, and the object. */
struct object_slot {
	uint32_t hash;
	uint32_t number; /* of the object, + 1; 0: the slot is empty */
};

#define OBJECT_TABLE_SMALL (1 << 19) /* slots */
#define OBJECT_TABLE_CHUNK 4096	     /* objects that one malloc() makes room for */

/* Objects never move; an index with 8 bytes a slot finds them. */
struct object_table {
	struct object_slot *slots;
	uint64_t seed;
	size_t mask;  /* slots - 1 */
	size_t count; /* objects */
	size_t limit; /* on count, for object_table_is_full(); 0: none */
	struct slab_object **chunks;
	size_t used;	 /* objects of the chunks, including unused ones */
	uint32_t unused; /* number of the first unused object, + 1; 0: none. See next_unused */
};

/* object_table_add() does not check the limit: its caller asks this first. */
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

/*
 * The object at address, whose hash the caller knows; or NULL. It stays until it is removed. *slot
 * becomes its slot; without an object, the empty slot where the search ended.
 */
static inline struct slab_object *object_table_probe(const struct object_table *objects,
						     uint64_t address, uint32_t hash, size_t *slot)
{
	size_t at = hash & objects->mask;

	for (; objects->slots[at].number; at = (at + 1) & objects->mask) {
		struct slab_object *object;

		if (objects->slots[at].hash != hash)
			continue;
		object = slab_object(objects, objects->slots[at].number - 1);
		if (object->address == address) {
			*slot = at;
			return object;
		}
	}
	*slot = at;
	return NULL;
}

static inline struct slab_object *object_table_find_hashed(const struct object_table *objects,
							   uint64_t address, uint32_t hash)
{
	size_t slot;

	return object_table_probe(objects, address, hash, &slot);
}

static inline struct slab_object *object_table_find(const struct object_table *objects,
						    uint64_t address)
{
	return object_table_find_hashed(objects, address, hash_address(objects->seed, address));
}

/* Prefetches the slot of an address with this hash. */
static inline void object_table_prefetch(const struct object_table *objects, uint32_t hash)
{
	__builtin_prefetch(&objects->slots[hash & objects->mask]);
}

/*
 * Prefetches the object of the hash's first slot, once the slot itself was prefetched. The result
 * may be another address' object; NULL: the slot is empty.
 */
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

/* The object at address; a new one, all zero except for its address, if there is none. NULL: no
 * memory. */
struct slab_object *object_table_add_hashed(struct object_table *objects, uint64_t address,
					    uint32_t hash);

static inline struct slab_object *object_table_add(struct object_table *objects, uint64_t address)
{
	return object_table_add_hashed(objects, address, hash_address(objects->seed, address));
}

/* As object_table_insert(), when the table must grow or has no unused object. */
struct slab_object *object_table_insert_growing(struct object_table *objects, uint64_t address,
						uint32_t hash);

/*
 * More than five eighths full, a search visits too many slots. In a small table most searches shall
 * end at the first slot, which costs little memory.
 */
static inline bool object_table_must_grow(const struct object_table *objects)
{
	return objects->count >=
	       (objects->mask < OBJECT_TABLE_SMALL ? objects->mask / 4 : objects->mask / 8 * 5);
}

/*
 * A new object at the address, after object_table_probe() found none there and the empty slot. The
 * caller sets all of its fields but the address. NULL: no memory.
 */
static inline struct slab_object *object_table_insert(struct object_table *objects, size_t slot,
						      uint64_t address, uint32_t hash)
{
	uint32_t number = objects->unused;
	struct slab_object *object;

	if (!number || object_table_must_grow(objects))
		return object_table_insert_growing(objects, address, hash);
	object = slab_object(objects, number - 1);
	objects->unused = object->next_unused;
	objects->slots[slot] = (struct object_slot){ hash, number };
	objects->count++;
	object->address = address;
	return object;
}

void object_table_remove(struct object_table *objects, struct slab_object *object);

/* The same for an object whose slot is known. */
static inline void object_table_remove_slot(struct object_table *objects, size_t slot,
					    struct slab_object *object)
{
	struct object_slot *slots = objects->slots;
	uint32_t number = slots[slot].number;
	size_t hole = slot;

	for (size_t i = (hole + 1) & objects->mask; slots[i].number; i = (i + 1) & objects->mask) {
		/* A slot may move into the hole only if the hole is not before its home slot. */
		size_t distance = (i - slots[i].hash) & objects->mask;

		if (distance >= ((i - hole) & objects->mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].number = 0;
	object->address = 0; /* a prefetched pointer to it no longer matches any event */
	object->next_unused = objects->unused;
	objects->unused = number;
	objects->count--;
}

/* The next object, in no defined order, or NULL; *next is 0 at the start. */
struct slab_object *object_table_next(const struct object_table *objects, size_t *next);

#endif
