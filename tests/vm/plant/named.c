// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A slab cache that one process creates and destroys, and another process uses. */
#include <linux/module.h>

#include "plant.h"

static struct kmem_cache *named;
static char name[32];

/* Called after count. */
static int name_make(unsigned int count)
{
	if (named)
		return -EEXIST;
	snprintf(name, sizeof(name), "plant_name_%u", count);
	named = plant_cache(name, 1024 * count, 0);
	return named ? 0 : -ENOMEM;
}

static noinline void *plant_named(void)
{
	return kmem_cache_alloc(named, GFP_KERNEL);
}

static int name_use(unsigned int count)
{
	void *object;

	while (count--) {
		object = named ? plant_named() : NULL;
		if (!object)
			return -ENOMEM;
		kmem_cache_free(named, object);
	}
	return 0;
}

/* Frees of the cache are seen as kfree() only, which has no cache. */
static int name_kfree(unsigned int count)
{
	void *object;

	while (count--) {
		object = named ? plant_named() : NULL;
		if (!object)
			return -ENOMEM;
		kfree(object);
	}
	return 0;
}

static int name_drop(unsigned int count)
{
	named_exit();
	return 0;
}

const struct plant named_plants[] = {
	{ "name-make", name_make }, { "name-use", name_use }, { "name-kfree", name_kfree },
	{ "name-drop", name_drop }, { NULL, NULL },
};

void named_exit(void)
{
	kmem_cache_destroy(named);
	named = NULL;
}
