/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What lies in each page of memory, as far as allocations showed it: the objects of one slab all
 * lie a whole number of strides from one another.
 */
#ifndef ANALYSIS_SLAB_PAGES_H
#define ANALYSIS_SLAB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PAGE_BYTES 4096 /* the unit here, whatever the kernel's pages are */

struct page {
	uint64_t number;     /* address / PAGE_BYTES, + 1; 0: an empty place */
	uint32_t stride;     /* bytes from one object to the next; 0: none was seen yet */
	uint32_t phase : 30; /* bytes from the page's begin to the first object that begins in it */
	uint32_t has_plain : 1; /* a block in it may be OBJECT_MATCHES_PAGE */
	uint32_t changed : 1;	/* it held objects of another class before, in this capture */
};

struct pages {
	struct page *slots;
	size_t mask; /* places - 1 */
	size_t count;
	uint64_t seed;
};

int pages_init(struct pages *pages); /* 0 or -ENOMEM */
void pages_deinit(struct pages *pages);

/* The phase of the page, if an object is at address. */
static inline uint32_t page_phase(uint64_t address, uint32_t stride)
{
	return (uint32_t)(address % PAGE_BYTES) % stride;
}

/* How far address is from where the object begins that holds it, if one does. */
static inline uint32_t page_inside(const struct page *page, uint64_t address)
{
	return ((uint32_t)(address % PAGE_BYTES) + page->stride - page->phase) % page->stride;
}

/* The page of the number, or the empty place where it would go. */
static inline struct page *pages_place(const struct pages *pages, uint64_t number)
{
	size_t slot = hash_address(pages->seed, number) & pages->mask;

	while (pages->slots[slot].number && pages->slots[slot].number != number)
		slot = (slot + 1) & pages->mask;
	return &pages->slots[slot];
}

static inline void pages_prefetch(const struct pages *pages, uint64_t address)
{
	uint32_t hash = hash_address(pages->seed, address / PAGE_BYTES + 1);

	__builtin_prefetch(&pages->slots[hash & pages->mask]);
}

/* The page that holds address, or NULL. */
static inline struct page *pages_find(const struct pages *pages, uint64_t address)
{
	struct page *page = pages_place(pages, address / PAGE_BYTES + 1);

	return page->number ? page : NULL;
}

/* A new one if need be; NULL: no memory. */
struct page *pages_add(struct pages *pages, uint64_t address);

#endif
