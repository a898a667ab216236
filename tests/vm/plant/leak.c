// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A leak among correct code: objects that are allocated and freed, a cache that fills once and then
 * keeps its objects, and a list that grows, is emptied and grows again.
 */
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include "plant.h"

#define BUSY 128	      /* objects that are live at the same time */
#define BURST 4000	      /* allocations, and as many frees, for each leaked object */
#define FILL 2000	      /* objects in the full cache */
#define FILL_STEP (FILL / 10) /* objects by which it grows in a burst */
#define PAUSE 20	      /* ms between bursts */
#define WAVE 40		      /* bursts from an empty list to the next empty list */
#define WAVE_STEP 20	      /* objects by which the list grows in a burst */

static struct kmem_cache *filled;
static void *busy[BUSY], *filling[FILL], *wave[WAVE * WAVE_STEP], *leaked[PLANT_MOST];
static unsigned int filling_count, wave_count, leaked_count;

static noinline void *plant_busy(unsigned int step)
{
	return kmalloc(16 + step * 7919 % 2000, GFP_KERNEL);
}

static noinline void *plant_fill(void)
{
	return kmem_cache_alloc(filled, GFP_KERNEL);
}

static noinline void *plant_wave(void)
{
	return kmalloc(96, GFP_KERNEL);
}

static noinline void *plant_leak(void)
{
	return kmalloc(72, GFP_KERNEL);
}

static void empty(void **list, unsigned int count)
{
	while (count--) {
		kfree(list[count]);
		list[count] = NULL;
	}
}

static int leak(unsigned int count)
{
	unsigned int round, step;
	void **place;

	for (round = 0; round < count && leaked_count < PLANT_MOST; round++) {
		for (step = 0; step < BURST; step++) {
			place = &busy[step * 31 % BUSY];
			kfree(*place);
			*place = plant_busy(step);
		}
		for (step = 0; step < FILL_STEP && filling_count < FILL; step++)
			filling[filling_count++] = plant_fill();
		for (step = 0; step < WAVE_STEP; step++)
			wave[wave_count++] = plant_wave();
		if (wave_count == ARRAY_SIZE(wave)) {
			empty(wave, wave_count);
			wave_count = 0;
		}
		leaked[leaked_count++] = plant_leak();
		msleep(PAUSE);
	}
	return 0;
}

const struct plant leak_plants[] = {
	{ "leak", leak },
	{ NULL, NULL },
};

int leak_init(void)
{
	filled = plant_cache("plant_filled", 256, 0);
	return filled ? 0 : -ENOMEM;
}

void leak_exit(void)
{
	empty(busy, BUSY);
	empty(wave, wave_count);
	empty(leaked, leaked_count);
	while (filling_count) {
		filling_count--;
		if (filling[filling_count])
			kmem_cache_free(filled, filling[filling_count]);
	}
	kmem_cache_destroy(filled);
}
