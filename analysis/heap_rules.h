/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks at each event for what is wrong with it, given what the heap knows. */
#ifndef ANALYSIS_HEAP_RULES_H
#define ANALYSIS_HEAP_RULES_H

#include "analysis/analysis.h"
#include "analysis/slab_pages.h"

struct heap_rules {
	struct analysis *analysis;
	struct pages pages;
	bool kfree_of_cache_is_legal, release_known;
};

int heap_rules_open(struct heap_rules **heap_rules, struct analysis *analysis); /* 0 or -ENOMEM */
void heap_rules_close(struct heap_rules *heap_rules);

/* All: 0 or -ENOMEM. An allocation, before it enters the heap. */
int heap_rules_unlike_allocation(struct heap_rules *heap_rules, const struct event *event,
				 uint32_t cache);
int heap_rules_failure(struct heap_rules *heap_rules, const struct event *event, uint32_t cache);
/* The address of a live object was allocated again. */
int heap_rules_missed(struct heap_rules *heap_rules, const struct event *event,
		      const struct slab_object *object);
/* A free of a live object. */
int heap_rules_unlike_free(struct heap_rules *heap_rules, const struct event *event, uint32_t cache,
			   const struct slab_object *object);
/* A free of none; block: what was freed there, or NULL. */
int heap_rules_unmatched(struct heap_rules *heap_rules, const struct event *event, uint32_t cache,
			 const struct slab_object *object);

/*
 * Does it lie as all else in its page does, and is there nothing to say about it? Then its block is
 * OBJECT_MATCHES_PAGE until the page becomes one of another class, if the caller likes.
 */
static inline bool heap_rules_is_plain(const struct heap_rules *heap_rules,
				       const struct event *event)
{
	struct page *page = pages_find(&heap_rules->pages, event->pointer);

	if (!page || !page->stride || page->stride != event->allocated ||
	    event->requested > event->allocated || page_inside(page, event->pointer))
		return false;
	page->has_plain = true;
	return true;
}

/*
 * The same, of what is put where block was: OBJECT_MATCHES_PAGE tells that this was asked of it,
 * and a page that becomes one of another class takes it back.
 */
static inline bool heap_rules_is_still_plain(const struct slab_object *object,
					     const struct event *event)
{
	return object->flags & OBJECT_MATCHES_PAGE && object->allocated == event->allocated &&
	       event->requested <= event->allocated;
}

/* heap_rules_unlike_allocation() with no ado about what is plain, */
static inline int heap_rules_allocation(struct heap_rules *heap_rules, const struct event *event,
					uint32_t cache)
{
	return heap_rules_is_plain(heap_rules, event)
		       ? 0
		       : heap_rules_unlike_allocation(heap_rules, event, cache);
}

/* and heap_rules_unlike_free() about what is freed as it was allocated. */
static inline int heap_rules_free(struct heap_rules *heap_rules, const struct analysis *analysis,
				  const struct event *event, uint32_t cache,
				  const struct slab_object *object)
{
	if (!event->has_cache && event_is_kfree(event) ? analysis->caches[object->cache].is_kmalloc
						       : cache == object->cache)
		return 0;
	return heap_rules_unlike_free(heap_rules, event, cache, object);
}

#endif
