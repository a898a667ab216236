// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How complete the counters are: missed frees, coverage, unobserved paths. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/caches.h"
#include "live/memstat/internal.h"

/* The types whose objects a path allocates or frees. */
enum {
	OF_FUNCTIONS = 1,
	OF_KMALLOC_CACHES = 2,
	OF_OTHER_CACHES = 4,
	OF_KMALLOC = OF_FUNCTIONS | OF_KMALLOC_CACHES,
	OF_ALL = OF_KMALLOC | OF_OTHER_CACHES,
};

/* kfree() and its relatives may free objects of any cache. */
static const struct {
	const char *path;
	unsigned int types;
} paths[] = {
	{ "kmalloc", OF_KMALLOC },
	{ "kmalloc_nolock", OF_KMALLOC },
	{ "krealloc-in-place", OF_KMALLOC },
	{ "kmem_cache_alloc", OF_OTHER_CACHES },
	{ "kmem_cache_free", OF_OTHER_CACHES },
	{ "kmem_cache_alloc_bulk", OF_OTHER_CACHES },
	{ "sheaf-prefill", OF_OTHER_CACHES },
	{ "sheaf-return", OF_OTHER_CACHES },
};

/* A path that this version does not know may concern every type. */
static unsigned int types_of(const char *path)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (!strcmp(paths[i].path, path))
			return paths[i].types;
	return OF_ALL;
}

static unsigned int kind_of(const struct memory_type *type)
{
	if (type->allocator == ALLOCATOR_MALLOC)
		return OF_FUNCTIONS;
	return caches_is_kmalloc(type->name) ? OF_KMALLOC_CACHES : OF_OTHER_CACHES;
}

/* The nth path of the list that concerns one of these types. */
static const char *find_path(const struct memory_type_list *list, unsigned int types, size_t n)
{
	const char *at = list->paths;

	for (; at && *at; at += strlen(at) + 1)
		if (types_of(at) & types && !n--)
			return at;
	return NULL;
}

int update_set_paths(struct update *update, const char *names)
{
	size_t size = strlen(names) + 2;

	free(update->paths);
	update->paths = calloc(1, size);
	if (!update->paths)
		return update_fail(update, MEMSTAT_ERROR_NOMEMORY, ENOMEM, "%m");
	memcpy(update->paths, names, size - 2);
	for (char *at = update->paths; (at = strchr(at, ','));)
		*at++ = '\0';
	return 0;
}

int memstat_mtl_knows_paths(const struct memory_type_list *list)
{
	return list && list->paths;
}

const char *memstat_mtl_unobserved(const struct memory_type_list *list, size_t n)
{
	return list ? find_path(list, OF_ALL, n) : NULL;
}

const char *memstat_get_unobserved(const struct memory_type *mtp, size_t n)
{
	return mtp ? find_path(mtp->list, kind_of(mtp), n) : NULL;
}

/* Frees of one or several types. */
struct frees {
	uint64_t observed;
	uint64_t missed; /* or MEMSTAT_MISSED_UNKNOWN */
};

static void add_frees(struct frees *frees, const struct memory_type *type)
{
	const struct type_counters *counters = &type->shown.counters;

	frees->observed += counters->observed_frees;
	if (frees->missed == MEMSTAT_MISSED_UNKNOWN ||
	    counters->missed_frees == MEMSTAT_MISSED_UNKNOWN)
		frees->missed = MEMSTAT_MISSED_UNKNOWN;
	else
		frees->missed += counters->missed_frees;
}

static struct frees frees_of(const struct memory_type_list *list, int allocator)
{
	struct frees frees = { 0 };

	for (const struct memory_type *type = list->first; type; type = type->next)
		if (type->allocator == allocator)
			add_frees(&frees, type);
	return frees;
}

static double coverage_of_frees(const struct frees *frees)
{
	if (frees->missed == MEMSTAT_MISSED_UNKNOWN)
		return MEMSTAT_COVERAGE_UNKNOWN;
	return analysis_coverage(frees->observed, frees->missed);
}

uint64_t memstat_get_missedfrees(const struct memory_type *mtp)
{
	return mtp ? mtp->shown.counters.missed_frees : 0;
}

double memstat_get_coverage(const struct memory_type *mtp)
{
	struct frees frees = { 0 };

	if (!mtp)
		return 0;
	add_frees(&frees, mtp);
	return coverage_of_frees(&frees);
}

uint64_t memstat_mtl_missedfrees(const struct memory_type_list *list, int allocator)
{
	uint64_t most = 0;

	for (int each = ALLOCATOR_MALLOC; list && each <= ALLOCATOR_UMA; each++) {
		uint64_t missed = frees_of(list, each).missed;

		if ((allocator == each || allocator == ALLOCATOR_ANY) && missed > most)
			most = missed;
	}
	return most;
}

double memstat_mtl_coverage(const struct memory_type_list *list, int allocator)
{
	double least = 100;

	if (!list)
		return 0;
	for (int each = ALLOCATOR_MALLOC; each <= ALLOCATOR_UMA; each++) {
		const struct frees frees = frees_of(list, each);

		if ((allocator == each || allocator == ALLOCATOR_ANY) &&
		    coverage_of_frees(&frees) < least)
			least = coverage_of_frees(&frees);
	}
	return least;
}
