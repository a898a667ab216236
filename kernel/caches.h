/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slab caches by the address of their struct kmem_cache. An address may stand for one cache
 * after another: each has the time from which it was seen and the time at which it was freed.
 * Merged caches are one cache with aliases.
 */
#ifndef KERNEL_CACHES_H
#define KERNEL_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CACHE_FOREVER UINT64_MAX

struct cache {
	uint64_t address;
	uint64_t since, until; /* ns: since the first sight; until it was freed */
	uint32_t object_size;  /* bytes that a user may use: what an allocation requests */
	uint32_t size;	       /* bytes from one object to the next: what it costs */
	char name[64];	       /* the cache's own */
	const char *aliases;   /* other names, separated by commas; or NULL */
};

struct caches {
	struct cache *list; /* by address, then since */
	size_t count;
	struct cache_alias *aliases; /* by name */
	size_t alias_count;
	char *alias_text;	      /* where the others of all lie */
	struct kmalloc_name *kmalloc; /* kmalloc's caches that the kernel has, by name */
	size_t kmalloc_count;	      /* 0: nobody told */
};

struct cache_alias {
	char name[64];
	const char *others; /* separated by commas */
	size_t order;	    /* of its line: caches.c's own */
};

struct kmalloc_name {
	char text[64];
};

/*
 * Lines of kernel/caches:
 *	cache ADDRESS SINCE OBJECT_SIZE SIZE NAME
 *	gone ADDRESS UNTIL
 *	alias NAME OTHER[,OTHER…]
 *	kmalloc NAME
 * Numbers in decimal, addresses in hex; in NAME a byte that is not printable or a space or a
 * backslash is \xHH. Lines of other keys are skipped; their order does not matter. A cache that
 * is told twice is one; where another takes the place of one that was not told gone, that one
 * ends. 0 or -errno.
 */
int caches_parse(struct caches *caches, const char *text);
void caches_deinit(struct caches *caches);

/* The lines, for the one who captures. 0 or -errno. */
int caches_write_cache(FILE *file, const struct cache *cache);
int caches_write_gone(FILE *file, uint64_t address, uint64_t until);
int caches_write_alias(FILE *file, const char *name, const char *others);
int caches_write_kmalloc(FILE *file, const char *name);

/* Is it a name of kmalloc's caches: "kmalloc-64", "kmalloc-cg-1k", "dma-kmalloc-8"? */
bool caches_is_kmalloc(const char *name);

/* Does the kernel have this one of them? true also if nobody told. */
bool caches_has_kmalloc(const struct caches *caches, const char *name);

/* The other names of a cache of that name, whether it is in the list or not; or NULL. */
const char *caches_find_aliases(const struct caches *caches, const char *name);

/*
 * The cache that lay at address at the time, or NULL. An event may be a little older than the
 * sight of its cache: the first cache at an address counts from the capture's start, another
 * one from the end of the one before.
 */
const struct cache *caches_find(const struct caches *caches, uint64_t address, uint64_t time);

/* Is it, of those in the list, what its address tells at any time? */
bool caches_is_alone(const struct caches *caches, const struct cache *cache);

#endif
