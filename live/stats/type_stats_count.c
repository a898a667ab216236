// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds one transition of the analysis to the counters of its types. The type of a cache or group
 * of the analysis is searched once and then found by index, so a transition costs a few additions.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "base/array.h"
#include "live/stats/type_stats.h"
#include "live/stats/type_stats_internal.h"

static int find_nodes(struct type_stats_parts *parts, const struct topology *topology)
{
	size_t count = topology->count ? topology->list[topology->count - 1].cpu + 1 : 0;

	parts->nodes = malloc((count + 1) * sizeof(*parts->nodes));
	if (!parts->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		parts->nodes[i] = -1;
	for (size_t i = 0; i < topology->count; i++)
		parts->nodes[topology->list[i].cpu] = topology->list[i].node;
	parts->node_count = count;
	return 0;
}

int type_stats_init(struct type_stats *type_stats, const struct capture *capture,
		    const struct type_stats_settings *settings)
{
	int err;

	memset(type_stats, 0, sizeof(*type_stats));
	if (settings)
		type_stats->settings = *settings;
	type_stats->capture = capture;
	type_stats->parts = calloc(1, sizeof(*type_stats->parts));
	if (!type_stats->parts)
		return -ENOMEM;
	err = hash_map_init(&type_stats->parts->by_name);
	if (!err)
		err = find_nodes(type_stats->parts, &capture->topology);
	if (!err)
		err = type_stats_classes(type_stats);
	if (!err)
		err = symbols_names_init(&type_stats->parts->symbols, &capture->symbols);
	if (err)
		type_stats_deinit(type_stats);
	return err;
}

void type_stats_deinit(struct type_stats *type_stats)
{
	struct type_stats_parts *parts = type_stats->parts;

	for (size_t i = 0; i < type_stats->count; i++) {
		free(type_stats->types[i].name);
		free(type_stats->types[i].cpus);
	}
	free(type_stats->types);
	if (parts) {
		free(parts->caches);
		free(parts->groups);
		free(parts->nodes);
		hash_map_deinit(&parts->by_name);
		symbols_names_deinit(&parts->symbols);
		slabinfo_snapshot_deinit(&parts->initial);
		slabinfo_snapshot_deinit(&parts->latest);
	}
	free(parts);
	memset(type_stats, 0, sizeof(*type_stats));
}

int type_stats_reload_symbols(struct type_stats *type_stats)
{
	symbols_names_deinit(&type_stats->parts->symbols);
	return symbols_names_init(&type_stats->parts->symbols, &type_stats->capture->symbols);
}

static int resolve_cache(struct type_stats *type_stats, const struct analysis *analysis,
			 uint32_t index)
{
	const struct analysis_cache *cache = &analysis->caches[index];
	struct type_stats_parts *parts = type_stats->parts;
	struct type_stats_cache *caches;
	int64_t type;

	if (index >= parts->cache_count) {
		caches = array_grow_zeroed(parts->caches, &parts->cache_count,
					   analysis->cache_count, sizeof(*caches));
		if (!caches)
			return -ENOMEM;
		parts->caches = caches;
	}
	if (cache->is_anonymous)
		type_stats_set_anonymous(type_stats);
	type = type_stats_cache_type(type_stats, cache);
	if (type < 0)
		return (int)type;
	parts->caches[index] = (struct type_stats_cache){
		.type = (uint32_t)type,
		.is_kmalloc = cache->is_kmalloc && !cache->cache,
		.class_bit = type_stats_class_bit(type_stats, cache->object_size),
	};
	return 0;
}

static int resolve_group(struct type_stats *type_stats, const struct analysis *analysis,
			 uint32_t index)
{
	struct type_stats_parts *parts = type_stats->parts;
	uint32_t *groups;
	int64_t type;

	if (index >= parts->group_count) {
		groups = array_grow_zeroed(parts->groups, &parts->group_count,
					   analysis->group_count, sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		parts->groups = groups;
	}
	type = type_stats_group_type(type_stats, &analysis->groups[index]);
	if (type < 0)
		return (int)type;
	parts->groups[index] = (uint32_t)type;
	return 0;
}

/* NULL: the events do not count for a type of this kind. */
static inline struct type_stats_type *get_type(struct type_stats *type_stats, uint32_t type,
					       uint64_t events)
{
	if (type < TYPE_STATS_OMITTED)
		return &type_stats->types[type - 1];
	type_stats->omitted_events += type == TYPE_STATS_OMITTED ? events : 0;
	return NULL;
}

static struct type_stats_cpu *add_cpu(struct type_stats_type *type, unsigned int cpu)
{
	/* untouched pages of calloc() take no memory, even if a damaged capture names CPU 8000 */
	struct type_stats_cpu *cpus = calloc(cpu + 1, sizeof(*cpus));

	if (!cpus)
		return NULL;
	if (type->cpu_count)
		memcpy(cpus, type->cpus, type->cpu_count * sizeof(*cpus));
	free(type->cpus);
	type->cpus = cpus;
	type->cpu_count = cpu + 1;
	return &cpus[cpu];
}

static inline struct type_stats_cpu *get_cpu(struct type_stats_type *type, unsigned int cpu)
{
	return cpu < type->cpu_count ? &type->cpus[cpu] : add_cpu(type, cpu);
}

static inline int node_of_cpu(const struct type_stats_parts *parts, unsigned int cpu)
{
	return cpu < parts->node_count ? parts->nodes[cpu] : -1;
}

static int count_allocation_cpu(struct type_stats_type *type, const struct slab_object *object,
				uint64_t class_bit)
{
	struct type_stats_cpu *cpu = get_cpu(type, object->cpu);

	if (!cpu)
		return -ENOMEM;
	cpu->numallocs++;
	if (type->kind != TYPE_STATS_FUNCTION)
		return 0;
	cpu->memalloced += object->allocated;
	type->sizemask |= class_bit;
	cpu->sizemask |= class_bit;
	return 0;
}

/* Counts a free on the CPU where it happened. */
static int count_free_cpu(const struct type_stats_parts *parts, struct type_stats_type *type,
			  const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct type_stats_cpu *cpu = get_cpu(type, transition->event->cpu);
	int from, to;

	if (!cpu)
		return -ENOMEM;
	cpu->numfrees++;
	if (type->kind == TYPE_STATS_FUNCTION)
		cpu->memfreed += object->allocated;
	if (object->cpu == transition->event->cpu)
		return 0;
	from = node_of_cpu(parts, object->cpu);
	to = node_of_cpu(parts, transition->event->cpu);
	type->xdomain += from >= 0 && to >= 0 && from != to;
	return 0;
}

static int count_cpu(const struct type_stats *type_stats, struct type_stats_type *type,
		     const struct transition *transition, const struct delta *delta,
		     uint64_t class_bit)
{
	if (delta->initial || delta->allocations)
		return count_allocation_cpu(type, transition->object, class_bit);
	return delta->frees ? count_free_cpu(type_stats->parts, type, transition) : 0;
}

/* Without memory for the CPU, nothing is counted. */
static int count_transition(const struct type_stats *type_stats, struct type_stats_type *type,
			    const struct transition *transition, const struct delta *delta,
			    uint64_t class_bit)
{
	int err = count_cpu(type_stats, type, transition, delta, class_bit);

	if (err)
		return err;
	type->changed = type_stats->generation;
	type->numallocs += delta->initial + delta->allocations;
	type->numfrees += delta->frees + delta->missed;
	type->missed_frees += delta->missed;
	type->failures += delta->failed;
	type->frees_unmatched += delta->unmatched;
	if (type->kind == TYPE_STATS_FUNCTION) {
		type->memalloced += delta->initial_bytes + delta->allocated;
		type->memfreed += delta->freed;
	}
	return 0;
}

/* Searches the types of the cache, and of the group if it counts, if that was not done yet. */
static inline int resolve_types(struct type_stats *type_stats, const struct analysis *analysis,
				uint32_t group, uint32_t cache)
{
	const struct type_stats_parts *parts = type_stats->parts;
	int err = 0;

	if (cache >= parts->cache_count || !parts->caches[cache].type)
		err = resolve_cache(type_stats, analysis, cache);
	if (!err && parts->caches[cache].is_kmalloc && group != GROUP_NONE &&
	    (group >= parts->group_count || !parts->groups[group]))
		err = resolve_group(type_stats, analysis, group);
	return err;
}

int type_stats_on_transition(void *data, const struct analysis *analysis,
			     const struct transition *transition)
{
	struct type_stats *type_stats = data;
	struct type_stats_parts *parts = type_stats->parts;
	uint32_t cache = transition->cache, group = transition->group;
	struct type_stats_type *type;
	struct delta delta;
	int err;

	/* OUTCOME_FREE_REASSIGNED: subtracting from the first CPU would decrease a counter */
	if (transition->outcome == OUTCOME_FREE_REASSIGNED ||
	    transition->outcome == OUTCOME_NO_OBJECT || transition->outcome == OUTCOME_RESIZED ||
	    transition->outcome == OUTCOME_OTHER || cache == CACHE_NONE)
		return 0;
	err = resolve_types(type_stats, analysis, group, cache);
	if (err)
		return err;
	delta = delta_of(analysis, transition);
	if (parts->caches[cache].is_kmalloc && group != GROUP_NONE) {
		type = get_type(type_stats, parts->groups[group], 1);
		if (type)
			err = count_transition(type_stats, type, transition, &delta,
					       parts->caches[cache].class_bit);
	}
	type = err ? NULL : get_type(type_stats, parts->caches[cache].type, 1);
	return type ? count_transition(type_stats, type, transition, &delta, 0) : err;
}

/* The same for the allocations and frees of a tally on one CPU. */
static int add_tally_counts(const struct type_stats *type_stats, struct type_stats_type *type,
			    unsigned int at, const struct tally_count *count, uint64_t class_bit)
{
	struct type_stats_cpu *cpu = get_cpu(type, at);

	if (!cpu)
		return -ENOMEM;
	type->changed = type_stats->generation;
	type->numallocs += count->allocations;
	cpu->numallocs += count->allocations;
	type->numfrees += count->frees;
	cpu->numfrees += count->frees;
	type->xdomain += count->other_node;
	if (type->kind != TYPE_STATS_FUNCTION)
		return 0;
	type->memalloced += count->allocated;
	cpu->memalloced += count->allocated;
	type->memfreed += count->freed;
	cpu->memfreed += count->freed;
	if (count->allocations) {
		type->sizemask |= class_bit;
		cpu->sizemask |= class_bit;
	}
	return 0;
}

int type_stats_add_tally(struct type_stats *type_stats, const struct analysis *analysis,
			 const struct tally *tally, unsigned int cpu,
			 const struct tally_count *count)
{
	const struct type_stats_parts *parts = type_stats->parts;
	uint64_t events = (uint64_t)count->allocations + count->frees;
	struct type_stats_type *type;
	int err = resolve_types(type_stats, analysis, tally->group, tally->cache);

	if (err)
		return err;
	if (parts->caches[tally->cache].is_kmalloc) {
		type = get_type(type_stats, parts->groups[tally->group], events);
		if (type)
			err = add_tally_counts(type_stats, type, cpu, count,
					       parts->caches[tally->cache].class_bit);
	}
	type = err ? NULL : get_type(type_stats, parts->caches[tally->cache].type, events);
	return type ? add_tally_counts(type_stats, type, cpu, count, 0) : err;
}
