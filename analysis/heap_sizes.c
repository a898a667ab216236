// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up the objects of the flow, of the live heap and of the peak, and their waste. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/delta.h"
#include "analysis/heap_sizes.h"
#include "analysis/peak_heap.h"
#include "base/array.h"

/* An object of the live heap or of the peak. sign: 1 or -1, modulo 2^64. 0 or -ENOMEM. */
typedef int take_object(void *data, const struct slab_object *object,
			const struct object_weight *weight, uint64_t sign, bool is_peak);

static int take_list(const struct analysis *analysis, const struct object_list *list, uint64_t sign,
		     take_object *take, void *data)
{
	int err = 0;

	for (size_t i = 0; i < list->count && !err; i++) {
		const struct object_weight weight = weigh_object(analysis, &list->list[i]);

		err = take(data, &list->list[i], &weight, sign, true);
	}
	return err;
}

/* Takes each object that is live, and each that was live at the peak. */
static int take_heap(const struct analysis *analysis, take_object *take, void *data)
{
	const struct peak_heap *peak = analysis->peak_heap;
	const struct slab_object *object;
	size_t next = 0;
	int err = 0;

	while (!err && (object = analysis_next_live(analysis, &next))) {
		const struct object_weight weight = weigh_object(analysis, object);

		err = take(data, object, &weight, 1, false);
		if (!err && peak->is_known && peak_heap_has(analysis, object))
			err = take(data, object, &weight, 1, true);
	}
	if (err || !peak->is_known)
		return err;
	err = take_list(analysis, &peak->ended, 1, take, data);
	return err ? err : take_list(analysis, &peak->resized, -1, take, data);
}

static int add_waste(void *data, const struct slab_object *object,
		     const struct object_weight *weight, uint64_t sign, bool is_peak)
{
	struct heap_wastes *wastes = data;
	struct heap_waste *sums[] = { &wastes->groups[object->group],
				      &wastes->caches[object->cache], &wastes->total };

	uint64_t usable = weight->allocated -
			  cache_debug_bytes(&wastes->list[object->cache], weight->allocated);

	if (!is_peak)
		reclaim_sum_add(&wastes->reclaims[object->group],
				wastes->list[object->cache].reclaim, weight->allocated);
	if (weight->requested >= usable)
		return 0;
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		*(is_peak ? &sums[i]->peak : &sums[i]->live) += sign * (usable - weight->requested);
	return 0;
}

static uint64_t flow_waste(uint64_t used, uint64_t allocated, const uint64_t *excess,
			   size_t excess_count, size_t index)
{
	return allocated - used + (index < excess_count ? excess[index] : 0);
}

int heap_wastes_init(struct heap_wastes *wastes, const struct analysis *analysis)
{
	const struct peak_heap *peak = analysis->peak_heap;
	int err;

	*wastes = (struct heap_wastes){
		.list = analysis->caches,
		.groups = calloc(analysis->group_count + 1, sizeof(*wastes->groups)),
		.caches = calloc(analysis->cache_count + 1, sizeof(*wastes->caches)),
		.reclaims = calloc(analysis->group_count + 1, sizeof(*wastes->reclaims)),
	};
	err = wastes->groups && wastes->caches && wastes->reclaims
		      ? take_heap(analysis, add_waste, wastes)
		      : -ENOMEM;
	if (err) {
		heap_wastes_deinit(wastes);
		return err;
	}
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct group *group = &analysis->groups[i];

		wastes->groups[i].flow = flow_waste(group->bytes_requested + group->bytes_debug,
						    group->bytes_allocated, peak->group_excess,
						    peak->group_space, i);
		wastes->total.flow += wastes->groups[i].flow;
	}
	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];

		wastes->caches[i].flow = flow_waste(cache->bytes_requested + cache->bytes_debug,
						    cache->bytes_allocated, peak->cache_excess,
						    peak->cache_space, i);
	}
	return 0;
}

void heap_wastes_deinit(struct heap_wastes *wastes)
{
	free(wastes->groups);
	free(wastes->caches);
	free(wastes->reclaims);
	*wastes = (struct heap_wastes){ 0 };
}

int heap_sizes_init(struct heap_sizes *sizes)
{
	*sizes = (struct heap_sizes){ 0 };
	return hash_map_init(&sizes->index);
}

void heap_sizes_deinit(struct heap_sizes *sizes)
{
	hash_map_deinit(&sizes->index);
	free(sizes->list);
	*sizes = (struct heap_sizes){ 0 };
}

static bool is_size(const struct heap_size *size, const struct slab_object *object)
{
	return size->group == object->group && size->cache == object->cache &&
	       size->requested == object->requested && size->allocated == object->allocated;
}

/* The seed prevents a hostile capture from choosing sizes that all have the same hash. */
static uint64_t hash_size(uint64_t seed, const struct slab_object *object)
{
	uint64_t where = (uint64_t)object->group << 32 | object->cache;
	uint64_t bytes = (uint64_t)object->requested << 32 | object->allocated;
	uint64_t hash = (where ^ seed) * 0x9e3779b97f4a7c15;

	hash = ((hash ^ hash >> 29) + bytes) * (seed | 1);
	return hash ^ hash >> 32;
}

static struct heap_size *add_size(struct heap_sizes *sizes, const struct slab_object *object)
{
	struct heap_size *list = array_grow(sizes->list, sizes->count, sizeof(*list));

	if (!list)
		return NULL;
	sizes->list = list;
	list += sizes->count++;
	*list = (struct heap_size){ .group = object->group,
				    .cache = object->cache,
				    .requested = object->requested,
				    .allocated = object->allocated };
	return list;
}

/* The entry of the object, found or added; NULL: no memory. */
static struct heap_size *find_size(struct heap_sizes *sizes, const struct slab_object *object)
{
	uint64_t hash = hash_size(sizes->index.seed, object);
	uint32_t number = hash_map_find(&sizes->index, hash);
	struct heap_size *size;

	if (number == HASH_MAP_NONE) {
		size = add_size(sizes, object);
		return size && !hash_map_add(&sizes->index, hash, (uint32_t)sizes->count - 1)
			       ? size
			       : NULL;
	}
	while (!is_size(&sizes->list[number], object)) {
		if (!sizes->list[number].next) {
			size = add_size(sizes, object);
			if (size)
				sizes->list[number].next = (uint32_t)sizes->count;
			return size;
		}
		number = sizes->list[number].next - 1;
	}
	return &sizes->list[number];
}

static void add_bytes(struct heap_bytes *sum, const struct analysis_cache *cache,
		      const struct object_weight *weight, uint64_t sign)
{
	sum->objects += sign * weight->objects;
	sum->requested += sign * weight->requested;
	sum->allocated += sign * weight->allocated;
	sum->debug += sign * cache_debug_bytes(cache, weight->allocated);
}

static int add_flow(struct heap_sizes *sizes, const struct analysis *analysis,
		    const struct slab_object *object, uint64_t sign)
{
	const struct object_weight weight = weigh_object(analysis, object);
	struct heap_size *size = find_size(sizes, object);

	if (!size)
		return -ENOMEM;
	add_bytes(&size->flow, &analysis->caches[object->cache], &weight, sign);
	return 0;
}

/* An object that was resized in place counts with its last size. */
static int resize_flow(struct heap_sizes *sizes, const struct analysis *analysis,
		       const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct slab_object resized;
	int err;

	/* with select.older, the object comes at its end; an initial object is in no flow */
	if (!object || !analysis->peak_heap->is_known ||
	    transition->event->requested > object_usable(analysis, object) ||
	    object->time < analysis->capture->checkpoint.begin)
		return 0;
	resized = *object;
	resized.requested = transition->event->requested;
	err = add_flow(sizes, analysis, object, -1);
	return err ? err : add_flow(sizes, analysis, &resized, 1);
}

int heap_sizes_on_transition(void *data, const struct analysis *analysis,
			     const struct transition *transition)
{
	if (transition->outcome == OUTCOME_ALLOCATED)
		return add_flow(data, analysis, transition->object, 1);
	if (transition->outcome == OUTCOME_RESIZED)
		return resize_flow(data, analysis, transition);
	return 0;
}

static int add_object(void *data, const struct slab_object *object,
		      const struct object_weight *weight, uint64_t sign, bool is_peak)
{
	struct heap_sizes *sizes = data;
	struct heap_size *size = find_size(sizes, object);

	if (!size)
		return -ENOMEM;
	add_bytes(is_peak ? &size->peak : &size->live, &sizes->caches[object->cache], weight, sign);
	return 0;
}

int heap_sizes_add_heap(struct heap_sizes *sizes, const struct analysis *analysis)
{
	sizes->caches = analysis->caches;
	return take_heap(analysis, add_object, sizes);
}
