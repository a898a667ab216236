/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of addresses, and a table of symbols that has only those at the addresses of a set. */
#ifndef CAPTURE_PACK_TRIM_SYMBOLS_H
#define CAPTURE_PACK_TRIM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "kernel/symbols.h"

/* All zero is an empty set. */
struct address_set {
	struct hash_map map;
	uint64_t *list;
	size_t count, space;
};

int address_set_add(struct address_set *set, uint64_t address); /* 0 or -errno */
bool address_set_has(const struct address_set *set, uint64_t address);
void address_set_deinit(struct address_set *set);

/*
 * Adds the addresses of the symbols that name each used address: in each snapshot the symbol at or
 * before it, the next one, which gives the size, and all symbols with the name of the former. 0 or
 * -errno.
 */
int trim_symbols_keep(struct address_set *kept, const struct symbols *symbols,
		      const struct address_set *used);

/*
 * Replaces the file by one with the lines of the kept addresses, and all lines about modules, times
 * and the ends of the kernel. 0 or -errno.
 */
int trim_symbols_write(const struct address_set *kept, const char *path);

#endif
