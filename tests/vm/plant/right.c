// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Correct code that looks unusual: it must lead to no finding. */
#include <linux/mempool.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "plant.h"

#define BULK 16

struct right_object {
	struct rcu_head rcu;
	char rest[100];
};

static struct kmem_cache *plain, *typesafe, *pooled;
static mempool_t *pool;
static void *handed[PLANT_MOST]; /* allocated on one CPU, and freed on another */

static int right_kfree(unsigned int count)
{
	while (count--)
		kfree(kmalloc(100, GFP_KERNEL));
	return 0;
}

static int cache_of(struct kmem_cache *cache, unsigned int count)
{
	void *object;

	while (count--) {
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		kmem_cache_free(cache, object);
	}
	return 0;
}

static int right_cache(unsigned int count)
{
	return cache_of(plain, count);
}

/* Objects that are freed at once, so that others soon get their addresses. */
static int right_typesafe(unsigned int count)
{
	return cache_of(typesafe, count);
}

static int right_kfree_rcu(unsigned int count)
{
	struct right_object *object;

	while (count--) {
		object = kmalloc(sizeof(*object), GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		kfree_rcu(object, rcu);
	}
	return 0;
}

/* Waits until objects that kfree_rcu() has begun to free are free. */
static int rcu_freed(unsigned int count)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	kvfree_rcu_barrier();
#else
	/* the compiler warns of a flush of this queue if it knows it */
	struct workqueue_struct *volatile queue = system_wq;

	rcu_barrier();
	flush_workqueue(queue);
#endif
	return 0;
}

static int right_bulk(unsigned int count)
{
	void *objects[BULK];

	while (count--) {
		if (!kmem_cache_alloc_bulk(plain, GFP_KERNEL, BULK, objects))
			return -ENOMEM;
		kmem_cache_free_bulk(plain, BULK, objects);
	}
	return 0;
}

static int right_kfree_bulk(unsigned int count)
{
	void *objects[BULK];
	size_t i;

	while (count--) {
		for (i = 0; i < BULK; i++)
			objects[i] = kmalloc(200, GFP_KERNEL);
		kfree_bulk(BULK, objects);
	}
	return 0;
}

static long right_hand_out(void *count)
{
	unsigned int i;

	for (i = 0; i < *(unsigned int *)count; i++)
		handed[i] = kmalloc(300, GFP_KERNEL);
	return 0;
}

static long right_hand_back(void *count)
{
	unsigned int i;

	for (i = 0; i < *(unsigned int *)count; i++)
		kfree(handed[i]);
	return 0;
}

static int right_handover(unsigned int count)
{
	long err = work_on_cpu(0, right_hand_out, &count);

	return (int)(err ? err : work_on_cpu(1, right_hand_back, &count));
}

/* Whole pages. volatile: if the compiler knew the size, it would call another function. */
static volatile size_t large = KMALLOC_MAX_CACHE_SIZE + 100;

static int right_large(unsigned int count)
{
	while (count--) {
		kfree(kmalloc(large, GFP_KERNEL));
		kfree(kmalloc(KMALLOC_MAX_CACHE_SIZE + 100, GFP_KERNEL));
		kfree(kmalloc(KMALLOC_MAX_SIZE, GFP_KERNEL));
	}
	return 0;
}

/* Reallocates within the 128 allocated bytes, and then beyond them. */
static int right_krealloc(unsigned int count)
{
	void *object, *more;

	while (count--) {
		object = kmalloc(100, GFP_KERNEL);
		more = krealloc(object, 120, GFP_KERNEL);
		more = krealloc(more ? more : object, 1000, GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		kfree(more);
	}
	return 0;
}

static int right_mempool(unsigned int count)
{
	void *objects[BULK];
	size_t i;

	while (count--) {
		for (i = 0; i < BULK; i++)
			objects[i] = mempool_alloc(pool, GFP_KERNEL);
		for (i = 0; i < BULK; i++)
			mempool_free(objects[i], pool);
	}
	return 0;
}

static int right_nothing(unsigned int count)
{
	while (count--) {
		kfree(NULL);
		kfree(kmalloc(0, GFP_KERNEL));
	}
	return 0;
}

const struct plant right_plants[] = {
	{ "right-kfree", right_kfree },
	{ "right-cache", right_cache },
	{ "right-typesafe", right_typesafe },
	{ "right-kfree-rcu", right_kfree_rcu },
	{ "right-bulk", right_bulk },
	{ "right-kfree-bulk", right_kfree_bulk },
	{ "right-handover", right_handover },
	{ "right-large", right_large },
	{ "right-krealloc", right_krealloc },
	{ "right-mempool", right_mempool },
	{ "right-nothing", right_nothing },
	{ "rcu-freed", rcu_freed },
	{ NULL, NULL },
};

int right_init(void)
{
	plain = plant_cache("plant_right", 192, 0);
	typesafe = plant_cache("plant_typesafe", 192, SLAB_TYPESAFE_BY_RCU);
	pooled = plant_cache("plant_pooled", 192, 0);
	if (!plain || !typesafe || !pooled)
		return -ENOMEM;
	pool = mempool_create_slab_pool(BULK / 2, pooled);
	return pool ? 0 : -ENOMEM;
}

void right_exit(void)
{
	mempool_destroy(pool);
	kmem_cache_destroy(pooled);
	kmem_cache_destroy(typesafe);
	kmem_cache_destroy(plain);
}
