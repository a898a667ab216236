/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slab caches of a recording that has only their names, not their addresses. Each name with
 * each pair of sizes gets an address. Before Linux 6.18 an allocation names no cache, but from 5.12
 * on a free does. So the cache of each live object is kept until its free.
 */
#ifndef CAPTURE_IMPORT_CACHE_GUESS_H
#define CAPTURE_IMPORT_CACHE_GUESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/texts.h"

struct guessed_cache {
	uint32_t name; /* its number in cache_guesses.names */
	uint32_t requested, allocated;
	bool sized;    /* false: only frees have named it so far */
	uint32_t next; /* the next older cache of the name, or HASH_MAP_NONE */
};

struct cache_guesses {
	struct texts names;
	uint32_t *newest; /* the newest cache of each name */
	struct guessed_cache *caches;
	size_t cache_count;
	struct hash_map index; /* of pointers */
	uint32_t *live;	       /* by number in index: the cache of the live object + 1; 0: none */
};

int cache_guesses_init(struct cache_guesses *guesses); /* 0 or -ENOMEM */
void cache_guesses_deinit(struct cache_guesses *guesses);

/*
 * Adds an object that kmem_cache_alloc() returned. *cache gets the address that stands for its
 * cache, or 0 if name is NULL, which means unknown. 0 or -ENOMEM.
 */
int cache_guesses_alloc(struct cache_guesses *guesses, uint64_t pointer, const char *name,
			uint32_t requested, uint32_t allocated, uint64_t *cache);

/* Removes an object that kmem_cache_free() freed; name and *cache as above. 0 or -ENOMEM. */
int cache_guesses_free(struct cache_guesses *guesses, uint64_t pointer, const char *name,
		       uint64_t *cache);

/* Removes any object at the pointer: kmalloc() returned it, or kfree() freed it. */
void cache_guesses_forget(struct cache_guesses *guesses, uint64_t pointer);

/* Writes the lines of kernel/caches. 0 or -errno. */
int cache_guesses_write(const struct cache_guesses *guesses, uint64_t since, FILE *file);

#endif
