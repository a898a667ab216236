// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open addressing with linear probing; grows with the memory that slabs were ever seen in. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/slab_pages.h"

#define PLACES_FIRST 4096

int pages_init(struct pages *pages)
{
	pages->slots = calloc(PLACES_FIRST, sizeof(*pages->slots));
	pages->mask = PLACES_FIRST - 1;
	pages->count = 0;
	pages->seed = hash_seed();
	return pages->slots ? 0 : -ENOMEM;
}

void pages_deinit(struct pages *pages)
{
	free(pages->slots);
	pages->slots = NULL;
}

static int grow(struct pages *pages)
{
	struct pages bigger = { .mask = pages->mask * 2 + 1,
				.count = pages->count,
				.seed = pages->seed };

	bigger.slots = calloc(bigger.mask + 1, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= pages->mask; i++)
		if (pages->slots[i].number)
			*pages_place(&bigger, pages->slots[i].number) = pages->slots[i];
	free(pages->slots);
	*pages = bigger;
	return 0;
}

struct page *pages_add(struct pages *pages, uint64_t address)
{
	struct page *page = pages_place(pages, address / PAGE_BYTES + 1);

	if (page->number)
		return page;
	if (pages->count >= pages->mask / 8 * 5) {
		if (grow(pages))
			return NULL;
		page = pages_place(pages, address / PAGE_BYTES + 1);
	}
	*page = (struct page){ .number = address / PAGE_BYTES + 1 };
	pages->count++;
	return page;
}
