// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fires the allocator's tracepoints, without allocating or freeing anything. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/version.h>

/* must come first: 6.1's <trace/events/kmem.h> does not declare struct kmem_cache */
#include "plant.h"

#include <trace/events/kmem.h>

/* The arguments of the tracepoints before 5.12 and since 6.1; no kernel between is tested. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
#define NODE(node)
#define OF_CACHE(cache) kmem_cache_size(cache), kmem_cache_size(cache)
#define FROM_CACHE(cache)
#else
#define NODE(node) , node
#define OF_CACHE(cache) cache
#define FROM_CACHE(cache) , cache
#endif

noinline void say_kmalloc(const void *object, size_t requested, size_t allocated)
{
	trace_kmalloc(_RET_IP_, object, requested, allocated, GFP_KERNEL NODE(NUMA_NO_NODE));
}

noinline void say_kfree(const void *object)
{
	trace_kfree(_RET_IP_, object);
}

noinline void say_cache_alloc(const void *object, struct kmem_cache *cache)
{
	trace_kmem_cache_alloc(_RET_IP_, object, OF_CACHE(cache), GFP_KERNEL NODE(NUMA_NO_NODE));
}

noinline void say_cache_free(const void *object, struct kmem_cache *cache)
{
	trace_kmem_cache_free(_RET_IP_, object FROM_CACHE(cache));
}
