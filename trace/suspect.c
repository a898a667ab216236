// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rules of what is wrong. A healthy kernel breaks most of them in a capture that does not see
 * everything: each case says since when nothing may have been hidden for it to be certain.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/findings.h"
#include "trace/suspect.h"

#define STRIDE_MIN 8	 /* bytes: no slab has smaller objects, */
#define STRIDE_MAX 65536 /* or larger ones */

/* SLOB, which could not do it, went with 6.4; it is a matter of what was allowed when. */
static bool is_since_6_4(const char *release)
{
	unsigned long major, minor;
	char *end;

	major = strtoul(release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 6 || (major == 6 && minor >= 4);
}

int suspect_open(struct suspect **result, struct analysis *analysis)
{
	struct suspect *suspect = calloc(1, sizeof(*suspect));
	int err;

	if (!suspect)
		return -ENOMEM;
	suspect->analysis = analysis;
	suspect->kfree_of_cache_is_legal = is_since_6_4(analysis->capture->metadata.release);
	suspect->release_known = isdigit((unsigned char)*analysis->capture->metadata.release);
	err = pages_init(&suspect->pages);
	if (err) {
		suspect_close(suspect);
		return err;
	}
	*result = suspect;
	return 0;
}

void suspect_close(struct suspect *suspect)
{
	if (!suspect)
		return;
	pages_deinit(&suspect->pages);
	free(suspect);
}

static struct finding describe(enum finding_kind kind, const struct event *event)
{
	return (struct finding){
		.kind = kind,
		.cache = CACHE_NONE,
		.free_cache = CACHE_NONE,
		.address = event->pointer,
		.task = event->task,
		.cpu = event->cpu,
		.requested = event->requested,
		.allocated = event->allocated,
		.gfp = event->gfp,
	};
}

/* Of an object as it was allocated. */
static void describe_object(const struct suspect *suspect, struct finding *found,
			    const struct heap_block *block)
{
	found->alloc_site = suspect->analysis->groups[block->group].key;
	found->alloc_time = block->time;
	found->alloc_task = block->task;
	found->alloc_cpu = block->cpu;
	found->requested = block->requested;
	found->allocated = block->allocated;
	found->cache = block->cache;
}

static bool is_live(const struct heap_block *block)
{
	return block && !(block->flags & (BLOCK_FREED | BLOCK_LEFT_OUT | BLOCK_BEFORE));
}

/* Allocations. */

static int suspect_overlap(struct suspect *suspect, const struct event *event, uint32_t cache,
			   struct heap_block *beneath)
{
	struct finding found = describe(FINDING_OVERLAP, event);

	if (beneath->flags & BLOCK_OVERLAID)
		return 0;
	beneath->flags |= BLOCK_OVERLAID;
	describe_object(suspect, &found, beneath);
	found.address = event->pointer;
	found.other_site = found.alloc_site;
	found.other_time = beneath->time;
	found.free_cache = beneath->cache;
	found.alloc_site = event->call_site;
	found.alloc_time = event->time;
	found.alloc_task = event->task;
	found.alloc_cpu = event->cpu;
	found.cache = cache;
	found.requested = event->requested;
	found.allocated = event->allocated;
	return heap_findings_add(suspect->analysis->findings, &found, event->time, beneath->time,
				 beneath->cache, 0);
}

/*
 * The page was of another class: nothing of that may live where the new object lies. Here and in
 * find_around() a class is a stride and a phase, whatever the cache: bytes that two live objects
 * would share prove it, of one cache or of two. So objects of several caches that the kernel does
 * not tell apart are judged as any; a missed free of one of them makes all of them doubtful.
 */
static int look_beneath(struct suspect *suspect, const struct event *event, uint32_t cache,
			const struct page *page)
{
	uint64_t end = event->pointer + event->allocated, at, inside;
	uint64_t page_end = (event->pointer | (PAGE_BYTES - 1)) + 1;
	const struct heap *heap = &suspect->analysis->heap;
	int err = 0;

	/* of what follows the page, another one tells */
	if (end > page_end)
		end = page_end;
	/* from the object that holds the first byte on */
	inside = page_inside(page, event->pointer);
	at = event->pointer - inside;
	while (at < end && inside <= event->pointer && !err) {
		struct heap_block *beneath = heap_find(heap, at);

		if (at != event->pointer && is_live(beneath) && beneath->allocated == page->stride)
			err = suspect_overlap(suspect, event, cache, beneath);
		at = end - at > page->stride ? at + page->stride : end;
	}
	return err;
}

/* The page is about to become one of another class. */
static void forget_plain(const struct heap *heap, uint64_t address, struct page *page)
{
	uint64_t begin = address & ~(uint64_t)(PAGE_BYTES - 1);

	if (!page->has_plain)
		return;
	page->has_plain = false;
	for (uint64_t at = page->phase; at < PAGE_BYTES; at += page->stride) {
		struct heap_block *block = heap_find(heap, begin + at);

		if (block)
			block->flags &= (uint16_t)~BLOCK_PLAIN;
	}
}

static bool has_class(const struct suspect *suspect, const struct event *event, uint32_t cache)
{
	return event->allocated >= STRIDE_MIN && event->allocated <= STRIDE_MAX &&
	       !suspect->analysis->caches[cache].is_large;
}

static int suspect_short(struct suspect *suspect, const struct event *event, uint32_t cache)
{
	struct finding found = describe(FINDING_SHORT_ALLOCATION, event);

	found.alloc_site = event->call_site;
	found.alloc_time = event->time;
	found.alloc_task = event->task;
	found.alloc_cpu = event->cpu;
	found.cache = cache;
	return heap_findings_add_plain(suspect->analysis->findings, &found, event->time,
				       CERTAINTY_CERTAIN);
}

int suspect_unlike_allocation(struct suspect *suspect, const struct event *event, uint32_t cache)
{
	struct page *page;
	uint32_t phase;
	int err = 0;

	if ((event->id == KMT_KMALLOC || event->id == KMT_UNNAMED_ALLOC) &&
	    event->allocated < event->requested && event->requested != KMT_SIZE_MAX)
		err = suspect_short(suspect, event, cache);
	if (err || !has_class(suspect, event, cache))
		return err;
	page = pages_find(&suspect->pages, event->pointer);
	if (!page)
		page = pages_add(&suspect->pages, event->pointer);
	if (!page)
		return -ENOMEM;
	phase = page_phase(event->pointer, event->allocated);
	if (page->stride == event->allocated && page->phase == phase)
		return 0;
	if (page->stride) {
		err = look_beneath(suspect, event, cache, page);
		forget_plain(&suspect->analysis->heap, event->pointer, page);
		page->changed = true;
	}
	page->stride = event->allocated;
	page->phase = phase;
	return err;
}

int suspect_failure(struct suspect *suspect, const struct event *event, uint32_t cache)
{
	struct finding found = describe(FINDING_FAILED_ALLOCATION, event);

	found.alloc_site = event->call_site;
	found.cache = event->id == KMT_KMALLOC ? CACHE_NONE : cache;
	return heap_findings_add_plain(suspect->analysis->findings, &found, event->time,
				       CERTAINTY_LEGAL);
}

int suspect_missed(struct suspect *suspect, const struct event *event,
		   const struct heap_block *block)
{
	struct finding found = describe(FINDING_MISSED_FREE, event);

	describe_object(suspect, &found, block);
	found.other_site = event->call_site;
	found.other_time = event->time;
	return heap_findings_add(suspect->analysis->findings, &found, event->time, block->time,
				 block->cache, REASON_GUESS);
}

/* Frees. */

static struct finding describe_free(const struct suspect *suspect, enum finding_kind kind,
				    const struct event *event, uint32_t cache,
				    const struct heap_block *block)
{
	struct finding found = describe(kind, event);

	describe_object(suspect, &found, block);
	found.free_site = event->call_site;
	found.free_cache = cache;
	return found;
}

static uint32_t reasons_of(const struct event *event)
{
	return event_is_rescued(event) ? REASON_RESCUED : 0;
}

/* Of what the kernel does not name: that it was taken by name from one of kmalloc's caches. */
static bool may_be_kmallocs(const struct analysis_cache *object)
{
	uint32_t size = object->size;

	return object->is_unnamed && object->object_size == size &&
	       (size == 96 || size == 192 || !(size & (size - 1)));
}

static int suspect_kfree(struct suspect *suspect, const struct event *event,
			 const struct heap_block *block)
{
	const struct analysis_cache *object = &suspect->analysis->caches[block->cache];
	bool guessed = !suspect->release_known || may_be_kmallocs(object);
	struct finding found;

	if (object->is_kmalloc || (!object->cache && !object->is_unnamed))
		return 0;
	found = describe_free(suspect, FINDING_CACHE_KFREED, event, CACHE_NONE, block);
	if (suspect->kfree_of_cache_is_legal)
		return heap_findings_add_plain(suspect->analysis->findings, &found, event->time,
					       CERTAINTY_LEGAL);
	return heap_findings_add(suspect->analysis->findings, &found, event->time, block->time,
				 block->cache, reasons_of(event) | (guessed ? REASON_GUESS : 0));
}

/* What a free to the named cache is; NULL: to one that the kernel does not tell. */
static enum finding_kind kind_of_cache_free(const struct analysis_cache *object,
					    const struct analysis_cache *named)
{
	if (object->is_kmalloc) {
		/*
		 * A hardened kernel tells the object's own cache (cache_from_obj() in mm/slub.c):
		 * one of kmalloc's is as wrong, unless the object was taken from it by name.
		 */
		if (object->cache && (!named || named->is_kmalloc))
			return FINDING_KIND_COUNT;
		return FINDING_KMALLOC_TO_CACHE;
	}
	if (!named || !object->cache || object->cache->address == named->cache->address ||
	    !strcmp(object->name, named->name))
		return FINDING_KIND_COUNT;
	return FINDING_WRONG_CACHE;
}

int suspect_unlike_free(struct suspect *suspect, const struct event *event, uint32_t cache,
			const struct heap_block *block)
{
	const struct analysis_cache *object = &suspect->analysis->caches[block->cache];
	const struct analysis_cache *named = NULL;
	uint32_t reasons = reasons_of(event);
	enum finding_kind kind;
	struct finding found;

	if (event_is_kfree(event))
		return suspect_kfree(suspect, event, block);
	if (cache != CACHE_NONE)
		named = &suspect->analysis->caches[cache];
	if (named && !named->cache)
		return 0;
	kind = kind_of_cache_free(object, named);
	if (kind == FINDING_KIND_COUNT)
		return 0;
	/* A kernel that tells a name by its address: another name may lie there by now. */
	if (kind == FINDING_WRONG_CACHE && !named->size)
		reasons |= REASON_GUESS;
	if (block->flags & BLOCK_REPLACES) /* it may be that one's, told late */
		reasons |= REASON_GUESS;
	found = describe_free(suspect, kind, event, cache, block);
	return heap_findings_add(suspect->analysis->findings, &found, event->time, block->time,
				 block->cache, reasons);
}

static int suspect_double(struct suspect *suspect, const struct event *event, uint32_t cache,
			  const struct heap_block *freed)
{
	struct finding found = describe_free(suspect, FINDING_DOUBLE_FREE, event, cache, freed);
	uint32_t reasons = reasons_of(event);

	if (freed->flags & BLOCK_RESCUED)
		reasons |= REASON_RESCUED;
	/* its first free may be that of what lay here before, told late */
	if (freed->flags & (BLOCK_UNNAMED | BLOCK_REPLACES))
		reasons |= REASON_GUESS;
	/* of a freed block, these are of its free */
	found.other_site = suspect->analysis->sites[freed->requested].address;
	found.other_time = freed->time;
	found.alloc_time = 0;
	found.alloc_task = 0;
	found.alloc_cpu = freed->cpu;
	found.requested = 0;
	return heap_findings_add(suspect->analysis->findings, &found, event->time, freed->time,
				 freed->cache, reasons);
}

/* The live object that the address lies inside of, or NULL. */
static const struct heap_block *find_around(const struct suspect *suspect, uint64_t address)
{
	const struct page *page = pages_find(&suspect->pages, address);
	const struct heap_block *block;
	uint64_t inside;

	if (!page || !page->stride)
		return NULL;
	inside = page_inside(page, address);
	if (!inside || inside > address)
		return NULL;
	block = heap_find(&suspect->analysis->heap, address - inside);
	return is_live(block) && block->allocated == page->stride ? block : NULL;
}

/* The allocation of the struct kmem_cache itself, if this capture saw it; or NULL. */
static const struct heap_block *find_birth(const struct suspect *suspect, uint32_t cache)
{
	const struct analysis_cache *named;
	const struct heap_block *block;

	if (cache == CACHE_NONE)
		return NULL;
	named = &suspect->analysis->caches[cache];
	if (!named->cache || named->is_kmalloc)
		return NULL;
	block = heap_find(&suspect->analysis->heap, named->cache->address);
	if (!block || block->flags & BLOCK_FREED ||
	    strcmp(suspect->analysis->caches[block->cache].name, "kmem_cache") != 0)
		return NULL;
	return block;
}

static int suspect_unknown(struct suspect *suspect, const struct event *event, uint32_t cache)
{
	struct finding found = describe(FINDING_UNKNOWN_FREE, event);
	const struct heap_block *birth = find_birth(suspect, cache);
	const struct page *page = pages_find(&suspect->pages, event->pointer);

	found.free_site = event->call_site;
	found.free_cache = cache;
	if (birth)
		return heap_findings_add(suspect->analysis->findings, &found, event->time,
					 birth->time, cache, reasons_of(event));
	if (page && page->changed)
		return heap_findings_add(suspect->analysis->findings, &found, event->time,
					 suspect->analysis->begin, cache,
					 reasons_of(event) | REASON_GUESS);
	return 0;
}

int suspect_unmatched(struct suspect *suspect, const struct event *event, uint32_t cache,
		      const struct heap_block *block)
{
	const struct heap_block *around;
	struct finding found;

	if (block && block->flags & (BLOCK_LEFT_OUT | BLOCK_BEFORE))
		return 0;
	if (block)
		return suspect_double(suspect, event, cache, block);
	around = find_around(suspect, event->pointer);
	if (!around)
		return suspect_unknown(suspect, event, cache);
	found = describe_free(suspect, FINDING_INTERIOR_FREE, event, cache, around);
	return heap_findings_add(suspect->analysis->findings, &found, event->time, around->time,
				 around->cache, reasons_of(event));
}
