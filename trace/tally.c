// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds one step of the analysis to the figures of its types. What an index of the analysis stands
 * for is found out once; after that a step costs a few additions and no search.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/tally.h"
#include "trace/tally_parts.h"

static int find_nodes(struct tally_parts *parts, const struct topology *topology)
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

int tally_init(struct tally *tally, const struct capture *capture,
	       const struct tally_settings *settings)
{
	int err;

	memset(tally, 0, sizeof(*tally));
	if (settings)
		tally->settings = *settings;
	tally->capture = capture;
	tally->parts = calloc(1, sizeof(*tally->parts));
	if (!tally->parts)
		return -ENOMEM;
	err = index_init(&tally->parts->by_name);
	if (!err)
		err = find_nodes(tally->parts, &capture->topology);
	if (!err)
		err = tally_classes(tally);
	if (!err)
		err = symbols_names_init(&tally->parts->symbols, &capture->symbols);
	if (err)
		tally_deinit(tally);
	return err;
}

void tally_deinit(struct tally *tally)
{
	struct tally_parts *parts = tally->parts;

	for (size_t i = 0; i < tally->count; i++) {
		free(tally->types[i].name);
		free(tally->types[i].cpus);
	}
	free(tally->types);
	if (parts) {
		free(parts->caches);
		free(parts->groups);
		free(parts->nodes);
		index_deinit(&parts->by_name);
		symbols_names_deinit(&parts->symbols);
		slabinfo_moment_deinit(&parts->base);
		slabinfo_moment_deinit(&parts->now);
	}
	free(parts);
	memset(tally, 0, sizeof(*tally));
}

int tally_renew_symbols(struct tally *tally)
{
	symbols_names_deinit(&tally->parts->symbols);
	return symbols_names_init(&tally->parts->symbols, &tally->capture->symbols);
}

/* The list with room for all of count, the new ones zero; or NULL. */
static void *widen(void *list, size_t *room, size_t count, size_t size)
{
	size_t wanted = count > 2 * *room ? count : 2 * *room;
	char *more = reallocarray(list, wanted, size);

	if (!more)
		return NULL;
	memset(more + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return more;
}

static int look_at_cache(struct tally *tally, const struct analysis *analysis, uint32_t index)
{
	const struct analysis_cache *cache = &analysis->caches[index];
	struct tally_parts *parts = tally->parts;
	struct tally_cache *caches;
	int64_t type;

	if (index >= parts->cache_count) {
		caches = widen(parts->caches, &parts->cache_count, analysis->cache_count,
			       sizeof(*caches));
		if (!caches)
			return -ENOMEM;
		parts->caches = caches;
	}
	type = tally_cache_type(tally, cache);
	if (type < 0)
		return (int)type;
	parts->caches[index] = (struct tally_cache){
		.type = (uint32_t)type,
		.is_kmalloc = cache->is_kmalloc && !cache->cache,
		.class_bit = tally_class_bit(tally, cache->object_size),
	};
	return 0;
}

static int look_at_group(struct tally *tally, const struct analysis *analysis, uint32_t index)
{
	struct tally_parts *parts = tally->parts;
	uint32_t *groups;
	int64_t type;

	if (index >= parts->group_count) {
		groups = widen(parts->groups, &parts->group_count, analysis->group_count,
			       sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		parts->groups = groups;
	}
	type = tally_group_type(tally, &analysis->groups[index]);
	if (type < 0)
		return (int)type;
	parts->groups[index] = (uint32_t)type;
	return 0;
}

/* What a step counts for: a type of each kind, or NULL. */
struct target {
	struct tally_type *types[TALLY_KINDS];
	uint64_t class_bit;
};

static struct tally_type *get_type(struct tally *tally, uint32_t type)
{
	if (type == TALLY_NO_TYPE)
		return NULL;
	if (type == TALLY_LEFT_OUT) {
		tally->left_out++;
		return NULL;
	}
	return &tally->types[type - 1];
}

static int find_target(struct tally *tally, const struct analysis *analysis,
		       const struct step *step, struct target *target)
{
	const struct tally_parts *parts = tally->parts;
	uint32_t function = TALLY_NO_TYPE;
	int err = 0;

	if (step->cache >= parts->cache_count || !parts->caches[step->cache].type)
		err = look_at_cache(tally, analysis, step->cache);
	if (!err && parts->caches[step->cache].is_kmalloc && step->group != GROUP_NONE) {
		if (step->group >= parts->group_count || !parts->groups[step->group])
			err = look_at_group(tally, analysis, step->group);
		if (!err)
			function = parts->groups[step->group];
	}
	if (err)
		return err;
	target->class_bit = parts->caches[step->cache].class_bit;
	target->types[TALLY_CACHE] = get_type(tally, parts->caches[step->cache].type);
	target->types[TALLY_FUNCTION] = get_type(tally, function);
	return 0;
}

static struct tally_cpu *get_cpu(struct tally_type *type, unsigned int cpu)
{
	struct tally_cpu *cpus;

	if (cpu < type->cpu_count)
		return &type->cpus[cpu];
	/* fresh from calloc(): thousands of CPUs that a damaged capture skips take no memory */
	cpus = calloc(cpu + 1, sizeof(*cpus));
	if (!cpus)
		return NULL;
	if (type->cpu_count)
		memcpy(cpus, type->cpus, type->cpu_count * sizeof(*cpus));
	free(type->cpus);
	type->cpus = cpus;
	type->cpu_count = cpu + 1;
	return &cpus[cpu];
}

static int count_allocation(struct tally_type *type, const struct heap_block *block,
			    uint64_t class_bit)
{
	struct tally_cpu *cpu = get_cpu(type, block->cpu);

	if (!cpu)
		return -ENOMEM;
	type->numallocs++;
	cpu->numallocs++;
	if (type->kind != TALLY_FUNCTION)
		return 0;
	type->memalloced += block->allocated;
	cpu->memalloced += block->allocated;
	type->sizemask |= class_bit;
	cpu->sizemask |= class_bit;
	return 0;
}

static void count_free(struct tally_type *type, const struct heap_block *block)
{
	type->numfrees++;
	if (type->kind == TALLY_FUNCTION)
		type->memfreed += block->allocated;
}

static int node_of(const struct tally_parts *parts, unsigned int cpu)
{
	return cpu < parts->node_count ? parts->nodes[cpu] : -1;
}

/* What a free tells beside that the object is gone: where it was freed. */
static int count_place(const struct tally_parts *parts, struct tally_type *type,
		       const struct step *step)
{
	const struct heap_block *block = step->block;
	struct tally_cpu *cpu = get_cpu(type, step->event->cpu);
	int from, to;

	if (!cpu)
		return -ENOMEM;
	cpu->numfrees++;
	if (type->kind == TALLY_FUNCTION)
		cpu->memfreed += block->allocated;
	if (block->cpu == step->event->cpu)
		return 0;
	from = node_of(parts, block->cpu);
	to = node_of(parts, step->event->cpu);
	type->xdomain += from >= 0 && to >= 0 && from != to;
	return 0;
}

static int count_step(const struct tally *tally, struct tally_type *type, const struct step *step,
		      uint64_t class_bit)
{
	int err = 0;

	switch (step->fate) {
	case FATE_ALLOCATED:
		err = count_allocation(type, step->block, class_bit);
		break;
	case FATE_FREED:
		err = count_place(tally->parts, type, step);
		if (!err)
			count_free(type, step->block);
		break;
	case FATE_MISSED:
		count_free(type, step->block);
		break;
	case FATE_FOUND: /* FATE_MISSED counted it in all: now it is known where */
		err = count_place(tally->parts, type, step);
		break;
	case FATE_FAILED:
		type->failures++;
		break;
	case FATE_UNMATCHED:
		type->frees_unmatched++;
		break;
	case FATE_NO_OBJECT:
	case FATE_RESIZED:
	case FATE_FREED_INSTEAD:
		break;
	}
	type->changed = tally->generation;
	return err;
}

int tally_step(void *data, const struct analysis *analysis, const struct step *step)
{
	struct tally *tally = data;
	struct target target;
	int err;

	/*
	 * An object that was freed by another event than was told stays counted with the CPU of
	 * that: to take it away there would make a figure less.
	 */
	if (step->fate == FATE_FREED_INSTEAD || step->fate == FATE_NO_OBJECT ||
	    step->fate == FATE_RESIZED || step->cache == CACHE_NONE)
		return 0;
	err = find_target(tally, analysis, step, &target);
	for (size_t i = 0; i < TALLY_KINDS && !err; i++)
		if (target.types[i])
			err = count_step(tally, target.types[i], step, target.class_bit);
	return err;
}
