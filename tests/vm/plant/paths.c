// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Three paths to one function that allocates. */
#include <linux/module.h>

#include "plant.h"

static noinline void *plant_helper(void)
{
	return kmalloc(88, GFP_KERNEL);
}

static noinline void *plant_between(void)
{
	return plant_helper();
}

static noinline void plant_path_one(void)
{
	kfree(plant_helper());
}

static noinline void plant_path_two(void)
{
	kfree(plant_between());
}

static noinline void plant_path_three(void)
{
	kfree(plant_between());
}

/* COUNT times by the first path, 2 * COUNT by the second, and 3 * COUNT by the third. */
static int paths(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		plant_path_one();
	for (i = 0; i < 2 * count; i++)
		plant_path_two();
	for (i = 0; i < 3 * count; i++)
		plant_path_three();
	return 0;
}

const struct plant path_plants[] = {
	{ "paths", paths },
	{ NULL, NULL },
};
