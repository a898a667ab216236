/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slab caches of a recording that tells no addresses of caches, only names. Each name with
 * each pair of sizes gets an address. Before Linux 6.18 an allocation names no cache, and from
 * 5.12 on its free does: the sizes of the object are remembered for that.
 */
#ifndef IMPORT_CACHE_GUESS_H
#define IMPORT_CACHE_GUESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "import/name_table.h"

struct object_cache {
	uint32_t name; /* in objects.names */
	uint32_t requested, allocated;
	bool sized;    /* false: only frees have named it yet */
	uint32_t next; /* of the same name, newer first; or HASH_MAP_NONE */
};

struct cache_guesses {
	struct name_table names;
	uint32_t *newest; /* by name: the cache */
	struct object_cache *caches;
	size_t cache_count;
	struct hash_map index; /* of pointers */
	uint32_t *live;	       /* by number in index: the cache + 1; 0: none */
};

int objects_init(struct cache_guesses *objects); /* 0 or -ENOMEM */
void objects_deinit(struct cache_guesses *objects);

/*
 * An object that kmem_cache_alloc() gave out: *cache becomes the address that stands for its
 * cache, or 0 if name is NULL: not told. 0 or -ENOMEM.
 */
int objects_alloc(struct cache_guesses *objects, uint64_t pointer, const char *name,
		  uint32_t requested, uint32_t allocated, uint64_t *cache);

/* An object that kmem_cache_free() took back; name and *cache as above. 0 or -ENOMEM. */
int objects_free(struct cache_guesses *objects, uint64_t pointer, const char *name,
		 uint64_t *cache);

/* What lies at pointer now is of no cache: kmalloc() gave it out, or kfree() took it. */
void objects_forget(struct cache_guesses *objects, uint64_t pointer);

/* The lines of kernel/caches. 0 or -errno. */
int objects_write_caches(const struct cache_guesses *objects, uint64_t since, FILE *file);

#endif
