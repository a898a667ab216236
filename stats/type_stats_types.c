// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory types: their names, which stay what they are, and what the kernel told beside the
 * events: kmalloc()'s size classes and the objects of its caches.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stats/type_stats_internal.h"

#define PAGE_SIZE_USUAL 4096
#define CLASS_BYTES_MAX (1U << 30)
#define SIZES_MAX 64 /* caches of one name that differ in size; a kernel has two at most */

/* The size classes. */

/* "kmalloc-64", "kmalloc-cg-1k", "dma-kmalloc-8", "kmalloc-rnd-05-2M": 0: it tells none. */
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

/* Those that a kernel has if nobody tells otherwise (kmalloc_info in mm/slab_common.c). */
static void set_usual_classes(struct type_stats *type_stats)
{
	uint64_t page = type_stats->capture->metadata.page_size;
	uint64_t largest = 2 * (page ? page : PAGE_SIZE_USUAL);

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
		set_usual_classes(type_stats);
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

static uint64_t hash_name(const char *name, uint64_t salt)
{
	uint64_t hash = 0xcbf29ce484222325 ^ salt; /* FNV-1a */

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x100000001b3;
	return hash;
}

/* Its index; or HASH_MAP_NONE, and the key for adding it. */
static uint32_t find_type(const struct type_stats *type_stats, enum type_stats_kind kind,
			  const char *name, uint64_t *key)
{
	/* where two names have one key, the second has the key of another salt */
	for (uint64_t salt = kind;; salt += TYPE_STATS_KINDS) {
		const struct type_stats_type *type;
		uint32_t found;

		*key = hash_name(name, salt);
		found = hash_map_find(&type_stats->parts->by_name, *key);
		if (found == HASH_MAP_NONE)
			return found;
		type = &type_stats->types[found];
		if (type->kind == kind && !strcmp(type->name, name))
			return found;
	}
}

/* A new one, which has nothing but a name; as type_stats_cache_type(). */
static int64_t add_type(struct type_stats *type_stats, enum type_stats_kind kind, const char *name,
			uint64_t key)
{
	size_t max = type_stats->settings.types_max[kind];
	struct type_stats_type *types;
	char *copy;

	if (max && type_stats->parts->kinds[kind] >= max)
		return TYPE_STATS_LEFT_OUT;
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
	const struct symbols *symbols = &type_stats->capture->symbols;
	const struct symbol *symbol = symbols_find(symbols, group->key, group->first_time);
	const char *module;
	char number[24] = "", *name;
	size_t rank, count;
	int length;

	if (!symbol) {
		length = asprintf(&name, "0x%" PRIx64, group->key);
		return length < 0 ? NULL : name;
	}
	rank = symbols_rank(&type_stats->parts->symbols, symbol, &count);
	if (count > 1)
		snprintf(number, sizeof(number), "#%zu", rank);
	module = symbols_string(symbols, symbol->module);
	length = asprintf(&name, "%s%s%s%s%s", symbols_string(symbols, symbol->name), number,
			  *module ? " [" : "", module, *module ? "]" : "");
	return length < 0 ? NULL : name;
}

int64_t type_stats_group_type(struct type_stats *type_stats, const struct group *group)
{
	char *name = name_function(type_stats, group);
	uint64_t key;
	int64_t type;

	if (!name)
		return -ENOMEM;
	/* a module that was loaded again has its functions elsewhere: they are what they were */
	type = find_type(type_stats, TYPE_STATS_FUNCTION, name, &key);
	type = type == HASH_MAP_NONE ? add_type(type_stats, TYPE_STATS_FUNCTION, name, key)
				     : type + 1;
	free(name);
	return type;
}

/* Caches. */

/* What is known of the objects of a type's cache. They do not tell sizes, so not of a "#2". */
static void apply_slabinfo(struct type_stats *type_stats, struct type_stats_type *type)
{
	const struct type_stats_parts *parts = type_stats->parts;
	const struct slabinfo_cache *base, *now;
	uint64_t objects, kegfree;

	if (type->kind != TYPE_STATS_CACHE)
		return;
	base = caches_is_kmalloc(type->name) ? NULL : slabinfo_find(&parts->base, type->name);
	now = slabinfo_find(&parts->now, type->name);
	objects = base ? base->active : 0;
	kegfree = now && now->total > now->active ? now->total - now->active : 0;
	if (objects == type->base && kegfree == type->kegfree)
		return;
	type->base = objects;
	type->kegfree = kegfree;
	type->changed = type_stats->generation;
}

/* Sizes that are not known are no others: an old kernel's free may tell nothing but a name. */
static bool is_same_size(const struct type_stats_type *type, const struct analysis_cache *cache)
{
	return type->object_size == cache->object_size || !type->object_size || !cache->object_size;
}

static void describe(struct type_stats *type_stats, struct type_stats_type *type,
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

		if (type < 0 || type == TYPE_STATS_LEFT_OUT)
			return type;
		if (found == HASH_MAP_NONE || is_same_size(&type_stats->types[type - 1], cache)) {
			describe(type_stats, &type_stats->types[type - 1], cache);
			apply_slabinfo(type_stats, &type_stats->types[type - 1]);
			return type;
		}
		snprintf(name, sizeof(name), "%s#%d", cache->name, number);
	}
	return TYPE_STATS_LEFT_OUT;
}

static int compare_caches(const void *left, const void *right)
{
	return strcmp(((const struct slabinfo_cache *)left)->name,
		      ((const struct slabinfo_cache *)right)->name);
}

/* Into known goes what it does not have; what it has stays. 0 or -ENOMEM. */
static int add_unknown(struct slabinfo_snapshot *known, const struct slabinfo_snapshot *moment)
{
	struct slabinfo_cache *list;
	size_t before = known->count;

	if (!moment->count)
		return 0;
	list = reallocarray(known->list, before + moment->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	known->list = list;
	for (size_t i = 0; i < moment->count; i++) {
		struct slabinfo_snapshot old = { .list = list, .count = before };

		if (!slabinfo_find(&old, moment->list[i].name))
			list[known->count++] = moment->list[i];
	}
	if (known->count > before)
		qsort(list, known->count, sizeof(*list), compare_caches);
	return 0;
}

int type_stats_slabinfo(struct type_stats *type_stats, const struct slabinfo_snapshot *base,
			const struct slabinfo_snapshot *now)
{
	struct type_stats_parts *parts = type_stats->parts;
	struct slabinfo_snapshot copy = { 0 };
	int err = 0;

	if (now)
		err = add_unknown(&copy, now);
	if (!err && base)
		err = add_unknown(&parts->base, base);
	if (err) {
		slabinfo_snapshot_deinit(&copy);
		return err;
	}
	if (now) {
		slabinfo_snapshot_deinit(&parts->now);
		parts->now = copy;
	}
	for (size_t i = 0; i < type_stats->count; i++)
		apply_slabinfo(type_stats, &type_stats->types[i]);
	return 0;
}
