// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fires the allocator's tracepoints. */
#include <linux/instruction_pointer.h>
#include <linux/module.h>

/* first: 6.1's <trace/events/kmem.h> does not know struct kmem_cache by itself */
#include "plant.h"

#include <trace/events/kmem.h>

noinline void say_kmalloc(const void *object, size_t requested, size_t allocated)
{
	trace_kmalloc(_RET_IP_, object, requested, allocated, GFP_KERNEL, NUMA_NO_NODE);
}

noinline void say_kfree(const void *object)
{
	trace_kfree(_RET_IP_, object);
}

noinline void say_cache_alloc(const void *object, struct kmem_cache *cache)
{
	trace_kmem_cache_alloc(_RET_IP_, object, cache, GFP_KERNEL, NUMA_NO_NODE);
}

noinline void say_cache_free(const void *object, struct kmem_cache *cache)
{
	trace_kmem_cache_free(_RET_IP_, object, cache);
}
