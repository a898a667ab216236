// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The counters of a small trace by plain loops: the effect of each event, and the sums. */
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/record.h"
#include "tests/unit/naive.h"

#define GFP_DMA 0x1 /* as in the traces' own table of names */
#define GFP_RECLAIMABLE 0x10
#define GFP_ACCOUNT 0x400000
#define SLAB_MAX 8192 /* bytes: a larger kmalloc() is whole pages */

bool naive_is_allocation(const struct naive_event *event)
{
	return event->id == KMT_KMALLOC || event->id == KMT_CACHE_ALLOC ||
	       event->id == KMT_BULK_ALLOC || event->id == KMT_ANONYMOUS_ALLOC;
}

bool naive_is_free(const struct naive_event *event)
{
	return event->id == KMT_KFREE || event->id == KMT_CACHE_FREE ||
	       event->id == KMT_BULK_FREE || naive_is_from_backup(event);
}

bool naive_is_from_backup(const struct naive_event *event)
{
	return event->id == KMT_BACKUP_KFREE || event->id == KMT_BACKUP_CACHE_FREE;
}

bool naive_is_kmalloc_name(const char *name)
{
	return !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
}

bool naive_has_object(const struct naive_event *event)
{
	return event->pointer != 0 && event->pointer != 16;
}

static void kmalloc_name(const struct naive_event *event, char *name)
{
	const char *type = event->gfp & GFP_DMA		  ? "dma-kmalloc"
			   : event->gfp & GFP_RECLAIMABLE ? "kmalloc-rcl"
			   : event->gfp & GFP_ACCOUNT	  ? "kmalloc-cg"
							  : "kmalloc";
	uint32_t size = event->allocated;

	if (size > SLAB_MAX)
		snprintf(name, NAIVE_NAME, "kmalloc-large");
	else if (size && size % 1024 == 0)
		snprintf(name, NAIVE_NAME, "%s-%" PRIu32 "k", type, size / 1024);
	else
		snprintf(name, NAIVE_NAME, "%s-%" PRIu32, type, size);
}

void naive_cache_name(const struct naive_event *event, char *name)
{
	*name = '\0';
	if (event->id == KMT_KMALLOC)
		kmalloc_name(event, name);
	else if (event->id == KMT_ANONYMOUS_ALLOC)
		snprintf(name, NAIVE_NAME, NAIVE_ANONYMOUS "%" PRIu32 "/%" PRIu32, event->requested,
			 event->allocated);
	else if (event->cache)
		snprintf(name, NAIVE_NAME, "%s 0x%" PRIx64 " %" PRIu64, event->cache->name,
			 event->cache->address, event->cache->since);
	else if (event->cache_address)
		snprintf(name, NAIVE_NAME, "0x%" PRIx64, event->cache_address);
}

/*
 * The first cache at an address counts from the beginning. It ends at the time of its destruction,
 * inclusive, or when the next cache at the address is created.
 */
static const struct naive_cache *find_cache(const struct naive_trace *trace, uint64_t address,
					    uint64_t time)
{
	const struct naive_cache *found = NULL;

	for (size_t i = 0; i < trace->cache_count; i++) {
		const struct naive_cache *cache = &trace->caches[i];

		if (cache->address == address && time <= cache->until &&
		    (!found || cache->since <= time))
			found = cache;
	}
	return found;
}

static void prepare_event(const struct naive_trace *trace, struct naive_event *event)
{
	event->own = event->task == trace->own_task && !trace->include_self;
	if (event->id != KMT_KMALLOC && event->cache_address)
		event->cache = find_cache(trace, event->cache_address, event->time);
	if (event->id == KMT_CACHE_ALLOC || event->id == KMT_BULK_ALLOC) {
		event->requested = event->cache ? event->cache->object_size : 0;
		event->allocated = event->cache ? event->cache->size : 0;
	}
	naive_cache_name(event, event->cache_name);
}

static int compare_events(const void *a, const void *b)
{
	const struct naive_event *x = *(struct naive_event *const *)a;
	const struct naive_event *y = *(struct naive_event *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

/*
 * A lost event happened before the first record with a higher number. It did not happen before the
 * eighth record that precedes this record.
 */
static void find_lost_span(struct naive *naive, const struct naive_event *lost)
{
	const struct naive_trace *trace = naive->trace;
	struct naive_span span = { trace->begin, trace->end };
	uint64_t times[NAIVE_EVENTS_MAX];
	size_t before = 0;

	for (size_t i = 0; i < naive->count; i++) {
		if (naive->order[i]->cpu != lost->cpu)
			continue;
		if (naive->order[i]->sequence > lost->sequence) {
			span.before = naive->order[i]->time;
			break;
		}
		times[before++] = naive->order[i]->time;
	}
	if (before >= 8)
		span.after = times[before - 8];
	naive->lost[naive->lost_count++] = span;
}

static void put_in_order(struct naive *naive)
{
	struct naive_trace *trace = naive->trace;

	for (size_t i = 0; i < trace->count; i++) {
		prepare_event(trace, &trace->events[i]);
		if (trace->events[i].id != KMT_NONE)
			naive->order[naive->count++] = &trace->events[i];
	}
	qsort(naive->order, naive->count, sizeof(*naive->order), compare_events);
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].id == KMT_NONE)
			find_lost_span(naive, &trace->events[i]);
	naive->totals.lost = naive->lost_count;
}

struct naive_event *naive_live(const struct naive *naive, uint64_t address)
{
	for (size_t i = 0; i < naive->count; i++)
		if (naive->order[i]->live && naive->order[i]->pointer == address)
			return naive->order[i];
	return NULL;
}

static struct naive_counters *find_counters(struct naive_counters *list, size_t *count,
					    const char *key, uint64_t time)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(list[i].key, key))
			return &list[i];
	snprintf(list[*count].key, sizeof(list[*count].key), "%s", key);
	list[*count].first_time = time;
	return &list[(*count)++];
}

static struct naive_counters *site_of(struct naive *naive, const struct naive_event *event)
{
	char key[NAIVE_NAME];

	snprintf(key, sizeof(key), "0x%" PRIx64, event->site);
	return find_counters(naive->sites, &naive->site_count, key, event->time);
}

static struct naive_counters *cache_of(struct naive *naive, const struct naive_event *event)
{
	return find_counters(naive->caches, &naive->cache_count, event->cache_name, event->time);
}

/* An allocation counts in three sets: in total, for its site and for its cache. */
#define COUNTER_SETS 3

static void counters_of(struct naive *naive, const struct naive_event *event,
			struct naive_counters *counters[COUNTER_SETS])
{
	counters[0] = &naive->all;
	counters[1] = site_of(naive, event);
	counters[2] = cache_of(naive, event);
	for (size_t i = 0; i < COUNTER_SETS; i++)
		counters[i]->allocates = true;
}

static void end_object(struct naive *naive, struct naive_event *object)
{
	struct naive_counters *counters[COUNTER_SETS];

	object->live = false;
	if (object->own)
		return;
	counters_of(naive, object, counters);
	for (size_t i = 0; i < COUNTER_SETS; i++) {
		counters[i]->live_objects--;
		counters[i]->live_bytes -= object->allocated;
	}
}

static void forget_freed(struct naive *naive, uint64_t address)
{
	for (size_t i = 0; i < naive->count; i++)
		if (naive->order[i]->pointer == address)
			naive->order[i]->freed = false;
}

static void take_failure(struct naive *naive, struct naive_event *event)
{
	struct naive_counters *counters[COUNTER_SETS];

	if (event->own) {
		naive->totals.own_allocations++;
		return;
	}
	counters_of(naive, event, counters);
	for (size_t i = 0; i < COUNTER_SETS; i++)
		counters[i]->failed++;
}

static void take_allocation(struct naive *naive, struct naive_event *event)
{
	struct naive_event *old = naive_live(naive, event->pointer);
	struct naive_counters *counters[COUNTER_SETS];

	event->replaced = old;
	if (old) {
		end_object(naive, old);
		if (!old->own) {
			counters_of(naive, old, counters);
			for (size_t i = 0; i < COUNTER_SETS; i++)
				counters[i]->missed_frees++;
		}
	}
	forget_freed(naive, event->pointer);
	event->live = true;
	if (event->own) {
		naive->totals.own_allocations++;
		return;
	}
	counters_of(naive, event, counters);
	for (size_t i = 0; i < COUNTER_SETS; i++) {
		counters[i]->allocations++;
		counters[i]->bytes_requested += event->requested;
		counters[i]->bytes_allocated += event->allocated;
		counters[i]->live_objects++;
		counters[i]->live_bytes += event->allocated;
	}
}

/* Was nothing else allocated on the object's CPU between its allocation and its free? */
static bool is_temporary(const struct naive *naive, const struct naive_event *object,
			 const struct naive_event *event)
{
	bool between = false;

	if (object->cpu != event->cpu || object->task != event->task)
		return false;
	for (size_t i = 0; i < naive->count; i++) {
		const struct naive_event *other = naive->order[i];

		if (other == object)
			between = true;
		else if (other == event)
			return true;
		else if (between && other->cpu == object->cpu && naive_is_allocation(other) &&
			 naive_has_object(other))
			return false;
	}
	return true;
}

static void count_free(struct naive *naive, struct naive_event *event, struct naive_event *object,
		       int64_t by)
{
	struct naive_counters *counters[COUNTER_SETS];

	counters_of(naive, object, counters);
	for (size_t i = 0; i < COUNTER_SETS; i++) {
		counters[i]->frees += by;
		counters[i]->cross_cpu_frees += object->cpu != event->cpu ? by : 0;
		counters[i]->temporary += is_temporary(naive, object, event) ? by : 0;
	}
}

static bool is_cache_free(const struct naive_event *event)
{
	return event->id == KMT_CACHE_FREE || event->id == KMT_BACKUP_CACHE_FREE;
}

/*
 * An old kernel reported allocation, allocation, free and now a second free of one address: the
 * first free was delayed, and freed the first object. last: the second allocation and the first
 * free.
 */
static bool is_delayed(const struct naive *naive, const struct naive_event *event,
		       struct naive_event *last[2])
{
	last[0] = last[1] = NULL;
	for (size_t i = 0; i < naive->taken_count; i++) {
		if (naive->taken[i]->pointer != event->pointer || naive->taken[i]->id >= KMT_ID_END)
			continue;
		last[0] = last[1];
		last[1] = naive->taken[i];
	}
	return last[0] && naive_has_object(event) && is_cache_free(event) &&
	       is_cache_free(last[1]) && last[0]->id == KMT_ANONYMOUS_ALLOC && last[0]->replaced &&
	       last[0]->replaced->id == KMT_ANONYMOUS_ALLOC;
}

static void take_delayed(struct naive *naive, struct naive_event *event,
			 struct naive_event *last[2])
{
	struct naive_event *second = last[0], *delayed = last[1], *first = second->replaced;
	struct naive_counters *counters[COUNTER_SETS];

	naive->delayed++;
	delayed->freed = false;
	delayed->object = NULL;
	if (first->own) {
		naive->totals.own_frees++;
		naive->totals.own_frees_by_others += !delayed->own;
	} else {
		naive_withdraw_missed(naive, second);
		counters_of(naive, first, counters);
		for (size_t i = 0; i < COUNTER_SETS; i++)
			counters[i]->missed_frees--;
		count_free(naive, delayed, first, 1);
		delayed->object = first;
		delayed->freed_at = second->time;
	}
	if (second->own)
		return;
	count_free(naive, delayed, second, -1);
	count_free(naive, event, second, 1);
	event->freed = true;
	event->object = second;
	event->freed_at = event->time;
}

static void take_free(struct naive *naive, struct naive_event *event)
{
	struct naive_event *object = naive_live(naive, event->pointer);

	if (!object) {
		naive->all.frees++;
		naive->all.frees_unmatched++;
		if (*event->cache_name)
			cache_of(naive, event)->frees_unmatched++;
		return;
	}
	end_object(naive, object);
	if (object->own) {
		naive->totals.own_frees++;
		naive->totals.own_frees_by_others += !event->own;
		return;
	}
	event->freed = true;
	event->object = object;
	event->freed_at = event->time;
	count_free(naive, event, object, 1);
}

static void take_resize(struct naive *naive, struct naive_event *event)
{
	struct naive_event *object = naive_live(naive, event->pointer);
	struct naive_counters *counters[COUNTER_SETS];

	naive->totals.resizes++;
	if (!object || event->requested > object->allocated)
		return; /* no object, or it moves */
	if (!object->own) {
		counters_of(naive, object, counters);
		for (size_t i = 0; i < COUNTER_SETS; i++)
			counters[i]->bytes_requested +=
				(uint64_t)event->requested - object->requested;
	}
	object->requested = event->requested;
}

static uint64_t waste_of(const struct naive_event *object)
{
	return object->allocated > object->requested ? object->allocated - object->requested : 0;
}

/* Adds up the waste of the objects that are live now. */
static void sum_live_waste(struct naive *naive)
{
	struct naive_counters *counters[COUNTER_SETS];

	naive->all.live_waste = 0;
	for (size_t i = 0; i < naive->site_count; i++)
		naive->sites[i].live_waste = 0;
	for (size_t i = 0; i < naive->cache_count; i++)
		naive->caches[i].live_waste = 0;
	for (size_t i = 0; i < naive->count; i++) {
		if (!naive->order[i]->live || naive->order[i]->own)
			continue;
		counters_of(naive, naive->order[i], counters);
		for (size_t set = 0; set < COUNTER_SETS; set++)
			counters[set]->live_waste += waste_of(naive->order[i]);
	}
}

/* The waste of all allocations, with their last sizes. */
static void sum_flow_waste(struct naive *naive)
{
	struct naive_counters *counters[COUNTER_SETS];

	for (size_t i = 0; i < naive->count; i++) {
		const struct naive_event *event = naive->order[i];

		if (!naive_is_allocation(event) || !naive_has_object(event) || event->own)
			continue;
		counters_of(naive, event, counters);
		for (size_t set = 0; set < COUNTER_SETS; set++)
			counters[set]->flow_waste += waste_of(event);
	}
}

static void take_peak_waste(struct naive *naive)
{
	sum_live_waste(naive);
	naive->all.peak_waste = naive->all.live_waste;
	for (size_t i = 0; i < naive->site_count; i++)
		naive->sites[i].peak_waste = naive->sites[i].live_waste;
	for (size_t i = 0; i < naive->cache_count; i++)
		naive->caches[i].peak_waste = naive->caches[i].live_waste;
}

static void update_peaks(struct naive *naive, const struct naive_event *event)
{
	if (naive->all.live_bytes > naive->all.peak_bytes) {
		naive->all.peak_bytes = naive->all.live_bytes;
		naive->totals.peak_time = event->time;
		take_peak_waste(naive);
	}
	for (size_t i = 0; i < naive->site_count; i++)
		if (naive->sites[i].live_bytes > naive->sites[i].peak_bytes)
			naive->sites[i].peak_bytes = naive->sites[i].live_bytes;
}

static void take_event(struct naive *naive, struct naive_event *event)
{
	struct naive_event *last[2];

	event->done = true;
	naive->totals.from_backup += naive_is_from_backup(event);
	if (naive_is_allocation(event)) {
		naive_check_allocation(naive, event);
		if (naive_has_object(event))
			take_allocation(naive, event);
		else
			take_failure(naive, event);
	} else if (naive_is_free(event) && !naive_has_object(event)) {
		naive->totals.null_frees++;
	} else if (is_delayed(naive, event, last)) {
		take_delayed(naive, event, last);
	} else if (naive_is_free(event)) {
		naive_check_free(naive, event);
		take_free(naive, event);
	} else if (event->id == KMT_REALLOC) {
		take_resize(naive, event);
	} else {
		naive->totals.unknown++;
	}
	update_peaks(naive, event);
	naive->taken[naive->taken_count++] = event;
}

/*
 * The event with the same address and time on another CPU that must come first: otherwise a free
 * would come before its allocation, or an allocation before the free of the object before.
 */
static struct naive_event *find_first(const struct naive *naive, size_t index)
{
	const struct naive_event *event = naive->order[index];
	bool live = naive_live(naive, event->pointer);
	struct naive_event *last[2];

	if (!naive_has_object(event) || !(naive_is_allocation(event) || naive_is_free(event)) ||
	    naive_is_allocation(event) != live || is_delayed(naive, event, last))
		return NULL;
	for (size_t i = index + 1; i < naive->count; i++) {
		struct naive_event *other = naive->order[i];

		if (other->time == event->time && other->cpu != event->cpu && !other->done &&
		    other->pointer == event->pointer &&
		    (live ? naive_is_free(other) : naive_is_allocation(other)))
			return other;
	}
	return NULL;
}

void naive_run(struct naive *naive, struct naive_trace *trace)
{
	memset(naive, 0, sizeof(*naive));
	naive->trace = trace;
	put_in_order(naive);
	for (size_t i = 0; i < naive->count; i++) {
		struct naive_event *first = naive->order[i]->done ? NULL : find_first(naive, i);

		if (first)
			take_event(naive, first);
		if (!naive->order[i]->done)
			take_event(naive, naive->order[i]);
	}
	sum_live_waste(naive);
	sum_flow_waste(naive);
	naive_classify(naive);
}
