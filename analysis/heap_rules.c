// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rules of correct heap use. A correct kernel seems to break most of them if some events were
 * not recorded: each case has the time since which all events must be recorded for it to be
 * certain.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/heap_findings.h"
#include "analysis/heap_rules.h"

/*
 * Bytes of the slab objects that the rules about pages check: FINDING_OVERLAP,
 * FINDING_INTERIOR_FREE and the changed pages of FINDING_UNKNOWN_FREE. Larger slab objects are not
 * checked: a kernel with pages of 64 KiB has kmalloc-128k.
 */
#define STRIDE_MIN 8
#define STRIDE_MAX 65536

/*
 * kfree() of a kmem_cache object is legal since Linux 6.4, which removed SLOB: SLOB could not do
 * it. Offline only the release is known: the answer is wrong for an older release that has the
 * change backported.
 */
static bool is_since_6_4(const char *release)
{
	unsigned long major, minor;
	char *end;

	major = strtoul(release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 6 || (major == 6 && minor >= 4);
}

int heap_rules_open(struct heap_rules **result, struct analysis *analysis)
{
	struct heap_rules *heap_rules = calloc(1, sizeof(*heap_rules));
	int err;

	if (!heap_rules)
		return -ENOMEM;
	heap_rules->analysis = analysis;
	heap_rules->kfree_of_cache_is_legal = is_since_6_4(analysis->capture->metadata.release);
	heap_rules->release_known = isdigit((unsigned char)*analysis->capture->metadata.release);
	err = slab_pages_init(&heap_rules->pages);
	if (err) {
		heap_rules_close(heap_rules);
		return err;
	}
	*result = heap_rules;
	return 0;
}

void heap_rules_close(struct heap_rules *heap_rules)
{
	if (!heap_rules)
		return;
	slab_pages_deinit(&heap_rules->pages);
	free(heap_rules);
}

static struct heap_finding describe_event(enum finding_kind kind, const struct event *event)
{
	return (struct heap_finding){
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

/* Describes the allocation of a live object. */
static void describe_live(const struct heap_rules *heap_rules, struct heap_finding *found,
			  const struct slab_object *object)
{
	found->alloc_site = heap_rules->analysis->groups[object->group].key;
	found->alloc_time = object->time;
	found->alloc_task = object->task;
	found->alloc_cpu = object->cpu;
	found->requested = object->requested;
	found->allocated = object->allocated;
	found->cache = object->cache;
}

/*
 * Describes a freed object and its first free. The time, the task and the requested size of the
 * allocation are unknown: struct slab_object has data of the free in their place.
 */
static void describe_freed(const struct heap_rules *heap_rules, struct heap_finding *found,
			   const struct slab_object *freed)
{
	found->alloc_site = heap_rules->analysis->groups[freed->group].key;
	found->other_site = heap_rules->analysis->sites[freed->freed.site].address;
	found->other_time = freed->freed.time;
	found->requested = 0;
	found->allocated = freed->allocated;
	found->cache = freed->cache;
}

static bool is_live(const struct slab_object *object)
{
	return object && !(object->flags & (OBJECT_FREED | OBJECT_LEFT_OUT | OBJECT_PREWINDOW));
}

/* Allocations. */

static int report_overlap(struct heap_rules *heap_rules, const struct event *event, uint32_t cache,
			  struct slab_object *beneath)
{
	struct heap_finding found = describe_event(FINDING_OVERLAP, event);

	if (beneath->flags & OBJECT_OVERLAP_REPORTED)
		return 0;
	beneath->flags |= OBJECT_OVERLAP_REPORTED;
	describe_live(heap_rules, &found, beneath);
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
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time, beneath->time,
				 beneath->cache, 0);
}

/*
 * The page had another stride or phase: report its live objects that the new object overlaps. Here
 * and in find_around() the cache does not matter, only stride and phase: two live objects that
 * share bytes prove an overlap, in one cache or in two. So objects of anonymous caches are checked
 * as all others; a missed free of one of them makes findings about all of them possible only.
 */
static int check_overlaps(struct heap_rules *heap_rules, const struct event *event, uint32_t cache,
			  const struct slab_page *page)
{
	uint64_t end = event->pointer + event->allocated, at, inside;
	uint64_t page_end = (event->pointer | (PAGE_BYTES - 1)) + 1;
	const struct object_table *objects = &heap_rules->analysis->objects;
	int err = 0;

	/* the next page has its own stride and phase */
	if (end > page_end)
		end = page_end;
	/* start at the object that contains the first byte */
	inside = slab_page_offset(page, event->pointer);
	at = event->pointer - inside;
	while (at < end && inside <= event->pointer && !err) {
		struct slab_object *beneath = object_table_find(objects, at);

		if (at != event->pointer && is_live(beneath) && beneath->allocated == page->stride)
			err = report_overlap(heap_rules, event, cache, beneath);
		at = end - at > page->stride ? at + page->stride : end;
	}
	return err;
}

/* The page is about to change its stride or phase. */
static void clear_matches(const struct object_table *objects, uint64_t address,
			  struct slab_page *page)
{
	uint64_t begin = address & ~(uint64_t)(PAGE_BYTES - 1);

	if (!page->has_matches)
		return;
	page->has_matches = false;
	for (uint64_t at = page->phase; at < PAGE_BYTES; at += page->stride) {
		struct slab_object *object = object_table_find(objects, begin + at);

		if (object)
			object->flags &= (uint16_t)~OBJECT_MATCHES_PAGE;
	}
}

static bool is_in_slab(const struct heap_rules *heap_rules, const struct event *event,
		       uint32_t cache)
{
	return event->allocated >= STRIDE_MIN && event->allocated <= STRIDE_MAX &&
	       !heap_rules->analysis->caches[cache].is_large;
}

static int report_short(struct heap_rules *heap_rules, const struct event *event, uint32_t cache)
{
	struct heap_finding found = describe_event(FINDING_SHORT_ALLOCATION, event);

	found.alloc_site = event->call_site;
	found.alloc_time = event->time;
	found.alloc_task = event->task;
	found.alloc_cpu = event->cpu;
	found.cache = cache;
	return heap_findings_add_classified(heap_rules->analysis->findings, &found, event->time,
					    CERTAINTY_CERTAIN);
}

int heap_rules_check_new_page(struct heap_rules *heap_rules, const struct event *event,
			      uint32_t cache)
{
	struct slab_page *page;
	uint32_t phase;
	int err = 0;

	if (event_is_one_of(event, RECORD_KINDS_WITH(RECORD_ALLOCATION | RECORD_SIZES)) &&
	    event->allocated < event->requested && event->requested != KMT_SIZE_MAX)
		err = report_short(heap_rules, event, cache);
	if (err || !is_in_slab(heap_rules, event, cache))
		return err;
	page = slab_pages_find(&heap_rules->pages, event->pointer);
	if (!page)
		page = slab_pages_add(&heap_rules->pages, event->pointer);
	if (!page)
		return -ENOMEM;
	phase = slab_page_phase(event->pointer, event->allocated);
	if (page->stride == event->allocated && page->phase == phase)
		return 0;
	if (page->stride) {
		err = check_overlaps(heap_rules, event, cache, page);
		clear_matches(&heap_rules->analysis->objects, event->pointer, page);
		page->changed = true;
	}
	page->stride = event->allocated;
	page->phase = phase;
	return err;
}

int heap_rules_check_failed(struct heap_rules *heap_rules, const struct event *event,
			    uint32_t cache)
{
	struct heap_finding found = describe_event(FINDING_FAILED_ALLOCATION, event);

	found.alloc_site = event->call_site;
	found.cache = event->id == KMT_KMALLOC ? CACHE_NONE : cache;
	return heap_findings_add_classified(heap_rules->analysis->findings, &found, event->time,
					    CERTAINTY_LEGAL);
}

int heap_rules_check_missed(struct heap_rules *heap_rules, const struct event *event,
			    const struct slab_object *object)
{
	struct heap_finding found = describe_event(FINDING_MISSED_FREE, event);

	describe_live(heap_rules, &found, object);
	found.other_site = event->call_site;
	found.other_time = event->time;
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time, object->time,
				 object->cache, REASON_GUESS);
}

/* Frees. */

/* A free of the live object. */
static struct heap_finding describe_free(const struct heap_rules *heap_rules,
					 enum finding_kind kind, const struct event *event,
					 uint32_t cache, const struct slab_object *object)
{
	struct heap_finding found = describe_event(kind, event);

	describe_live(heap_rules, &found, object);
	found.free_site = event->call_site;
	found.free_cache = cache;
	return found;
}

static uint32_t event_reasons(const struct event *event)
{
	return event_is_from_backup(event) ? REASON_FROM_BACKUP : 0;
}

/* Can the object of an anonymous cache come from a kmalloc cache, by kmem_cache_alloc()? */
static bool can_be_kmalloc_cache(const struct analysis_cache *object_cache)
{
	uint32_t size = object_cache->size;

	return object_cache->is_anonymous && object_cache->object_size == size &&
	       (size == 96 || size == 192 || !(size & (size - 1)));
}

static int check_kfree(struct heap_rules *heap_rules, const struct event *event,
		       const struct slab_object *object)
{
	const struct analysis_cache *object_cache = &heap_rules->analysis->caches[object->cache];
	bool is_guess = !heap_rules->release_known || can_be_kmalloc_cache(object_cache);
	struct heap_finding found;

	if (object_cache->is_kmalloc || (!object_cache->cache && !object_cache->is_anonymous))
		return 0;
	found = describe_free(heap_rules, FINDING_CACHE_KFREED, event, CACHE_NONE, object);
	if (heap_rules->kfree_of_cache_is_legal)
		return heap_findings_add_classified(heap_rules->analysis->findings, &found,
						    event->time, CERTAINTY_LEGAL);
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time, object->time,
				 object->cache,
				 event_reasons(event) | (is_guess ? REASON_GUESS : 0));
}

/* named: the cache that kmem_cache_free() names, NULL if unknown. FINDING_KIND_COUNT: no finding.
 */
static enum finding_kind cache_free_kind(const struct analysis_cache *object_cache,
					 const struct analysis_cache *named)
{
	if (object_cache->is_kmalloc) {
		/*
		 * With CONFIG_SLAB_FREELIST_HARDENED, or with the consistency checks of
		 * slab_debug=F, the kernel reports the object's own cache instead of the named one
		 * (cache_from_obj() in mm/slub.c): a kmalloc cache is a finding too, unless the
		 * object was allocated from it by kmem_cache_alloc().
		 */
		if (object_cache->cache && (!named || named->is_kmalloc))
			return FINDING_KIND_COUNT;
		return FINDING_KMALLOC_TO_CACHE;
	}
	if (!named || !object_cache->cache ||
	    object_cache->cache->address == named->cache->address ||
	    !strcmp(object_cache->name, named->name))
		return FINDING_KIND_COUNT;
	return FINDING_WRONG_CACHE;
}

int heap_rules_check_other_cache(struct heap_rules *heap_rules, const struct event *event,
				 uint32_t cache, const struct slab_object *object)
{
	const struct analysis_cache *object_cache = &heap_rules->analysis->caches[object->cache];
	const struct analysis_cache *named = NULL;
	uint32_t reasons = event_reasons(event);
	enum finding_kind kind;
	struct heap_finding found;

	if (event_is_kfree(event))
		return check_kfree(heap_rules, event, object);
	if (cache != CACHE_NONE)
		named = &heap_rules->analysis->caches[cache];
	if (named && !named->cache)
		return 0;
	kind = cache_free_kind(object_cache, named);
	if (kind == FINDING_KIND_COUNT)
		return 0;
	/* A kernel that reports a cache's name by its address only: the name can have changed. */
	if (kind == FINDING_WRONG_CACHE && !named->size)
		reasons |= REASON_GUESS;
	/*
	 * The address was allocated again while its previous object was live. This can be the
	 * delayed report of the free of the previous object (see delayed_free.h): then it did not
	 * free this object.
	 */
	if (object->flags & OBJECT_REUSED_ADDRESS)
		reasons |= REASON_GUESS;
	found = describe_free(heap_rules, kind, event, cache, object);
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time, object->time,
				 object->cache, reasons);
}

static int report_double_free(struct heap_rules *heap_rules, const struct event *event,
			      uint32_t cache, const struct slab_object *freed)
{
	struct heap_finding found = describe_event(FINDING_DOUBLE_FREE, event);
	uint32_t reasons = event_reasons(event);

	describe_freed(heap_rules, &found, freed);
	found.free_site = event->call_site;
	found.free_cache = cache;
	if (freed->flags & OBJECT_FROM_BACKUP)
		reasons |= REASON_FROM_BACKUP;
	/*
	 * This kernel may report a free after the address was allocated again (see delayed_free.h):
	 * the first free can be that of the previous object at the address, and this event the only
	 * free of the object.
	 */
	if (freed->flags & (OBJECT_CACHE_ANONYMOUS | OBJECT_REUSED_ADDRESS))
		reasons |= REASON_GUESS;
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time,
				 freed->freed.time, freed->cache, reasons);
}

/* The live object that has address inside it, not at its start; or NULL. */
static const struct slab_object *find_around(const struct heap_rules *heap_rules, uint64_t address)
{
	const struct slab_page *page = slab_pages_find(&heap_rules->pages, address);
	const struct slab_object *object;
	uint64_t inside;

	if (!page || !page->stride)
		return NULL;
	inside = slab_page_offset(page, address);
	if (!inside || inside > address)
		return NULL;
	object = object_table_find(&heap_rules->analysis->objects, address - inside);
	return is_live(object) && object->allocated == page->stride ? object : NULL;
}

/* The allocation of the struct kmem_cache itself, if this capture recorded it; or NULL. */
static const struct slab_object *find_cache_creation(const struct heap_rules *heap_rules,
						     uint32_t cache)
{
	const struct analysis_cache *named;
	const struct slab_object *object;

	if (cache == CACHE_NONE)
		return NULL;
	named = &heap_rules->analysis->caches[cache];
	if (!named->cache || named->is_kmalloc)
		return NULL;
	object = object_table_find(&heap_rules->analysis->objects, named->cache->address);
	if (!object || object->flags & OBJECT_FREED ||
	    strcmp(heap_rules->analysis->caches[object->cache].name, "kmem_cache") != 0)
		return NULL;
	return object;
}

static int check_unknown_free(struct heap_rules *heap_rules, const struct event *event,
			      uint32_t cache)
{
	struct heap_finding found = describe_event(FINDING_UNKNOWN_FREE, event);
	const struct slab_object *creation = find_cache_creation(heap_rules, cache);
	const struct slab_page *page = slab_pages_find(&heap_rules->pages, event->pointer);

	found.free_site = event->call_site;
	found.free_cache = cache;
	if (creation)
		return heap_findings_add(heap_rules->analysis->findings, &found, event->time,
					 creation->time, cache, event_reasons(event));
	if (page && page->changed)
		return heap_findings_add(heap_rules->analysis->findings, &found, event->time,
					 heap_rules->analysis->begin, cache,
					 event_reasons(event) | REASON_GUESS);
	return 0;
}

int heap_rules_check_unmatched(struct heap_rules *heap_rules, const struct event *event,
			       uint32_t cache, const struct slab_object *object)
{
	const struct slab_object *around;
	struct heap_finding found;

	if (object && object->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW))
		return 0;
	if (object)
		return report_double_free(heap_rules, event, cache, object);
	around = find_around(heap_rules, event->pointer);
	if (!around)
		return check_unknown_free(heap_rules, event, cache);
	found = describe_free(heap_rules, FINDING_INTERIOR_FREE, event, cache, around);
	return heap_findings_add(heap_rules->analysis->findings, &found, event->time, around->time,
				 around->cache, event_reasons(event));
}
