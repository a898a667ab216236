// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One memory type, and the table in which a list finds its types by name. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "live/memstat/internal.h"

struct memory_type *type_create(struct memory_type_list *list, int allocator, const char *name)
{
	size_t size = strlen(name) + 1;
	struct memory_type *type = calloc(1, sizeof(*type));

	if (!type)
		return NULL;
	type->name = malloc(size);
	if (!type->name) {
		free(type);
		return NULL;
	}
	memcpy(type->name, name, size);
	type->allocator = allocator;
	type->list = list;
	return type;
}

static void type_state_deinit(struct type_state *snapshot)
{
	free(snapshot->percpu);
	free(snapshot->aliases);
}

void type_destroy(struct memory_type *type)
{
	if (!type)
		return;
	type_state_deinit(&type->shown);
	type_state_deinit(&type->staged);
	for (size_t cpu = 0; cpu < type->percpu_callers; cpu++)
		free(type->percpu_caller[cpu]);
	free(type->percpu_caller);
	free(type->name);
	free(type);
}

bool type_has_alias(const struct memory_type *type, const char *name)
{
	const char *at = type->shown.aliases;
	size_t length = strlen(name), each;

	for (; at && length; at = at[each] ? at + each + 1 : NULL) {
		each = strcspn(at, ",");
		if (each == length && !memcmp(at, name, length))
			return true;
	}
	return false;
}

/* Types of one name share a bucket, whatever their allocator. */
static struct memory_type **bucket_of_name(const struct memory_type_list *list, const char *name)
{
	uint64_t hash = hash_text(0, name);

	return &list->buckets[(hash ^ hash >> 32) & (list->bucket_count - 1)];
}

struct memory_type *names_find(const struct memory_type_list *list, int allocator, const char *name)
{
	struct memory_type *type = *bucket_of_name(list, name);

	while (type && (type->allocator != allocator || strcmp(type->name, name)))
		type = type->same;
	return type;
}

static void bucket_insert(struct memory_type_list *list, struct memory_type *type)
{
	struct memory_type **head = bucket_of_name(list, type->name);

	type->same = *head;
	*head = type;
}

/* Without memory the chains get longer: slower, but not a failure. */
static void grow_buckets(struct memory_type_list *list)
{
	struct memory_type **old = list->buckets, *type, *same;
	size_t old_count = list->bucket_count;

	list->buckets = calloc(old_count * 2, sizeof(struct memory_type *));
	if (!list->buckets) {
		list->buckets = old;
		return;
	}
	list->bucket_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++) {
		for (type = old[i]; type; type = same) {
			same = type->same;
			bucket_insert(list, type);
		}
	}
	free(old);
}

void names_add(struct memory_type_list *list, struct memory_type *type)
{
	if (list->type_count >= list->bucket_count)
		grow_buckets(list);
	bucket_insert(list, type);
	list->type_count++;
}

void names_remove(struct memory_type_list *list, struct memory_type *type)
{
	struct memory_type **at = bucket_of_name(list, type->name);

	while (*at != type)
		at = &(*at)->same;
	*at = type->same;
	list->type_count--;
}
