/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A module with the bugs that kmemtrace must find, and correct code where it must find nothing. */
#ifndef TESTS_VM_PLANT_PLANT_H
#define TESTS_VM_PLANT_PLANT_H

#include <linux/slab.h>

#define PLANT_MOST 256 /* the largest COUNT */

/* Something to plant: its NAME for the parameter go, and the function that plants it. */
struct plant {
	const char *name;
	int (*run)(unsigned int count);
};

/* each list ends with a NULL name */
extern const struct plant wrong_plants[], right_plants[], leak_plants[], named_plants[],
	path_plants[];

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
 * These fire the tracepoint that the allocator would fire if the caller called it, and do nothing
 * else: for bugs that would damage the kernel.
 */
void say_kmalloc(const void *object, size_t requested, size_t allocated);
void say_kfree(const void *object);
void say_cache_alloc(const void *object, struct kmem_cache *cache);
void say_cache_free(const void *object, struct kmem_cache *cache);

#endif
