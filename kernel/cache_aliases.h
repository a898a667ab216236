/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in a list of the aliases of a slab cache, one after another. */
#ifndef KERNEL_CACHE_ALIASES_H
#define KERNEL_CACHE_ALIASES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/caches.h"

#define CACHE_NAME sizeof(((struct cache *)0)->name)

/*
 * Copies the next name, cut if it is too long, and moves *aliases behind it. False: none is left.
 * *aliases may be NULL.
 */
static inline bool cache_aliases_next(const char **aliases, char name[CACHE_NAME])
{
	const char *at = *aliases;
	size_t length = at ? strcspn(at, ",") : 0;

	if (!at || !*at)
		return false;
	snprintf(name, CACHE_NAME, "%.*s", (int)(length < CACHE_NAME ? length : CACHE_NAME), at);
	*aliases = at + length + (at[length] == ',');
	return true;
}

#endif
