/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts by number: each distinct one is kept once, and numbered from 0 in the order of arrival. */
#ifndef IMPORT_NAME_TABLE_H
#define IMPORT_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

struct name_entry {
	char *text;
	uint32_t next; /* of the same hash, or HASH_MAP_NONE */
};

struct name_table {
	struct hash_map index; /* of the hash: the first entry that has it */
	struct name_entry *list;
	size_t count;
};

int names_init(struct name_table *names); /* 0 or -ENOMEM */
void names_deinit(struct name_table *names);

/* The number of the text, or -1. */
int64_t names_find(const struct name_table *names, const char *text);

/* The number of the text, which is added if it is not there; or -ENOMEM. */
int64_t names_add(struct name_table *names, const char *text);

#endif
