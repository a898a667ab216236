/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slab caches by the address of their struct kmem_cache. One address may belong to several caches,
 * one after another: each has the time from which it was seen and the time at which it was
 * destroyed. Merged caches are one cache with aliases.
 */
#ifndef KERNEL_CACHES_H
#define KERNEL_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CACHE_FOREVER UINT64_MAX

/* Are its objects charged to memory cgroups, whatever the GFP flags? */
enum cache_accounting {
	CACHE_ACCOUNTING_UNKNOWN,
	CACHE_UNACCOUNTED,
	CACHE_ACCOUNTED,
};

/* Does the kernel count its objects as reclaimable, since a shrinker frees them on demand? */
enum cache_reclaim {
	CACHE_RECLAIM_UNKNOWN,
	CACHE_UNRECLAIMABLE,
	CACHE_RECLAIMABLE,
};

struct cache {
	uint64_t address;
	uint64_t since, until; /* ns: since it was first seen, until it was destroyed */
	uint32_t object_size;  /* usable bytes: the size that an allocation requests */
	uint32_t size;	       /* bytes from one object to the next: the memory it takes */
	enum cache_accounting accounting;
	char name[64];	     /* of the cache itself */
	const char *aliases; /* other names, separated by commas; or NULL */
};

struct caches {
	struct cache *list; /* by address, then since */
	size_t count;
	struct cache_alias *aliases; /* by name */
	size_t alias_count;
	char *alias_text;	      /* the text of all alias lists */
	struct kmalloc_name *kmalloc; /* the kmalloc caches of the kernel, by name */
	size_t kmalloc_count;	      /* 0: the capture does not list them */
	struct cache_debug *debugged; /* by name */
	size_t debugged_count;
	struct cache_reclaim_account *reclaims; /* by name */
	size_t reclaim_count;
};

struct cache_alias {
	char name[64];
	const char *others; /* separated by commas */
	size_t order;	    /* of its line; used in caches.c only */
};

struct kmalloc_name {
	char text[64];
	uint32_t object_size, size; /* as in struct cache; 0: not known */
};

/* A cache with slab debugging (the kernel's parameter slab_debug, or slub_debug). */
struct cache_debug {
	char name[64];
	uint32_t bytes; /* of the size of each object: red zones, stacks of its last users */
	char flags[8];	/* as in the parameter: F, Z, P, U, T */
};

/* The file reclaim_account of a cache, in /sys/kernel/slab. */
struct cache_reclaim_account {
	char name[64];
	enum cache_reclaim reclaim;
};

/*
 * Lines of kernel/caches:
 *	cache ADDRESS SINCE OBJECT_SIZE SIZE NAME [accounted|unaccounted]
 *	gone ADDRESS UNTIL
 *	alias NAME OTHER[,OTHER…]
 *	kmalloc NAME [OBJECT_SIZE SIZE]
 *	debug NAME BYTES FLAGS
 *	reclaim_account NAME 0|1
 * Numbers are decimal, addresses hex; in NAME, a space, a backslash and a byte that is not
 * printable are \xHH. Lines may be in any order; lines with other keys are skipped. A repeated line
 * is ignored. A cache without a line "gone" ends when the next cache at its address begins. 0 or
 * -errno; -EFBIG: there are more kmalloc caches than any kernel has.
 */
int caches_parse(struct caches *caches, const char *text);
void caches_deinit(struct caches *caches);

/* Write one line each. 0 or -errno. */
int caches_write_cache(FILE *file, const struct cache *cache);
int caches_write_gone(FILE *file, uint64_t address, uint64_t until);
int caches_write_alias(FILE *file, const char *name, const char *others);
int caches_write_kmalloc(FILE *file, const struct kmalloc_name *kmalloc);
int caches_write_debug(FILE *file, const struct cache_debug *debug);
int caches_write_reclaim(FILE *file, const struct cache_reclaim_account *account);

/* Is this the name of a kmalloc cache: "kmalloc-64", "kmalloc-cg-1k", "dma-kmalloc-8"? */
bool caches_is_kmalloc(const char *name);

/*
 * Do the objects of a class of kmalloc() have this size, or is it one of whole pages? True for a
 * power of two from 8 on, and for 96 and 192.
 */
bool caches_is_kmalloc_size(uint32_t bytes);

/* Does the kernel have this kmalloc cache? Also true if its kmalloc caches are unknown. */
bool caches_has_kmalloc(const struct caches *caches, const char *name);

/*
 * The kmalloc cache of the type, such as "kmalloc-cg", that a request of so many bytes gets. NULL:
 * the sizes of the caches are not known, or all are too small.
 */
const struct kmalloc_name *caches_find_kmalloc(const struct caches *caches, const char *type,
					       uint32_t requested);

/* NULL: the cache of this name has no slab debugging. */
const struct cache_debug *caches_find_debug(const struct caches *caches, const char *name);

/*
 * Is the cache of this name reclaimable? Unknown if its lines differ: it was destroyed, and another
 * got its name. The name of a kmalloc cache says it without a line.
 */
enum cache_reclaim caches_find_reclaim(const struct caches *caches, const char *name);

/* The aliases of a cache of this name, which need not be in the list; or NULL. */
const char *caches_find_aliases(const struct caches *caches, const char *name);

/*
 * Returns the cache at the address at the time, or NULL. An event may be a little older than the
 * time at which its cache was first seen. So the first cache at an address counts from the start of
 * the capture, and each later cache from the end of the cache before it.
 */
const struct cache *caches_find(const struct caches *caches, uint64_t address, uint64_t time);

/* Is it the only cache in the list with its address? */
bool caches_is_alone(const struct caches *caches, const struct cache *cache);

#endif
