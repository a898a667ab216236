// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A list of types: creating, freeing, walking and searching it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/memstat/internal.h"

#define BUCKETS_FIRST 64

/* secure_getenv(): a set-user-ID program ignores the variable. */
static enum base_choice base_of_environment(void)
{
	const char *value = secure_getenv("KMEMTRACE_MEMSTAT_BASE");

	if (!value || !*value)
		return BASE_OF_SOURCE;
	return strcmp(value, "0") ? BASE_ON : BASE_OFF;
}

struct memory_type_list *memstat_mtl_alloc(void)
{
	struct memory_type_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->buckets = calloc(BUCKETS_FIRST, sizeof(struct memory_type *));
	if (!list->buckets) {
		free(list);
		errno = ENOMEM;
		return NULL;
	}
	list->bucket_count = BUCKETS_FIRST;
	list->failure.error = MEMSTAT_ERROR_UNDEFINED;
	list->base = base_of_environment();
	return list;
}

void memstat_mtl_free(struct memory_type_list *list)
{
	struct memory_type *type, *next;

	if (!list)
		return;
	for (type = list->first; type; type = next) {
		next = type->next;
		type_destroy(type);
	}
	live_view_free(list);
	free(list->paths);
	free(list->buckets);
	free(list);
}

struct memory_type *memstat_mtl_first(struct memory_type_list *list)
{
	return list ? list->first : NULL;
}

struct memory_type *memstat_mtl_next(struct memory_type *mtp)
{
	return mtp ? mtp->next : NULL;
}

static bool has_allocator(const struct memory_type *type, int allocator)
{
	return allocator == ALLOCATOR_ANY || type->allocator == allocator;
}

/* A type with this name comes before types with this alias. */
struct memory_type *memstat_mtl_find(struct memory_type_list *list, int allocator, const char *name)
{
	struct memory_type *found = NULL, *type;

	if (!list || !name)
		return NULL;
	for (int each = ALLOCATOR_MALLOC; each <= ALLOCATOR_UMA; each++) {
		type = names_find(list, each, name);
		if (type && has_allocator(type, allocator) &&
		    (!found || type->serial > found->serial))
			found = type;
	}
	for (type = list->first; type && !found; type = type->next) {
		if (has_allocator(type, allocator) && type_has_alias(type, name))
			found = type;
	}
	return found;
}

int memstat_mtl_geterror(struct memory_type_list *list)
{
	return list ? list->failure.error : MEMSTAT_ERROR_UNDEFINED;
}

const char *memstat_mtl_errortext(const struct memory_type_list *list)
{
	return list ? list->failure.errmsg : "";
}

uint64_t memstat_mtl_time(const struct memory_type_list *list)
{
	return list ? list->time : 0;
}

uint64_t memstat_mtl_begin(const struct memory_type_list *list)
{
	return list ? list->begin : 0;
}

size_t memstat_mtl_cpus(const struct memory_type_list *list)
{
	return list ? list->machine_cpus : 0;
}

void memstat_mtl_set_base(struct memory_type_list *list, int on)
{
	if (list)
		list->base = on ? BASE_ON : BASE_OFF;
}

uint64_t memstat_mtl_lost(const struct memory_type_list *list, int allocator)
{
	if (!list)
		return 0;
	switch (allocator) {
	case ALLOCATOR_MALLOC:
	case ALLOCATOR_UMA:
		return list->lost[allocator];
	case ALLOCATOR_ANY:
		if (list->lost[ALLOCATOR_MALLOC] > list->lost[ALLOCATOR_UMA])
			return list->lost[ALLOCATOR_MALLOC];
		return list->lost[ALLOCATOR_UMA];
	default:
		return 0;
	}
}
