// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open addressing with linear probing; entries are never removed. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/slab_pages.h"

#define SLOTS_FIRST 4096

int slab_pages_init(struct slab_pages *pages)
{
	pages->slots = calloc(SLOTS_FIRST, sizeof(*pages->slots));
	pages->mask = SLOTS_FIRST - 1;
	pages->count = 0;
	pages->seed = hash_seed();
	return pages->slots ? 0 : -ENOMEM;
}

void slab_pages_deinit(struct slab_pages *pages)
{
	free(pages->slots);
	pages->slots = NULL;
}

static int grow_pages(struct slab_pages *pages)
{
	struct slab_pages bigger = { .mask = pages->mask * 2 + 1,
				     .count = pages->count,
				     .seed = pages->seed };

	bigger.slots = calloc(bigger.mask + 1, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= pages->mask; i++)
		if (pages->slots[i].number)
			*slab_pages_slot(&bigger, pages->slots[i].number) = pages->slots[i];
	free(pages->slots);
	*pages = bigger;
	return 0;
}

struct slab_page *slab_pages_add(struct slab_pages *pages, uint64_t address)
{
	struct slab_page *page = slab_pages_slot(pages, address / PAGE_BYTES + 1);

	if (page->number)
		return page;
	if (pages->count >= pages->mask / 8 * 5) {
		if (grow_pages(pages))
			return NULL;
		page = slab_pages_slot(pages, address / PAGE_BYTES + 1);
	}
	*page = (struct slab_page){ .number = address / PAGE_BYTES + 1 };
	pages->count++;
	return page;
}
