/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks each event against the object table: double frees, wrong caches, overlaps and the like. */
#ifndef ANALYSIS_HEAP_RULES_H
#define ANALYSIS_HEAP_RULES_H

#include "analysis/model.h"
#include "analysis/slab_pages.h"

struct heap_rules {
	struct analysis *analysis;
	struct slab_pages pages;
	bool kfree_of_cache_is_legal; /* by the kernel's release: since Linux 6.4 */
	bool release_known;
};

int heap_rules_open(struct heap_rules **heap_rules, struct analysis *analysis); /* 0 or -ENOMEM */
void heap_rules_close(struct heap_rules *heap_rules);

/* The slow paths of heap_rules_check_allocation() and heap_rules_check_free(). 0 or -ENOMEM. */
int heap_rules_check_new_page(struct heap_rules *heap_rules, const struct event *event,
			      uint32_t cache);
int heap_rules_check_other_cache(struct heap_rules *heap_rules, const struct event *event,
				 uint32_t cache, const struct slab_object *object);

/* A failed allocation. 0 or -ENOMEM, as all below. */
int heap_rules_check_failed(struct heap_rules *heap_rules, const struct event *event,
			    uint32_t cache);

/* The address of a live object was allocated again. */
int heap_rules_check_missed(struct heap_rules *heap_rules, const struct event *event,
			    const struct slab_object *object);

/* A free of no live object. freed: the object that was freed at the address before, or NULL. */
int heap_rules_check_unmatched(struct heap_rules *heap_rules, const struct event *event,
			       uint32_t cache, const struct slab_object *freed);

/*
 * Does the new object have the stride and phase of its page, and enough bytes? Then no rule about
 * allocations can be broken. old: the object at its address before, or NULL. A page that changes
 * clears OBJECT_MATCHES_PAGE of its objects.
 */
static inline bool heap_rules_matches_page(const struct heap_rules *heap_rules,
					   const struct event *event, const struct slab_object *old)
{
	struct slab_page *page;

	if (event->requested > event->allocated)
		return false;
	if (old && old->flags & OBJECT_MATCHES_PAGE && old->allocated == event->allocated)
		return true;
	page = slab_pages_find(&heap_rules->pages, event->pointer);
	if (!page || !page->stride || page->stride != event->allocated ||
	    slab_page_offset(page, event->pointer))
		return false;
	page->has_matches = true;
	return true;
}

/* Before an allocation enters the object table. OBJECT_MATCHES_PAGE, 0 or -ENOMEM. */
static inline int heap_rules_check_allocation(struct heap_rules *heap_rules,
					      const struct event *event, uint32_t cache,
					      const struct slab_object *old)
{
	return heap_rules_matches_page(heap_rules, event, old)
		       ? OBJECT_MATCHES_PAGE
		       : heap_rules_check_new_page(heap_rules, event, cache);
}

/* A free of a live object. cache: that the free names, or CACHE_NONE. 0 or -ENOMEM. */
static inline int heap_rules_check_free(struct heap_rules *heap_rules, const struct event *event,
					uint32_t cache, const struct slab_object *object)
{
	const struct analysis *analysis = heap_rules->analysis;

	if (!event->has_cache && event_is_kfree(event) ? analysis->caches[object->cache].is_kmalloc
						       : cache == object->cache)
		return 0;
	return heap_rules_check_other_cache(heap_rules, event, cache, object);
}

static inline void heap_rules_prefetch(const struct heap_rules *heap_rules, uint64_t address)
{
	slab_pages_prefetch(&heap_rules->pages, address);
}

#endif
