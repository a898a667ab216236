// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bugs that must be found. A bug is really committed if that is safe. If it would damage the
 * kernel, only its tracepoints are fired, for objects that the module holds until it is unloaded,
 * so that the allocator gives them to no other code.
 */
#include <linux/gfp.h>
#include <linux/module.h>

#include "plant.h"

#ifndef CONFIG_SLAB_FREELIST_HARDENED
#error "kmem_cache_free() of another cache's object is safe on hardened kernels only"
#endif

enum {
	FROM, /* objects that are freed to TO */
	TO,
	KFREED,
	INTERIOR,
	UNKNOWN,
	OVERLAP,
	MISSED,
	CACHES
};

static struct kmem_cache *caches[CACHES];
static const char *const cache_names[CACHES] = {
	[FROM] = "plant_from",	       [TO] = "plant_to",	    [KFREED] = "plant_kfreed",
	[INTERIOR] = "plant_interior", [UNKNOWN] = "plant_unknown", [OVERLAP] = "plant_overlap",
	[MISSED] = "plant_missed",
};

/* Objects whose free was only said, and that are freed when the module is unloaded. */
static struct {
	void *object;
	struct kmem_cache *cache; /* NULL: from kmalloc() */
} kept[4 * PLANT_MOST];
static unsigned int kept_count;

/* Pages whose addresses are in no slab. */
#define PAGES_ORDER 4
#define PAGES_STEP 128
static char *pages;
static unsigned int pages_used;

static void *keep(void *object, struct kmem_cache *cache)
{
	if (!object)
		return NULL;
	if (kept_count == ARRAY_SIZE(kept)) {
		if (cache)
			kmem_cache_free(cache, object);
		else
			kfree(object);
		return NULL;
	}
	kept[kept_count].object = object;
	kept[kept_count++].cache = cache;
	return object;
}

static void *unused_address(void)
{
	if (pages_used == (PAGE_SIZE << PAGES_ORDER) / PAGES_STEP)
		return NULL;
	return pages + PAGES_STEP * pages_used++;
}

/* A real free: the kernel detects the wrong cache, warns, and frees the object to its own cache. */
static noinline void plant_kmalloc_to_cache(void *object)
{
	kmem_cache_free(caches[TO], object);
}

static int kmalloc_to_cache(unsigned int count)
{
	void *object;

	while (count--) {
		object = kmalloc(100, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		plant_kmalloc_to_cache(object);
	}
	return 0;
}

/*
 * Fires only the tracepoint. The kernel is hardened: in a real free, cache_from_obj() replaces the
 * cache of the call with the object's own before the tracepoint fires.
 */
static noinline void plant_wrong_cache(void *object)
{
	say_cache_free(object, caches[TO]);
}

static int wrong_cache(unsigned int count)
{
	void *object;

	while (count--) {
		object = keep(kmem_cache_alloc(caches[FROM], GFP_KERNEL), caches[FROM]);
		if (!object)
			return -ENOMEM;
		plant_wrong_cache(object);
	}
	return 0;
}

/* A real free: SLUB, which all these kernels have, finds the object's cache by itself. */
static noinline void plant_cache_kfreed(void *object)
{
	kfree(object);
}

static int cache_kfreed(unsigned int count)
{
	void *object;

	while (count--) {
		object = kmem_cache_alloc(caches[KFREED], GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		plant_cache_kfreed(object);
	}
	return 0;
}

static noinline void plant_first_free(void *object)
{
	say_kfree(object);
}

static noinline void plant_double_free(void *object)
{
	say_kfree(object);
}

static int double_free(unsigned int count)
{
	void *object;

	while (count--) {
		object = keep(kmalloc(200, GFP_KERNEL), NULL);
		if (!object)
			return -ENOMEM;
		plant_first_free(object);
		plant_double_free(object);
	}
	return 0;
}

static noinline void plant_interior_free(char *object)
{
	say_cache_free(object + 16, caches[INTERIOR]);
}

static int interior_free(unsigned int count)
{
	void *object;

	while (count--) {
		object = keep(kmem_cache_alloc(caches[INTERIOR], GFP_KERNEL), caches[INTERIOR]);
		if (!object)
			return -ENOMEM;
		plant_interior_free(object);
	}
	return 0;
}

static noinline void plant_unknown_free(void *address)
{
	say_cache_free(address, caches[UNKNOWN]);
}

static int unknown_free(unsigned int count)
{
	void *address;

	while (count--) {
		address = unused_address();
		if (!address)
			return -ENOMEM;
		plant_unknown_free(address);
	}
	return 0;
}

static noinline void plant_overlap(char *object)
{
	say_kmalloc(object + 32, 64, 64);
}

static int overlap(unsigned int count)
{
	void *object;

	while (count--) {
		object = keep(kmem_cache_alloc(caches[OVERLAP], GFP_KERNEL), caches[OVERLAP]);
		if (!object)
			return -ENOMEM;
		plant_overlap(object);
	}
	return 0;
}

static noinline void *plant_missed_first(void)
{
	return kmem_cache_alloc(caches[MISSED], GFP_KERNEL);
}

static noinline void plant_missed_free(void *object)
{
	say_cache_alloc(object, caches[MISSED]);
}

static int missed_free(unsigned int count)
{
	void *object;

	while (count--) {
		object = keep(plant_missed_first(), caches[MISSED]);
		if (!object)
			return -ENOMEM;
		plant_missed_free(object);
	}
	return 0;
}

static noinline void plant_short(void *address)
{
	say_kmalloc(address, 100, 64);
}

static int short_allocation(unsigned int count)
{
	void *address;

	while (count--) {
		address = unused_address();
		if (!address)
			return -ENOMEM;
		plant_short(address);
	}
	return 0;
}

/* More than any kmalloc() can have; volatile, so that the compiler does not know it. */
static volatile size_t too_much = 4 * KMALLOC_MAX_SIZE;

static noinline void plant_failed(void)
{
	kfree(kmalloc(too_much, GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY));
}

static int failed_allocation(unsigned int count)
{
	while (count--)
		plant_failed();
	return 0;
}

const struct plant wrong_plants[] = {
	{ "kmalloc-freed-to-cache", kmalloc_to_cache },
	{ "wrong-cache", wrong_cache },
	{ "cache-object-kfreed", cache_kfreed },
	{ "double-free", double_free },
	{ "interior-free", interior_free },
	{ "unknown-free", unknown_free },
	{ "overlap", overlap },
	{ "missed-free", missed_free },
	{ "short-allocation", short_allocation },
	{ "failed-allocation", failed_allocation },
	{ NULL, NULL },
};

int wrong_init(void)
{
	int i;

	pages = (char *)__get_free_pages(GFP_KERNEL, PAGES_ORDER);
	if (!pages)
		return -ENOMEM;
	/*
	 * unknown-free needs the name of the cache of struct kmem_cache, which some kernels show
	 * only when a cache is destroyed
	 */
	kmem_cache_destroy(plant_cache("plant_gone", 192, 0));
	for (i = 0; i < CACHES; i++) {
		caches[i] = plant_cache(cache_names[i], 192, 0);
		if (!caches[i])
			return -ENOMEM;
	}
	return 0;
}

void wrong_exit(void)
{
	int i;

	while (kept_count) {
		kept_count--;
		if (kept[kept_count].cache)
			kmem_cache_free(kept[kept_count].cache, kept[kept_count].object);
		else
			kfree(kept[kept_count].object);
	}
	for (i = 0; i < CACHES; i++)
		kmem_cache_destroy(caches[i]);
	free_pages((unsigned long)pages, PAGES_ORDER);
}
