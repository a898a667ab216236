/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks at each event for what is wrong with it, given what the heap knows. */
#ifndef TRACE_SUSPECT_H
#define TRACE_SUSPECT_H

#include "trace/analysis.h"
#include "trace/pages.h"

struct suspect {
	struct analysis *analysis;
	struct pages pages;
	bool kfree_of_cache_is_legal, release_known;
};

int suspect_open(struct suspect **suspect, struct analysis *analysis); /* 0 or -ENOMEM */
void suspect_close(struct suspect *suspect);

/* All: 0 or -ENOMEM. An allocation, before it enters the heap. */
int suspect_unlike_allocation(struct suspect *suspect, const struct event *event, uint32_t cache);
int suspect_failure(struct suspect *suspect, const struct event *event, uint32_t cache);
/* The address of a live object was allocated again. */
int suspect_missed(struct suspect *suspect, const struct event *event,
		   const struct heap_block *block);
/* A free of a live object. */
int suspect_unlike_free(struct suspect *suspect, const struct event *event, uint32_t cache,
			const struct heap_block *block);
/* A free of none; block: what was freed there, or NULL. */
int suspect_unmatched(struct suspect *suspect, const struct event *event, uint32_t cache,
		      const struct heap_block *block);

/*
 * Does it lie as all else in its page does, and is there nothing to say about it? Then its block is
 * BLOCK_PLAIN until the page becomes one of another class, if the caller likes.
 */
static inline bool suspect_is_plain(const struct suspect *suspect, const struct event *event)
{
	struct page *page = pages_find(&suspect->pages, event->pointer);

	if (!page || !page->stride || page->stride != event->allocated ||
	    event->requested > event->allocated || page_inside(page, event->pointer))
		return false;
	page->has_plain = true;
	return true;
}

/*
 * The same, of what is put where block was: BLOCK_PLAIN tells that this was asked of it, and a page
 * that becomes one of another class takes it back.
 */
static inline bool suspect_is_still_plain(const struct heap_block *block, const struct event *event)
{
	return block->flags & BLOCK_PLAIN && block->allocated == event->allocated &&
	       event->requested <= event->allocated;
}

/* suspect_unlike_allocation() with no ado about what is plain, */
static inline int suspect_allocation(struct suspect *suspect, const struct event *event,
				     uint32_t cache)
{
	return suspect_is_plain(suspect, event) ? 0
						: suspect_unlike_allocation(suspect, event, cache);
}

/* and suspect_unlike_free() about what is freed as it was allocated. */
static inline int suspect_free(struct suspect *suspect, const struct analysis *analysis,
			       const struct event *event, uint32_t cache,
			       const struct heap_block *block)
{
	if (!event->has_cache && event_is_kfree(event) ? analysis->caches[block->cache].is_kmalloc
						       : cache == block->cache)
		return 0;
	return suspect_unlike_free(suspect, event, cache, block);
}

#endif
