// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the size classes of kmalloc() by the names of its caches: "kmalloc-96", "kmalloc-cg-1k". */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/caches.h"
#include "report/views/kmalloc_classes.h"

#define NORMAL_TYPE "kmalloc-"

/* The length of the type in the name of a class: "kmalloc-cg-" of "kmalloc-cg-1k". */
static size_t type_length(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? (size_t)(dash - name) + 1 : 0;
}

/* The bytes at the end of the name of a class: 1024 of "kmalloc-1k"; 0: it has none. */
static uint64_t size_in_name(const char *name)
{
	char *end;
	uint64_t size = strtoul(name + type_length(name), &end, 10);

	if (*end == 'k')
		size <<= 10;
	else if (*end == 'M')
		size <<= 20;
	else if (*end)
		return 0;
	return size;
}

/*
 * Is it a class of this type that is smaller than size, and larger than the one found so far?
 * memory: bytes that an object takes; 0: as the name says.
 */
static void take_name(const char *name, uint64_t memory, const char *type, size_t length,
		      uint64_t size, struct kmalloc_class *below)
{
	uint64_t own = size_in_name(name);

	if (type_length(name) != length || memcmp(name, type, length) || own >= size ||
	    own <= below->size)
		return;
	snprintf(below->name, sizeof(below->name), "%s", name);
	below->size = own;
	below->memory = memory ? memory : own;
}

bool kmalloc_class_below(const struct analysis *analysis, const struct analysis_cache *cache,
			 uint64_t size, struct kmalloc_class *below)
{
	const struct caches *caches = &analysis->capture->caches;
	const char *type = cache->is_large ? NORMAL_TYPE : cache->name;
	size_t length = type_length(type);
	/* whole pages come as powers of two, and a class of half of them may exist */
	uint64_t limit = cache->is_large ? size / 2 + 1 : size;

	*below = (struct kmalloc_class){ 0 };
	for (size_t i = 0; i < caches->kmalloc_count; i++)
		take_name(caches->kmalloc[i].text, caches->kmalloc[i].size, type, length, limit,
			  below);
	for (size_t i = 0; i < analysis->cache_count && !caches->kmalloc_count; i++)
		if (analysis->caches[i].is_kmalloc && !analysis->caches[i].is_large)
			take_name(analysis->caches[i].name, 0, type, length, limit, below);
	if (cache->is_large && below->size < size / 2) {
		snprintf(below->name, sizeof(below->name), "%s", cache->name);
		below->size = below->memory = size / 2;
	}
	return below->size;
}

enum kmalloc_guess kmalloc_classes_guess(const struct analysis *analysis)
{
	const struct capture *capture = analysis->capture;
	enum kmalloc_guess guess = KMALLOC_LISTED;

	if (!*capture->metadata.source || capture->caches.kmalloc_count)
		return KMALLOC_LISTED;
	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];

		if (!cache->is_kmalloc || cache->cache)
			continue;
		if (guess == KMALLOC_LISTED)
			guess = KMALLOC_GUESSED;
		if (cache->size && strstr(cache->name, "-unknown/"))
			guess = capture->metadata.odd_allocated ? KMALLOC_UNKNOWN
								: KMALLOC_PART_UNKNOWN;
	}
	return guess;
}
