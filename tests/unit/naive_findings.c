// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The findings of a small trace, by plain loops over all earlier events. */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "kernel/record.h"
#include "tests/unit/naive.h"

#define PAGE 4096
#define SLAB_MAX 8192	 /* bytes: a larger kmalloc() is not in a slab */
#define OBJECT_MAX 65536 /* bytes: a larger cache object is taken for an error */
#define FREED_MAX 65536	 /* freed objects that are remembered */

_Static_assert(NAIVE_EVENTS_MAX < FREED_MAX, "no freed object is forgotten");

static struct naive_case *add_case(struct naive *naive, enum finding_kind kind,
				   const struct naive_event *event)
{
	struct naive_case *new;

	assert(naive->case_count < NAIVE_CASES_MAX);
	new = &naive->cases[naive->case_count++];
	new->finding.kind = kind;
	new->finding.certainty = CERTAINTY_POSSIBLE;
	new->finding.count = 1;
	new->event = event;
	new->finding.address = event->pointer;
	new->finding.first_time = new->finding.last_time = event->time;
	return new;
}

/* The allocation and its cache. */
static void set_object(struct naive_case *one, const struct naive_event *object)
{
	one->finding.alloc_site = object->site;
	strcpy(one->finding.cache, object->cache_name);
	one->begin = object->time;
	strcpy(one->blamed_cache, object->cache_name);
	one->depends_on_losses = true;
}

static void set_free(struct naive_case *one, const struct naive_event *event)
{
	one->finding.free_site = event->site;
	strcpy(one->finding.free_cache, event->cache_name);
	if (naive_is_from_backup(event))
		one->reasons |= REASON_FROM_BACKUP;
}

/* Bytes from one object to the next in its slab; 0: unknown, or not in a slab. */
static uint64_t stride_of(const struct naive_event *object)
{
	uint64_t max = object->id == KMT_KMALLOC ? SLAB_MAX : OBJECT_MAX;

	return object->allocated <= max ? object->allocated : 0;
}

static struct naive_page *find_page(struct naive *naive, uint64_t address)
{
	for (size_t i = 0; i < naive->page_count; i++)
		if (naive->pages[i].number == address / PAGE)
			return &naive->pages[i];
	return NULL;
}

static void check_overlaps(struct naive *naive, const struct naive_event *event,
			   const struct naive_page *page)
{
	uint64_t end = event->pointer + event->allocated, at = event->pointer;

	/* the layout is of this page only */
	if (end > (page->number + 1) * PAGE)
		end = (page->number + 1) * PAGE;
	/* in the order of addresses */
	for (at = at > page->stride ? at - page->stride + 1 : 1; at < end; at++) {
		struct naive_event *beneath = naive_live(naive, at);
		struct naive_case *one;

		if (!beneath || at == event->pointer || stride_of(beneath) != page->stride ||
		    at % page->stride != page->phase || beneath->overlap_reported || beneath->own)
			continue;
		beneath->overlap_reported = true;
		one = add_case(naive, FINDING_OVERLAP, event);
		set_object(one, event);
		one->finding.other_site = beneath->site;
		strcpy(one->finding.free_cache, beneath->cache_name);
		one->begin = beneath->time;
		strcpy(one->blamed_cache, beneath->cache_name);
	}
}

static void check_page(struct naive *naive, const struct naive_event *event)
{
	struct naive_page *page = find_page(naive, event->pointer);
	uint64_t stride = stride_of(event);
	bool changes;

	if (!stride || event->own)
		return;
	changes = page && (page->stride != stride || page->phase != event->pointer % stride);
	if (changes)
		check_overlaps(naive, event, page);
	if (!page)
		page = &naive->pages[naive->page_count++];
	page->number = event->pointer / PAGE;
	page->stride = stride;
	page->phase = event->pointer % stride;
	page->changed |= changes;
}

void naive_check_allocation(struct naive *naive, struct naive_event *event)
{
	const struct naive_event *old = naive_live(naive, event->pointer);
	struct naive_case *one;

	if (!naive_has_object(event)) {
		if (event->own)
			return;
		one = add_case(naive, FINDING_FAILED_ALLOCATION, event);
		one->finding.certainty = CERTAINTY_LEGAL;
		one->finding.alloc_site = event->site;
		one->finding.gfp = event->gfp;
		if (event->id != KMT_KMALLOC)
			strcpy(one->finding.cache, event->cache_name);
		return;
	}
	if (old && !old->own) {
		one = add_case(naive, FINDING_MISSED_FREE, event);
		set_object(one, old);
		one->finding.other_site = event->site;
		one->reasons |= REASON_GUESS;
	}
	check_page(naive, event);
	if ((event->id == KMT_KMALLOC || event->id == KMT_ANONYMOUS_ALLOC) &&
	    event->allocated < event->requested && event->requested != KMT_SIZE_MAX &&
	    !event->own) {
		one = add_case(naive, FINDING_SHORT_ALLOCATION, event);
		one->finding.certainty = CERTAINTY_CERTAIN;
		one->finding.alloc_site = event->site;
		strcpy(one->finding.cache, event->cache_name);
	}
}

void naive_withdraw_missed(struct naive *naive, const struct naive_event *event)
{
	for (size_t i = 0; i < naive->case_count; i++)
		if (naive->cases[i].finding.kind == FINDING_MISSED_FREE &&
		    naive->cases[i].event == event)
			naive->cases[i].withdrawn = true;
}

static bool is_kfree(const struct naive_event *event)
{
	return event->id == KMT_KFREE || event->id == KMT_BACKUP_KFREE ||
	       (event->id == KMT_BULK_FREE && !event->cache_address);
}

/* Did it get the address of an object whose free an old kernel can report with a delay? */
static bool replaces_anonymous(const struct naive_event *object)
{
	return object->replaced && object->replaced->id == KMT_ANONYMOUS_ALLOC;
}

/* Is it of an anonymous cache with the sizes of a kmalloc cache? */
static bool can_be_kmalloc_cache(const struct naive_event *object)
{
	unsigned int object_size, size;
	uint64_t power = 1;

	if (sscanf(object->cache_name, NAIVE_ANONYMOUS "%u/%u", &object_size, &size) != 2 ||
	    object_size != size)
		return false;
	while (power < size)
		power *= 2;
	return power == size || !size || size == 96 || size == 192;
}

/* Is it a free by the wrong function, or to the wrong cache? */
static void check_kind(struct naive *naive, const struct naive_event *object,
		       const struct naive_event *event)
{
	const struct naive_trace *trace = naive->trace;
	bool from_kmalloc = naive_is_kmalloc_name(object->cache_name);
	struct naive_case *one;

	if (is_kfree(event)) {
		if (from_kmalloc || (object->id != KMT_ANONYMOUS_ALLOC && !object->cache))
			return;
		one = add_case(naive, FINDING_CACHE_KFREED, event);
		set_object(one, object);
		/* it can be from a kmalloc cache, by kmem_cache_alloc() */
		if (can_be_kmalloc_cache(object))
			one->reasons |= REASON_GUESS;
		if (trace->major > 6 || (trace->major == 6 && trace->minor >= 4)) {
			one->finding.certainty = CERTAINTY_LEGAL;
			one->depends_on_losses = false;
		}
	} else if (!event->cache_address) {
		/* the cache is unknown: wrong for any object of kmalloc() */
		if (object->id != KMT_KMALLOC)
			return;
		one = add_case(naive, FINDING_KMALLOC_TO_CACHE, event);
		set_object(one, object);
	} else if (!event->cache) {
		return;
	} else if (from_kmalloc) {
		/* a hardened kernel reports the object's cache, not the caller's */
		if (object->id != KMT_KMALLOC && naive_is_kmalloc_name(event->cache->name))
			return;
		one = add_case(naive, FINDING_KMALLOC_TO_CACHE, event);
		set_object(one, object);
	} else {
		if (!object->cache || object->cache->address == event->cache->address ||
		    !strcmp(object->cache->name, event->cache->name))
			return;
		one = add_case(naive, FINDING_WRONG_CACHE, event);
		set_object(one, object);
		/* only the name's address is known: the name can have changed */
		if (!event->cache->size)
			one->reasons |= REASON_GUESS;
	}
	set_free(one, event);
	if (!is_kfree(event) && replaces_anonymous(object))
		one->reasons |= REASON_GUESS;
	if (!one->depends_on_losses)
		one->reasons = 0;
}

/* The free of an object at the address, if the address was not allocated again. */
static const struct naive_event *find_first_free(const struct naive *naive, uint64_t address)
{
	for (size_t i = 0; i < naive->count; i++)
		if (naive->order[i]->freed && naive->order[i]->pointer == address)
			return naive->order[i];
	return NULL;
}

/* The live object that contains the address, if the layout of its page is known. */
static const struct naive_event *find_around(struct naive *naive, uint64_t address)
{
	const struct naive_page *page = find_page(naive, address);
	const struct naive_event *object;
	uint64_t into;

	if (!page)
		return NULL;
	into = (address + page->stride - page->phase) % page->stride;
	object = into ? naive_live(naive, address - into) : NULL;
	return object && stride_of(object) == page->stride && !object->own ? object : NULL;
}

/* The allocation of the struct kmem_cache that a free names. */
static const struct naive_event *find_cache_creation(const struct naive *naive,
						     const struct naive_event *event)
{
	const struct naive_event *creation;

	if (is_kfree(event) || !event->cache || naive_is_kmalloc_name(event->cache->name))
		return NULL;
	creation = naive_live(naive, event->cache_address);
	return creation && creation->cache && !strcmp(creation->cache->name, "kmem_cache")
		       ? creation
		       : NULL;
}

static void check_unmatched(struct naive *naive, const struct naive_event *event)
{
	const struct naive_event *first = find_first_free(naive, event->pointer);
	const struct naive_event *around = find_around(naive, event->pointer);
	const struct naive_event *creation = find_cache_creation(naive, event);
	const struct naive_page *page = find_page(naive, event->pointer);
	struct naive_case *one;

	if (first) {
		one = add_case(naive, FINDING_DOUBLE_FREE, event);
		set_object(one, first->object);
		one->finding.other_site = first->site;
		one->begin = first->time;
		if (naive_is_from_backup(first))
			one->reasons |= REASON_FROM_BACKUP;
		/* the first free can be a delayed report about another object */
		if (first->object->id == KMT_ANONYMOUS_ALLOC || replaces_anonymous(first->object))
			one->reasons |= REASON_GUESS;
	} else if (around) {
		one = add_case(naive, FINDING_INTERIOR_FREE, event);
		set_object(one, around);
	} else if (creation) {
		one = add_case(naive, FINDING_UNKNOWN_FREE, event);
		one->depends_on_losses = true;
		one->begin = creation->time;
		strcpy(one->blamed_cache, event->cache_name);
	} else if (page && page->changed) {
		one = add_case(naive, FINDING_UNKNOWN_FREE, event);
		one->depends_on_losses = true;
		one->begin = naive->trace->begin;
		one->reasons |= REASON_GUESS;
	} else {
		return;
	}
	set_free(one, event);
}

void naive_check_free(struct naive *naive, struct naive_event *event)
{
	const struct naive_event *object = naive_live(naive, event->pointer);

	if (!object)
		check_unmatched(naive, event);
	else if (!object->own)
		check_kind(naive, object, event);
}

static bool any_touches(const struct naive_span *spans, size_t count, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < count; i++)
		if (spans[i].after <= end && spans[i].before >= begin)
			return true;
	return false;
}

/* Anonymous caches with the same distance between objects can be one cache. */
static bool can_be_same_cache(const char *cache, const char *other)
{
	if (!strncmp(cache, NAIVE_ANONYMOUS, strlen(NAIVE_ANONYMOUS)) &&
	    !strncmp(other, NAIVE_ANONYMOUS, strlen(NAIVE_ANONYMOUS)))
		return !strcmp(strchr(cache, '/'), strchr(other, '/'));
	return !strcmp(cache, other);
}

static bool missed_frees(const struct naive *naive, const char *cache)
{
	for (size_t i = 0; i < naive->cache_count; i++)
		if (can_be_same_cache(naive->caches[i].key, cache) && naive->caches[i].missed_frees)
			return true;
	return false;
}

/* The reasons why events that were not recorded can explain the case. */
static uint32_t find_reasons(const struct naive *naive, const struct naive_case *one)
{
	const struct naive_trace *trace = naive->trace;
	uint64_t end = one->finding.first_time;
	uint32_t reasons = one->reasons;

	if (any_touches(naive->lost, naive->lost_count, one->begin, end))
		reasons |= REASON_LOST;
	if (any_touches(trace->skips, trace->skip_count, one->begin, end) ||
	    (trace->skipped && !trace->skip_count))
		reasons |= REASON_SKIPPED;
	if (!trace->skips_known)
		reasons |= REASON_SKIPS_UNKNOWN;
	if (missed_frees(naive, one->blamed_cache))
		reasons |= REASON_MISSED;
	if (trace->unobserved)
		reasons |= REASON_UNOBSERVED;
	if (naive->totals.unknown)
		reasons |= REASON_UNKNOWN;
	if (trace->filtered)
		reasons |= REASON_TRACED_SOME;
	if (one->begin < trace->attached)
		reasons |= REASON_ATTACHING;
	return reasons;
}

static bool is_same(const struct naive_finding *a, const struct naive_finding *b)
{
	return a->kind == b->kind && a->gfp == b->gfp && a->alloc_site == b->alloc_site &&
	       a->free_site == b->free_site && a->other_site == b->other_site &&
	       !strcmp(a->cache, b->cache) && !strcmp(a->free_cache, b->free_cache);
}

static void add_to_findings(struct naive *naive, const struct naive_finding *one)
{
	struct naive_finding *entry;

	for (size_t i = 0; i < naive->finding_count; i++) {
		entry = &naive->findings[i];
		if (!is_same(entry, one))
			continue;
		if (one->certainty > entry->certainty)
			entry->certainty = one->certainty;
		entry->count++;
		entry->certain += one->certain;
		entry->reasons |= one->reasons;
		entry->last_time = one->last_time;
		/* of cases at the same time, the lowest address is described */
		if (one->first_time == entry->first_time && one->address < entry->address)
			entry->address = one->address;
		return;
	}
	naive->findings[naive->finding_count++] = *one;
}

void naive_classify(struct naive *naive)
{
	for (size_t i = 0; i < naive->case_count; i++) {
		struct naive_case *one = &naive->cases[i];

		if (one->withdrawn)
			continue;
		if (one->depends_on_losses) {
			one->finding.reasons = find_reasons(naive, one);
			if (!one->finding.reasons)
				one->finding.certainty = CERTAINTY_CERTAIN;
		}
		one->finding.certain = one->finding.certainty == CERTAINTY_CERTAIN;
		add_to_findings(naive, &one->finding);
	}
}
