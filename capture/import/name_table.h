/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers for texts: each distinct text is stored once and gets the next number, from 0. */
#ifndef CAPTURE_IMPORT_NAME_TABLE_H
#define CAPTURE_IMPORT_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

struct name_entry {
	char *text;
	uint32_t next; /* the next entry with the same hash, or HASH_MAP_NONE */
};

struct name_table {
	struct hash_map index; /* by hash: its first entry */
	struct name_entry *list;
	size_t count;
};

int name_table_init(struct name_table *names); /* 0 or -ENOMEM */
void name_table_deinit(struct name_table *names);

/* The number of the text, or -1. */
int64_t name_table_find(const struct name_table *names, const char *text);

/* The number of the text, which is added if it is new; or -ENOMEM. */
int64_t name_table_add(struct name_table *names, const char *text);

#endif
