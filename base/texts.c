// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A table of different texts. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/texts.h"

int texts_init(struct texts *texts)
{
	memset(texts, 0, sizeof(*texts));
	texts->list = array_grow(NULL, 0, sizeof(*texts->list));
	if (!texts->list)
		return -ENOMEM;
	texts->list[0] = (struct texts_entry){ NULL, 0 };
	texts->count = 1; /* 0 stands for "no text" */
	return hash_map_init(&texts->index);
}

void texts_deinit(struct texts *texts)
{
	for (size_t i = 1; i < texts->count; i++)
		free(texts->list[i].text);
	free(texts->list);
	hash_map_deinit(&texts->index);
}

/* The number of the text among those with its hash, the first of which is given. */
static uint32_t find_from(const struct texts *texts, uint32_t first, const char *text)
{
	for (uint32_t i = first == HASH_MAP_NONE ? 0 : first; i; i = texts->list[i].next)
		if (!strcmp(texts->list[i].text, text))
			return i;
	return 0;
}

uint32_t texts_find(const struct texts *texts, const char *text)
{
	return find_from(texts,
			 hash_map_find(&texts->index, hash_keyed_text(texts->index.seed, text)),
			 text);
}

uint32_t texts_add(struct texts *texts, const char *text)
{
	uint64_t hash = hash_keyed_text(texts->index.seed, text);
	uint32_t first = hash_map_find(&texts->index, hash);
	uint32_t found = find_from(texts, first, text);
	struct texts_entry *list;
	char *copy;

	if (found)
		return found;
	list = array_grow(texts->list, texts->count, sizeof(*list));
	if (!list)
		return 0;
	texts->list = list;
	copy = strdup(text);
	if (!copy)
		return 0;
	if (first == HASH_MAP_NONE && hash_map_add(&texts->index, hash, (uint32_t)texts->count)) {
		free(copy);
		return 0;
	}
	list[texts->count] = (struct texts_entry){ copy, 0 };
	if (first != HASH_MAP_NONE) {
		list[texts->count].next = list[first].next;
		list[first].next = (uint32_t)texts->count;
	}
	return (uint32_t)texts->count++;
}

uint32_t texts_take(struct texts *texts, char *text)
{
	uint32_t number = text ? texts_add(texts, text) : 0;

	free(text);
	return number;
}
