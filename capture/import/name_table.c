// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An index of hashes, and a list of the texts of each hash. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "capture/import/name_table.h"

int name_table_init(struct name_table *names)
{
	memset(names, 0, sizeof(*names));
	return hash_map_init(&names->index);
}

void name_table_deinit(struct name_table *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i].text);
	free(names->list);
	hash_map_deinit(&names->index);
	names->list = NULL;
	names->count = 0;
}

int64_t name_table_find(const struct name_table *names, const char *text)
{
	uint32_t number = hash_map_find(&names->index, hash_keyed_text(names->index.seed, text));

	while (number != HASH_MAP_NONE && strcmp(names->list[number].text, text))
		number = names->list[number].next;
	return number == HASH_MAP_NONE ? -1 : (int64_t)number;
}

int64_t name_table_add(struct name_table *names, const char *text)
{
	int64_t number = name_table_find(names, text);
	struct name_entry *list;
	uint32_t first;
	char *copy;

	if (number >= 0)
		return number;
	list = array_grow(names->list, names->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	names->list = list;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	first = hash_map_find(&names->index, hash_keyed_text(names->index.seed, text));
	list[names->count] = (struct name_entry){ copy, HASH_MAP_NONE };
	if (first != HASH_MAP_NONE) {
		list[names->count].next = list[first].next;
		list[first].next = (uint32_t)names->count;
	} else if (hash_map_add(&names->index, hash_keyed_text(names->index.seed, text),
				(uint32_t)names->count)) {
		free(copy);
		return -ENOMEM;
	}
	return (int64_t)names->count++;
}
