// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory types: their stable names, and what is known of them besides events: the size classes
 * of kmalloc() and the object counts of /proc/slabinfo.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/number.h"
#include "kernel/function_names.h"
#include "live/stats/type_stats_internal.h"

#define PAGE_SIZE_DEFAULT 4096
#define CLASS_BYTES_MAX (1U << 30)
#define SIZES_MAX 64 /* caches of one name but different sizes; real kernels have at most two */

/* The size classes. */

/* "kmalloc-64", "kmalloc-cg-1k", "dma-kmalloc-8", "kmalloc-rnd-05-2M": 0: the name has no size. */
static size_t bytes_of_name(const char *name)
{
	const char *at = strrchr(name, '-');
	uint64_t bytes;

	if (!caches_is_kmalloc(name) || !at++ || !number_parse(&at, 10, &bytes) ||
	    bytes > CLASS_BYTES_MAX)
		return 0;
	if (*at == 'k')
		bytes <<= 10;
	else if (*at == 'M')
		bytes <<= 20;
	at += *at == 'k' || *at == 'M';
	return *at || bytes > CLASS_BYTES_MAX ? 0 : (size_t)bytes;
}

static int compare_bytes(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The default size classes of the kernel (kmalloc_info in mm/slab_common.c). */
static void set_default_classes(struct type_stats *type_stats)
{
	uint64_t page = type_stats->capture->metadata.page_size;
	uint64_t largest = 2 * (page ? page : PAGE_SIZE_DEFAULT);

	for (size_t bytes = 8; bytes <= largest && bytes <= CLASS_BYTES_MAX; bytes *= 2) {
		type_stats->class_bytes[type_stats->class_count++] = bytes;
		if (bytes == 64 || bytes == 128)
			type_stats->class_bytes[type_stats->class_count++] = bytes / 2 * 3;
	}
}

int type_stats_classes(struct type_stats *type_stats)
{
	const struct caches *caches = &type_stats->capture->caches;
	size_t *bytes, count = 0;

	bytes = malloc((caches->kmalloc_count + 1) * sizeof(*bytes));
	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i < caches->kmalloc_count; i++) {
		bytes[count] = bytes_of_name(caches->kmalloc[i].text);
		count += bytes[count] != 0;
	}
	qsort(bytes, count, sizeof(*bytes), compare_bytes);
	for (size_t i = 0; i < count && type_stats->class_count < TYPE_STATS_CLASSES_MAX; i++)
		if (!i || bytes[i] != bytes[i - 1])
			type_stats->class_bytes[type_stats->class_count++] = bytes[i];
	free(bytes);
	if (!type_stats->class_count)
		set_default_classes(type_stats);
	return 0;
}

uint64_t type_stats_class_bit(const struct type_stats *type_stats, uint32_t bytes)
{
	for (size_t i = 0; i < type_stats->class_count && bytes; i++)
		if (type_stats->class_bytes[i] >= bytes)
			return (uint64_t)1 << i;
	return 0;
}

/* Types by name. */

/* Returns its index, or HASH_MAP_NONE with the key for adding it. */
static uint32_t find_type(const struct type_stats *type_stats, enum type_stats_kind kind,
			  const char *name, uint64_t *key)
{
	/* where two names have the same hash, the second gets the key of the next salt */
	for (uint64_t salt = kind;; salt += TYPE_STATS_KINDS) {
		const struct type_stats_type *type;
		uint32_t found;

		*key = hash_keyed_text(type_stats->parts->by_name.seed + salt, name);
		found = hash_map_find(&type_stats->parts->by_name, *key);
		if (found == HASH_MAP_NONE)
			return found;
		type = &type_stats->types[found];
		if (type->kind == kind && !strcmp(type->name, name))
			return found;
	}
}

/* Adds a type that has only a name; returns as type_stats_cache_type(). */
static int64_t add_type(struct type_stats *type_stats, enum type_stats_kind kind, const char *name,
			uint64_t key)
{
	size_t max = type_stats->settings.types_max[kind];
	struct type_stats_type *types;
	char *copy;

	if (max && type_stats->parts->kinds[kind] >= max)
		return TYPE_STATS_OMITTED;
	types = array_grow(type_stats->types, type_stats->count, sizeof(*types));
	if (!types)
		return -ENOMEM;
	type_stats->types = types;
	copy = strdup(name);
	if (!copy || hash_map_add(&type_stats->parts->by_name, key, (uint32_t)type_stats->count)) {
		free(copy);
		return -ENOMEM;
	}
	types[type_stats->count++] = (struct type_stats_type){
		.kind = kind,
		.name = copy,
		.changed = type_stats->generation,
	};
	type_stats->parts->kinds[kind]++;
	return (int64_t)type_stats->count;
}

/* Functions. */

static char *name_function(const struct type_stats *type_stats, const struct group *group)
{
	struct function_name function;
	char *name;
	int length;

	if (function_name_find(&function, &type_stats->parts->symbols, group->key,
			       group->first_time))
		return NULL;
	if (!*function.module)
		return function.text;
	length = asprintf(&name, "%s [%s]", function.text, function.module);
	free(function.text);
	return length < 0 ? NULL : name;
}

int64_t type_stats_group_type(struct type_stats *type_stats, const struct group *group)
{
	char *name = name_function(type_stats, group);
	uint64_t key;
	int64_t type;

	if (!name)
		return -ENOMEM;
	/* when a module is loaded again its functions get other addresses but remain one type */
	type = find_type(type_stats, TYPE_STATS_FUNCTION, name, &key);
	type = type == HASH_MAP_NONE ? add_type(type_stats, TYPE_STATS_FUNCTION, name, key)
				     : type + 1;
	free(name);
	return type;
}

/* Caches. */

/* Sets the object counts of a cache. slabinfo has no sizes, so a type "name#2" is not found there.
 */
static void apply_slabinfo(struct type_stats *type_stats, struct type_stats_type *type)
{
	const struct type_stats_parts *parts = type_stats->parts;
	const struct slabinfo_cache *initial, *latest;
	uint64_t objects, kegfree;

	if (type->kind != TYPE_STATS_CACHE)
		return;
	initial = parts->is_anonymous || caches_is_kmalloc(type->name)
			  ? NULL
			  : slabinfo_find(&parts->initial, type->name);
	latest = slabinfo_find(&parts->latest, type->name);
	objects = initial ? initial->active : 0;
	kegfree = latest && latest->total > latest->active ? latest->total - latest->active : 0;
	if (objects == type->initial_count && kegfree == type->kegfree)
		return;
	type->initial_count = objects;
	type->kegfree = kegfree;
	type->changed = type_stats->generation;
}

void type_stats_set_anonymous(struct type_stats *type_stats)
{
	if (type_stats->parts->is_anonymous)
		return;
	type_stats->parts->is_anonymous = true;
	for (size_t i = 0; i < type_stats->count; i++)
		apply_slabinfo(type_stats, &type_stats->types[i]);
}

/*
 * The sizes of a cache without an event: of a size class, as the analysis sets them; else from
 * kernel/slabinfo or, in captures of older versions, from kernel/caches.
 */
static void set_sizes(const struct type_stats *type_stats, struct type_stats_type *type,
		      const struct slabinfo_cache *cache)
{
	const struct caches *caches = &type_stats->capture->caches;
	size_t class_bytes = bytes_of_name(cache->name);

	if (class_bytes) {
		type->object_size = type->size = (uint32_t)class_bytes;
		return;
	}
	type->object_size = cache->object_size;
	type->size = cache->size;
	for (size_t i = 0; i < caches->count && !type->object_size; i++) {
		if (strcmp(caches->list[i].name, cache->name) != 0)
			continue;
		type->object_size = caches->list[i].object_size;
		type->size = caches->list[i].size;
	}
}

/* Adds a type for each cache that has none yet. 0 or -ENOMEM. */
static int add_caches(struct type_stats *type_stats, const struct slabinfo_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct slabinfo_cache *cache = &snapshot->list[i];
		struct type_stats_type *type;
		uint64_t key;
		int64_t added;

		if (find_type(type_stats, TYPE_STATS_CACHE, cache->name, &key) != HASH_MAP_NONE)
			continue;
		added = add_type(type_stats, TYPE_STATS_CACHE, cache->name, key);
		if (added < 0)
			return (int)added;
		if (added == TYPE_STATS_OMITTED)
			continue;
		type = &type_stats->types[added - 1];
		set_sizes(type_stats, type, cache);
		type->aliases = caches_find_aliases(&type_stats->capture->caches, cache->name);
	}
	return 0;
}

/* An unknown size equals any size: a free of an old kernel may report only the cache's name. */
static bool is_same_size(const struct type_stats_type *type, const struct analysis_cache *cache)
{
	return type->object_size == cache->object_size || !type->object_size || !cache->object_size;
}

static void add_description(struct type_stats *type_stats, struct type_stats_type *type,
			    const struct analysis_cache *cache)
{
	bool has_size = type->object_size, has_aliases = type->aliases;

	if (!has_size) {
		type->object_size = cache->object_size;
		type->size = cache->size;
	}
	if (!has_aliases && cache->cache)
		type->aliases = cache->cache->aliases;
	if (has_size != !!type->object_size || has_aliases != !!type->aliases)
		type->changed = type_stats->generation;
}

int64_t type_stats_cache_type(struct type_stats *type_stats, const struct analysis_cache *cache)
{
	char name[sizeof(cache->name) + 16];

	if (cache->is_large)
		return TYPE_STATS_NO_TYPE;
	snprintf(name, sizeof(name), "%s", cache->name);
	for (int number = 2; number <= SIZES_MAX + 1; number++) {
		uint64_t key;
		uint32_t found = find_type(type_stats, TYPE_STATS_CACHE, name, &key);
		int64_t type = found == HASH_MAP_NONE
				       ? add_type(type_stats, TYPE_STATS_CACHE, name, key)
				       : (int64_t)found + 1;

		if (type < 0 || type == TYPE_STATS_OMITTED)
			return type;
		if (found == HASH_MAP_NONE || is_same_size(&type_stats->types[type - 1], cache)) {
			add_description(type_stats, &type_stats->types[type - 1], cache);
			apply_slabinfo(type_stats, &type_stats->types[type - 1]);
			return type;
		}
		snprintf(name, sizeof(name), "%s#%d", cache->name, number);
	}
	return TYPE_STATS_OMITTED;
}

static int compare_cache_names(const void *left, const void *right)
{
	return strcmp(((const struct slabinfo_cache *)left)->name,
		      ((const struct slabinfo_cache *)right)->name);
}

/* Adds the caches that the sum does not have yet and keeps those it has. 0 or -ENOMEM. */
static int merge_slabinfo(struct slabinfo_snapshot *sum, const struct slabinfo_snapshot *snapshot)
{
	struct slabinfo_cache *list;
	size_t before = sum->count;

	if (!snapshot->count)
		return 0;
	list = reallocarray(sum->list, before + snapshot->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	sum->list = list;
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_snapshot old = { .list = list, .count = before };

		if (!slabinfo_find(&old, snapshot->list[i].name))
			list[sum->count++] = snapshot->list[i];
	}
	if (sum->count > before)
		qsort(list, sum->count, sizeof(*list), compare_cache_names);
	return 0;
}

int type_stats_slabinfo(struct type_stats *type_stats, const struct slabinfo_snapshot *initial,
			const struct slabinfo_snapshot *latest)
{
	struct type_stats_parts *parts = type_stats->parts;
	struct slabinfo_snapshot copy = { 0 };
	int err = 0;

	if (latest)
		err = merge_slabinfo(&copy, latest);
	if (!err && initial)
		err = merge_slabinfo(&parts->initial, initial);
	if (err) {
		slabinfo_snapshot_deinit(&copy);
		return err;
	}
	if (latest) {
		slabinfo_snapshot_deinit(&parts->latest);
		parts->latest = copy;
	}
	err = add_caches(type_stats, &parts->initial);
	if (!err)
		err = add_caches(type_stats, &parts->latest);
	for (size_t i = 0; i < type_stats->count; i++)
		apply_slabinfo(type_stats, &type_stats->types[i]);
	return err;
}
