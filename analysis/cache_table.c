// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tracepoint kmalloc does not name the cache. The kernel chooses the cache by size and by three
 * GFP flags, DMA before reclaimable before accounted (kmalloc_type() in include/linux/slab.h). Some
 * kernels have copies of the caches for hardening: kmalloc-rnd-NN-...
 * (CONFIG_RANDOM_KMALLOC_CACHES, since 6.6) and the caches of buckets, such as msg_msg-... and
 * memdup_user-... (CONFIG_SLAB_BUCKETS, since 6.11). Events of kmalloc do not distinguish them from
 * the plain cache.
 *
 * Before 6.0 a raw kmem_cache_alloc does not name the cache either, but reports its sizes. All such
 * anonymous caches with the same sizes get one name, with a slash, which no cache of the kernel
 * has. So do classes of kmalloc() that are unknown in an imported capture.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/cache_table.h"
#include "kernel/cache_aliases.h"
#include "kernel/function_names.h"
#include "analysis/select.h"

#define PAGE_SIZE_DEFAULT 4096
#define PAGE_SIZE_MOST 65536 /* of kernels in wide use */
/* Bits in the keys of kmalloc's caches. find_address() clears both in its keys, the addresses. */
#define CLASS_LARGE ((uint64_t)1 << 63)
#define CLASS_KMALLOC ((uint64_t)1 << 62)

enum kmalloc_type {
	KMALLOC_NORMAL,
	KMALLOC_DMA, /* from here on in the order in which the kernel checks the flags */
	KMALLOC_RECLAIMABLE,
	KMALLOC_ACCOUNTED,
	KMALLOC_BUCKET, /* known only where its objects have another size */
};

static const char *const prefixes[] = { "kmalloc", "dma-kmalloc", "kmalloc-rcl", "kmalloc-cg",
					"kmalloc-bucket" };

int cache_table_init(struct cache_table *table, struct analysis *analysis)
{
	const struct capture *capture = analysis->capture;
	unsigned int page = capture->metadata.page_size;

	memset(table, 0, sizeof(*table));
	table->analysis = analysis;
	table->dma = gfp_find(&capture->gfp, "__GFP_DMA");
	table->reclaimable = gfp_find(&capture->gfp, "__GFP_RECLAIMABLE");
	table->account = gfp_find(&capture->gfp, "__GFP_ACCOUNT");
	table->choosing = (uint32_t)(table->dma | table->reclaimable | table->account);
	table->slab_max = table->slab_max_least = 2 * (page ? page : PAGE_SIZE_DEFAULT);
	table->is_guessed = *capture->metadata.source && !capture->caches.kmalloc_count;
	if (table->is_guessed && !page)
		table->slab_max = 2 * PAGE_SIZE_MOST;
	table->list = capture->caches.list;
	for (size_t i = 0; i < capture->caches.kmalloc_count; i++)
		table->is_debugged |= capture->caches.kmalloc[i].size !=
				      capture->caches.kmalloc[i].object_size;
	table->named = calloc(capture->caches.count + 1, sizeof(*table->named));
	return !table->named || hash_map_init(&table->others) || hash_map_init(&table->sizes)
		       ? -ENOMEM
		       : 0;
}

void cache_table_deinit(struct cache_table *table)
{
	free(table->named);
	hash_map_deinit(&table->others);
	hash_map_deinit(&table->sizes);
}

/* Merged caches are one, which has the name of any: 1, 0 or -ENOMEM. */
static int takes_cache(const struct analysis *analysis, const char *name)
{
	const struct select *select = analysis->settings.select;
	const char *aliases = caches_find_aliases(&analysis->capture->caches, name);
	int taken = select ? select_takes_cache(select, name) : 1;
	char alias[CACHE_NAME];

	while (!taken && cache_aliases_next(&aliases, alias))
		taken = select_takes_cache(select, alias);
	return taken;
}

/* Adds a cache with a name; the caller sets the rest. Returns its index, or -ENOMEM. */
static int64_t add_named_cache(struct cache_table *table, const char *name)
{
	struct analysis *analysis = table->analysis;
	struct analysis_cache *cache;
	int selected = takes_cache(analysis, name);

	if (selected < 0)
		return selected;
	cache = array_grow(analysis->caches, analysis->cache_count, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	analysis->caches = cache;
	cache = &analysis->caches[analysis->cache_count];
	*cache = (struct analysis_cache){ .selected = selected };
	snprintf(cache->name, sizeof(cache->name), "%s", name);
	cache->reclaim = caches_find_reclaim(&analysis->capture->caches, name);
	return (int64_t)analysis->cache_count++;
}

static void set_debug(const struct cache_table *table, struct analysis_cache *cache)
{
	const struct cache_debug *debug =
		caches_find_debug(&table->analysis->capture->caches, cache->name);

	/* a line may be of another cache of this name, before or after this one */
	if (debug && debug->bytes < cache->size && cache->object_size <= cache->size - debug->bytes)
		cache->debug = debug->bytes;
}

static int64_t find_named(struct cache_table *table, const struct cache *named)
{
	uint32_t *slot = &table->named[named - table->list];
	struct analysis_cache *cache;
	int64_t found;

	if (*slot)
		return *slot - 1;
	found = add_named_cache(table, named->name);
	if (found < 0)
		return found;
	cache = &table->analysis->caches[found];
	cache->cache = named;
	cache->object_size = named->object_size;
	cache->size = named->size;
	cache->is_kmalloc = caches_is_kmalloc(named->name);
	set_debug(table, cache);
	*slot = (uint32_t)found + 1;
	return found;
}

static int64_t find_address(struct cache_table *table, uint64_t address)
{
	uint64_t key = address & ~(CLASS_LARGE | CLASS_KMALLOC);
	uint32_t found = hash_map_find(&table->others, key);
	char name[24];
	int64_t added;
	int err;

	if (found != HASH_MAP_NONE)
		return found;
	snprintf(name, sizeof(name), "0x%" PRIx64, address);
	added = add_named_cache(table, name);
	err = added < 0 ? (int)added : hash_map_add(&table->others, key, (uint32_t)added);
	return err ? err : added;
}

static int64_t find_anonymous(struct cache_table *table, const struct event *event)
{
	uint64_t key = (uint64_t)event->requested << 32 | event->allocated;
	uint32_t found = hash_map_find(&table->sizes, key);
	struct analysis_cache *cache;
	char name[40];
	int64_t added;
	int err;

	if (found != HASH_MAP_NONE)
		return found;
	snprintf(name, sizeof(name), "unnamed-%" PRIu32 "/%" PRIu32, event->requested,
		 event->allocated);
	added = add_named_cache(table, name);
	err = added < 0 ? (int)added : hash_map_add(&table->sizes, key, (uint32_t)added);
	if (err)
		return err;
	cache = &table->analysis->caches[added];
	cache->is_anonymous = true;
	cache->object_size = event->requested;
	cache->size = event->allocated;
	return added;
}

/*
 * An imported capture has no list of the kernel's caches. Slab debugging makes objects larger than
 * their class, and the page size decides from which size on kmalloc() gives whole pages.
 */
static bool is_unknown_class(const struct cache_table *table, uint32_t size)
{
	if (!table->is_guessed)
		return false;
	return table->analysis->capture->metadata.odd_allocated ||
	       (size <= table->slab_max &&
		(size > table->slab_max_least || !caches_is_kmalloc_size(size)));
}

static void name_class(char *name, size_t name_size, enum kmalloc_type type, uint32_t size)
{
	if (size >= 1U << 20 && size % (1U << 20) == 0)
		snprintf(name, name_size, "%s-%" PRIu32 "M", prefixes[type], size >> 20);
	else if (size >= 1024 && size % 1024 == 0)
		snprintf(name, name_size, "%s-%" PRIu32 "k", prefixes[type], size / 1024);
	else
		snprintf(name, name_size, "%s-%" PRIu32, prefixes[type], size);
}

/* The flags of an event that choose a type: a bit for each type. */
static unsigned int get_type_bits(const struct cache_table *table, const struct event *event)
{
	return (event->gfp & table->dma ? 1U << KMALLOC_DMA : 0) |
	       (event->gfp & table->reclaimable ? 1U << KMALLOC_RECLAIMABLE : 0) |
	       (event->gfp & table->account ? 1U << KMALLOC_ACCOUNTED : 0);
}

/* The first type that the flags choose and that the kernel has, with the name of its cache. */
static enum kmalloc_type choose_type(const struct caches *caches, unsigned int flags, uint32_t size,
				     char *name, size_t name_size)
{
	for (enum kmalloc_type type = KMALLOC_DMA; type <= KMALLOC_ACCOUNTED; type++) {
		name_class(name, name_size, type, size);
		if (flags & 1U << type && caches_has_kmalloc(caches, name))
			return type;
	}
	name_class(name, name_size, KMALLOC_NORMAL, size);
	return KMALLOC_NORMAL;
}

/* In the keys of others: entries by flags and size, and with this bit, entries by type and size. */
#define BY_TYPE 16ULL /* above all flags */

/* With slab debugging, the sizes of a class have so many bits in its key, above which is its type.
 */
#define SIZE_BITS 24
#define IS_DEBUGGED ((uint64_t)1 << 61)

static uint64_t class_key(enum kmalloc_type type, uint32_t size, uint32_t allocated)
{
	if (size == allocated)
		return CLASS_KMALLOC | (BY_TYPE | type) << 32 | size;
	return CLASS_KMALLOC | IS_DEBUGGED | (uint64_t)type << 2 * SIZE_BITS |
	       (uint64_t)size << SIZE_BITS | allocated;
}

/*
 * name: of the class. size: of its objects, without the bytes of slab debugging; allocated: with
 * them. All objects of an entry have both sizes.
 */
static int64_t find_class(struct cache_table *table, enum kmalloc_type type, const char *name,
			  uint32_t size, uint32_t allocated)
{
	const struct caches *caches = &table->analysis->capture->caches;
	/* SLAB has caches for larger objects than SLUB */
	bool large = size > table->slab_max && !is_unknown_class(table, size) &&
		     !(caches->kmalloc_count && caches_has_kmalloc(caches, name));
	uint64_t key = large ? CLASS_LARGE : class_key(type, size, allocated);
	uint32_t found = hash_map_find(&table->others, key);
	struct analysis_cache *cache;
	int64_t added;
	int err;

	if (found != HASH_MAP_NONE)
		return found;
	added = add_named_cache(table, large ? "kmalloc-large" : name);
	err = added < 0 ? (int)added : hash_map_add(&table->others, key, (uint32_t)added);
	if (err)
		return err;
	cache = &table->analysis->caches[added];
	cache->is_kmalloc = true;
	cache->is_large = large;
	/* the flag that chooses kmalloc-rcl is not known, as of a capture without kernel/gfp */
	if (!table->reclaimable && !large)
		cache->reclaim = CACHE_RECLAIM_UNKNOWN;
	if (!large) {
		cache->object_size = size;
		cache->size = allocated;
		cache->debug = allocated - size;
	}
	return added;
}

/*
 * With slab debugging, an object is larger than its class. The caches of buckets are debugged with
 * less bytes than kmalloc's own: here their events have another size.
 */
static int64_t find_debugged_kmalloc(struct cache_table *table, const struct event *event)
{
	const struct caches *caches = &table->analysis->capture->caches;
	unsigned int flags = get_type_bits(table, event) | 1U << KMALLOC_NORMAL;
	static const enum kmalloc_type order[] = { KMALLOC_DMA, KMALLOC_RECLAIMABLE,
						   KMALLOC_ACCOUNTED, KMALLOC_NORMAL };
	const struct kmalloc_name *class = NULL;
	enum kmalloc_type type;
	char name[40];

	/* more than a slab has: a damaged table */
	bool is_slab = !(event->allocated >> SIZE_BITS);

	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && is_slab; i++) {
		class = flags & 1U << order[i]
				? caches_find_kmalloc(caches, prefixes[order[i]], event->requested)
				: NULL;
		if (class && class->size == event->allocated)
			return find_class(table, order[i], class->text, class->object_size,
					  class->size);
	}
	/* the last is kmalloc's own */
	if (class && class->object_size <= event->allocated && class->size > event->allocated) {
		name_class(name, sizeof(name), KMALLOC_BUCKET, class->object_size);
		return find_class(table, KMALLOC_BUCKET, name, class->object_size,
				  event->allocated);
	}
	type = choose_type(caches, flags, event->allocated, name, sizeof(name));
	return find_class(table, type, name, event->allocated, event->allocated);
}

static int64_t find_kmalloc(struct cache_table *table, const struct event *event)
{
	unsigned int flags = get_type_bits(table, event);
	uint64_t key = CLASS_KMALLOC | (uint64_t)flags << 32 | event->allocated;
	uint32_t found = hash_map_find(&table->others, key);
	enum kmalloc_type type;
	char name[40];
	int64_t cache;
	int err;

	if (found != HASH_MAP_NONE)
		return found;
	type = choose_type(&table->analysis->capture->caches, flags, event->allocated, name,
			   sizeof(name));
	if (is_unknown_class(table, event->allocated))
		snprintf(name, sizeof(name), "%s-unknown/%" PRIu32, prefixes[type],
			 event->allocated);
	cache = find_class(table, type, name, event->allocated, event->allocated);
	if (cache < 0)
		return cache;
	err = hash_map_add(&table->others, key, (uint32_t)cache);
	return err ? err : cache;
}

int64_t cache_table_search(struct cache_table *table, const struct event *event)
{
	if (event->has_cache)
		return find_named(table, event->cache);
	if (event->id == KMT_KMALLOC)
		return table->is_debugged ? find_debugged_kmalloc(table, event)
					  : find_kmalloc(table, event);
	if (event_is_anonymous(event))
		return find_anonymous(table, event);
	if (!event->cache_address && !event_is_allocation(event))
		return CACHE_NONE;
	return find_address(table, event->cache_address);
}

const char *analysis_cache_name(const struct analysis_cache *cache)
{
	return strncmp(cache->name, "0x", 2) ? cache->name : NAME_UNKNOWN;
}
