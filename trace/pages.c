// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open addressing with linear probing; grows with the memory that slabs were ever seen in. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/pages.h"

#define PLACES_FIRST 4096

int pages_init(struct pages *pages)
{
	pages->places = calloc(PLACES_FIRST, sizeof(*pages->places));
	pages->mask = PLACES_FIRST - 1;
	pages->count = 0;
	pages->seed = heap_seed();
	return pages->places ? 0 : -ENOMEM;
}

void pages_deinit(struct pages *pages)
{
	free(pages->places);
	pages->places = NULL;
}

static int grow(struct pages *pages)
{
	struct pages bigger = { .mask = pages->mask * 2 + 1,
				.count = pages->count,
				.seed = pages->seed };

	bigger.places = calloc(bigger.mask + 1, sizeof(*bigger.places));
	if (!bigger.places)
		return -ENOMEM;
	for (size_t i = 0; i <= pages->mask; i++)
		if (pages->places[i].number)
			*pages_place(&bigger, pages->places[i].number) = pages->places[i];
	free(pages->places);
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
