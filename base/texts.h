/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts by number: equal texts have one number, so that numbers are compared instead of texts. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

struct texts_entry {
	char *text;
	uint32_t next; /* another text with the same hash; 0: none */
};

struct texts {
	struct hash_map index; /* by hash: the first text with it */
	struct texts_entry *list;
	size_t count;
};

int texts_init(struct texts *texts); /* 0 or -ENOMEM */
void texts_deinit(struct texts *texts);

/* The number of the text; 0: it was not added. */
uint32_t texts_find(const struct texts *texts, const char *text);

/* The number of the text, from 1; 0: no memory. */
uint32_t texts_add(struct texts *texts, const char *text);

/* The same of a new string, which is freed; 0 for NULL. */
uint32_t texts_take(struct texts *texts, char *text);

static inline const char *texts_get(const struct texts *texts, uint32_t number)
{
	return texts->list[number].text;
}

#endif
