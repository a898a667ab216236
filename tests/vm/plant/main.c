// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* echo NAME COUNT >/sys/module/plant/parameters/go */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "plant.h"

static const struct plant *const lists[] = { wrong_plants, right_plants, leak_plants, named_plants,
					     path_plants };

static const struct plant *find(const char *name)
{
	const struct plant *plant;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (plant = lists[i]; plant->name; plant++)
			if (!strcmp(plant->name, name))
				return plant;
	return NULL;
}

static int go(const char *value, const struct kernel_param *parameter)
{
	const struct plant *plant;
	unsigned int count;
	char name[32];

	if (sscanf(value, "%31s %u", name, &count) != 2 || count > PLANT_MOST)
		return -EINVAL;
	plant = find(name);
	return plant ? plant->run(count) : -ENOENT;
}

static const struct kernel_param_ops go_ops = { .set = go };
module_param_cb(go, &go_ops, NULL, 0200);

/* Caches with a constructor are never merged, on any kernel. */
static void construct(void *object)
{
}

struct kmem_cache *plant_cache(const char *name, unsigned int size, slab_flags_t flags)
{
	return kmem_cache_create(name, size, 0, flags, construct);
}

static void plant_exit(void)
{
	named_exit();
	leak_exit();
	right_exit();
	wrong_exit();
}

static noinline void __init plant_in_init(void)
{
	kfree(kmalloc(40, GFP_KERNEL));
}

static int __init plant_init(void)
{
	int err = wrong_init();

	plant_in_init();
	if (!err)
		err = right_init();
	if (!err)
		err = leak_init();
	if (err)
		plant_exit();
	return err;
}

module_init(plant_init);
module_exit(plant_exit);
MODULE_DESCRIPTION("Plants what kmemtrace must find");
MODULE_LICENSE("Dual BSD/GPL");
