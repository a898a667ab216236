/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of each page of slab memory, derived from the size and the address of the latest slab
 * object that was allocated in it. The distance between two objects of one slab is a multiple of
 * the stride.
 */
#ifndef ANALYSIS_SLAB_PAGES_H
#define ANALYSIS_SLAB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PAGE_BYTES 4096 /* this file's unit; the kernel's pages can be larger */

struct slab_page {
	uint64_t number;     /* address / PAGE_BYTES, + 1; 0: the slot is empty */
	uint32_t stride;     /* bytes from one object to the next; 0: unknown */
	uint32_t phase : 30; /* bytes from the start of the page to the first object that starts in
				it */
	uint32_t has_matches : 1; /* objects in it can have OBJECT_MATCHES_PAGE */
	uint32_t changed : 1;	  /* earlier in this capture it had another stride or phase */
};

struct slab_pages {
	struct slab_page *slots;
	size_t mask; /* slots - 1 */
	size_t count;
	uint64_t seed;
};

int slab_pages_init(struct slab_pages *pages); /* 0 or -ENOMEM */
void slab_pages_deinit(struct slab_pages *pages);

/* The phase of a page with an object at address. */
static inline uint32_t slab_page_phase(uint64_t address, uint32_t stride)
{
	return (uint32_t)(address % PAGE_BYTES) % stride;
}

/* The offset of address in the object that contains it, if there is one. */
static inline uint32_t slab_page_offset(const struct slab_page *page, uint64_t address)
{
	return ((uint32_t)(address % PAGE_BYTES) + page->stride - page->phase) % page->stride;
}

/* The slot of the page with this number, or the empty slot for it. */
static inline struct slab_page *slab_pages_slot(const struct slab_pages *pages, uint64_t number)
{
	size_t slot = hash_address(pages->seed, number) & pages->mask;

	while (pages->slots[slot].number && pages->slots[slot].number != number)
		slot = (slot + 1) & pages->mask;
	return &pages->slots[slot];
}

static inline void slab_pages_prefetch(const struct slab_pages *pages, uint64_t address)
{
	uint32_t hash = hash_address(pages->seed, address / PAGE_BYTES + 1);

	__builtin_prefetch(&pages->slots[hash & pages->mask]);
}

/* The page that contains address, or NULL. */
static inline struct slab_page *slab_pages_find(const struct slab_pages *pages, uint64_t address)
{
	struct slab_page *page = slab_pages_slot(pages, address / PAGE_BYTES + 1);

	return page->number ? page : NULL;
}

/* The page that contains address, added if it is not there. NULL: no memory. */
struct slab_page *slab_pages_add(struct slab_pages *pages, uint64_t address);

#endif
