/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A module that does to the slab allocator what kmemtrace must find, and what it must not. */
#ifndef TESTS_VM_PLANT_PLANT_H
#define TESTS_VM_PLANT_PLANT_H

#include <linux/slab.h>

#define PLANT_MOST 256 /* of anything at once */

/* Something to plant: a word for the parameter go, and what does it count times. */
struct plant {
	const char *name;
	int (*run)(unsigned int count);
};

/* a NULL name ends each */
extern const struct plant wrong_plants[], right_plants[], leak_plants[], named_plants[];

int wrong_init(void);
void wrong_exit(void);
int right_init(void);
void right_exit(void);
int leak_init(void);
void leak_exit(void);
void named_exit(void);

/* A slab cache that is never merged with another. */
struct kmem_cache *plant_cache(const char *name, unsigned int size, slab_flags_t flags);

/*
 * What the allocator would tell if it were called from where these are, and nothing else: for
 * what would damage the kernel if it were really done.
 */
void say_kmalloc(const void *object, size_t requested, size_t allocated);
void say_kfree(const void *object);
void say_cache_alloc(const void *object, struct kmem_cache *cache);
void say_cache_free(const void *object, struct kmem_cache *cache);

#endif
