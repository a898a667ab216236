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

#include "kernel/escape.h"
#include "trace/tally_parts.h"

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
static void set_usual_classes(struct tally *tally)
{
	uint64_t page = tally->capture->metadata.page_size;
	uint64_t largest = 2 * (page ? page : PAGE_SIZE_USUAL);

	for (size_t bytes = 8; bytes <= largest && bytes <= CLASS_BYTES_MAX; bytes *= 2) {
		tally->class_bytes[tally->class_count++] = bytes;
		if (bytes == 64 || bytes == 128)
			tally->class_bytes[tally->class_count++] = bytes / 2 * 3;
	}
}

int tally_classes(struct tally *tally)
{
	const struct caches *caches = &tally->capture->caches;
	size_t *bytes, count = 0;

	bytes = malloc((caches->kmalloc_count + 1) * sizeof(*bytes));
	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i < caches->kmalloc_count; i++) {
		bytes[count] = bytes_of_name(caches->kmalloc[i].text);
		count += bytes[count] != 0;
	}
	qsort(bytes, count, sizeof(*bytes), compare_bytes);
	for (size_t i = 0; i < count && tally->class_count < TALLY_CLASSES_MAX; i++)
		if (!i || bytes[i] != bytes[i - 1])
			tally->class_bytes[tally->class_count++] = bytes[i];
	free(bytes);
	if (!tally->class_count)
		set_usual_classes(tally);
	return 0;
}

uint64_t tally_class_bit(const struct tally *tally, uint32_t bytes)
{
	for (size_t i = 0; i < tally->class_count && bytes; i++)
		if (tally->class_bytes[i] >= bytes)
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

/* Its index; or INDEX_NONE, and the key for adding it. */
static uint32_t find_type(const struct tally *tally, enum tally_kind kind, const char *name,
			  uint64_t *key)
{
	/* where two names have one key, the second has the key of another salt */
	for (uint64_t salt = kind;; salt += TALLY_KINDS) {
		const struct tally_type *type;
		uint32_t found;

		*key = hash_name(name, salt);
		found = index_find(&tally->parts->by_name, *key);
		if (found == INDEX_NONE)
			return found;
		type = &tally->types[found];
		if (type->kind == kind && !strcmp(type->name, name))
			return found;
	}
}

/* A new one, which has nothing but a name; as tally_cache_type(). */
static int64_t add_type(struct tally *tally, enum tally_kind kind, const char *name, uint64_t key)
{
	size_t max = tally->settings.types_max[kind];
	struct tally_type *types;
	char *copy;

	if (max && tally->parts->kinds[kind] >= max)
		return TALLY_LEFT_OUT;
	types = list_grow(tally->types, tally->count, sizeof(*types));
	if (!types)
		return -ENOMEM;
	tally->types = types;
	copy = strdup(name);
	if (!copy || index_add(&tally->parts->by_name, key, (uint32_t)tally->count)) {
		free(copy);
		return -ENOMEM;
	}
	types[tally->count++] = (struct tally_type){
		.kind = kind,
		.name = copy,
		.changed = tally->generation,
	};
	tally->parts->kinds[kind]++;
	return (int64_t)tally->count;
}

/* Functions. */

static char *name_function(const struct tally *tally, const struct group *group)
{
	const struct symbols *symbols = &tally->capture->symbols;
	const struct symbol *symbol = symbols_find(symbols, group->key, group->first_time);
	const char *module;
	char number[24] = "", *name;
	size_t rank, count;
	int length;

	if (!symbol) {
		length = asprintf(&name, "0x%" PRIx64, group->key);
		return length < 0 ? NULL : name;
	}
	rank = symbols_rank(&tally->parts->symbols, symbol, &count);
	if (count > 1)
		snprintf(number, sizeof(number), "#%zu", rank);
	module = symbols_string(symbols, symbol->module);
	length = asprintf(&name, "%s%s%s%s%s", symbols_string(symbols, symbol->name), number,
			  *module ? " [" : "", module, *module ? "]" : "");
	return length < 0 ? NULL : name;
}

int64_t tally_group_type(struct tally *tally, const struct group *group)
{
	char *name = name_function(tally, group);
	uint64_t key;
	int64_t type;

	if (!name)
		return -ENOMEM;
	/* a module that was loaded again has its functions elsewhere: they are what they were */
	type = find_type(tally, TALLY_FUNCTION, name, &key);
	type = type == INDEX_NONE ? add_type(tally, TALLY_FUNCTION, name, key) : type + 1;
	free(name);
	return type;
}

/* Caches. */

/* What is known of the objects of a type's cache. They do not tell sizes, so not of a "#2". */
static void apply_slabinfo(struct tally *tally, struct tally_type *type)
{
	const struct tally_parts *parts = tally->parts;
	const struct slabinfo_cache *base, *now;
	uint64_t objects, kegfree;

	if (type->kind != TALLY_CACHE)
		return;
	base = caches_is_kmalloc(type->name) ? NULL : slabinfo_find(&parts->base, type->name);
	now = slabinfo_find(&parts->now, type->name);
	objects = base ? base->active : 0;
	kegfree = now && now->total > now->active ? now->total - now->active : 0;
	if (objects == type->base && kegfree == type->kegfree)
		return;
	type->base = objects;
	type->kegfree = kegfree;
	type->changed = tally->generation;
}

/* Sizes that are not known are no others: an old kernel's free may tell nothing but a name. */
static bool is_same_size(const struct tally_type *type, const struct analysis_cache *cache)
{
	return type->object_size == cache->object_size || !type->object_size || !cache->object_size;
}

static void describe(struct tally *tally, struct tally_type *type,
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
		type->changed = tally->generation;
}

int64_t tally_cache_type(struct tally *tally, const struct analysis_cache *cache)
{
	char name[sizeof(cache->name) + 16];

	if (cache->is_large)
		return TALLY_NO_TYPE;
	snprintf(name, sizeof(name), "%s", cache->name);
	for (int number = 2; number <= SIZES_MAX + 1; number++) {
		uint64_t key;
		uint32_t found = find_type(tally, TALLY_CACHE, name, &key);
		int64_t type = found == INDEX_NONE ? add_type(tally, TALLY_CACHE, name, key)
						   : (int64_t)found + 1;

		if (type < 0 || type == TALLY_LEFT_OUT)
			return type;
		if (found == INDEX_NONE || is_same_size(&tally->types[type - 1], cache)) {
			describe(tally, &tally->types[type - 1], cache);
			apply_slabinfo(tally, &tally->types[type - 1]);
			return type;
		}
		snprintf(name, sizeof(name), "%s#%d", cache->name, number);
	}
	return TALLY_LEFT_OUT;
}

static int compare_caches(const void *left, const void *right)
{
	return strcmp(((const struct slabinfo_cache *)left)->name,
		      ((const struct slabinfo_cache *)right)->name);
}

/* Into known goes what it does not have; what it has stays. 0 or -ENOMEM. */
static int add_unknown(struct slabinfo_moment *known, const struct slabinfo_moment *moment)
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
		struct slabinfo_moment old = { .list = list, .count = before };

		if (!slabinfo_find(&old, moment->list[i].name))
			list[known->count++] = moment->list[i];
	}
	if (known->count > before)
		qsort(list, known->count, sizeof(*list), compare_caches);
	return 0;
}

int tally_slabinfo(struct tally *tally, const struct slabinfo_moment *base,
		   const struct slabinfo_moment *now)
{
	struct tally_parts *parts = tally->parts;
	struct slabinfo_moment copy = { 0 };
	int err = 0;

	if (now)
		err = add_unknown(&copy, now);
	if (!err && base)
		err = add_unknown(&parts->base, base);
	if (err) {
		slabinfo_moment_deinit(&copy);
		return err;
	}
	if (now) {
		slabinfo_moment_deinit(&parts->now);
		parts->now = copy;
	}
	for (size_t i = 0; i < tally->count; i++)
		apply_slabinfo(tally, &tally->types[i]);
	return 0;
}
