// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts allocations and frees by domain (CPU or NUMA node), and frees by pair of domains. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/views/cross_frees.h"

int cross_frees_init(struct cross_frees *cross, const struct topology *topology, bool by_node)
{
	memset(cross, 0, sizeof(*cross));
	cross->topology = topology;
	cross->by_node = by_node;
	if (hash_map_init(&cross->domain_index) || hash_map_init(&cross->pair_index))
		return -ENOMEM;
	return 0;
}

void cross_frees_deinit(struct cross_frees *cross)
{
	hash_map_deinit(&cross->domain_index);
	hash_map_deinit(&cross->pair_index);
	free(cross->domains);
	free(cross->pairs);
	free(cross->groups);
}

uint32_t cross_frees_domain_number(const struct cross_frees *cross, uint16_t cpu)
{
	const struct topology_cpu *known;

	if (!cross->by_node)
		return cpu;
	known = topology_find(cross->topology, cpu);
	return known && known->node >= 0 ? (uint32_t)known->node : DOMAIN_UNKNOWN;
}

struct domain *cross_frees_domain(struct cross_frees *cross, uint32_t number)
{
	uint32_t found = hash_map_find(&cross->domain_index, number);
	struct domain *list;

	if (found != HASH_MAP_NONE)
		return &cross->domains[found];
	list = array_grow(cross->domains, cross->domain_count, sizeof(*list));
	if (!list)
		return NULL;
	cross->domains = list;
	if (hash_map_add(&cross->domain_index, number, (uint32_t)cross->domain_count))
		return NULL;
	list += cross->domain_count++;
	*list = (struct domain){ .number = number };
	return list;
}

/* Here and below, by is 1, or -1 modulo 2^64 to undo a count. */
static int count_pair(struct cross_frees *cross, uint32_t from, uint32_t to, uint32_t bytes,
		      uint64_t by)
{
	uint64_t key = (uint64_t)from << 32 | to;
	uint32_t found = hash_map_find(&cross->pair_index, key);
	struct domain_pair *list;

	if (found == HASH_MAP_NONE) {
		list = array_grow(cross->pairs, cross->pair_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		cross->pairs = list;
		found = (uint32_t)cross->pair_count;
		if (hash_map_add(&cross->pair_index, key, found))
			return -ENOMEM;
		list[cross->pair_count++] = (struct domain_pair){ .from = from, .to = to };
	}
	cross->pairs[found].frees += by;
	cross->pairs[found].bytes += by * bytes;
	return 0;
}

static int count_group(struct cross_frees *cross, uint32_t group, uint32_t bytes, uint64_t by)
{
	struct group_cross_frees *list;

	while (cross->group_count <= group) {
		list = array_grow(cross->groups, cross->group_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		cross->groups = list;
		list[cross->group_count++] = (struct group_cross_frees){ 0 };
	}
	cross->groups[group].frees += by;
	cross->groups[group].bytes += by * bytes;
	return 0;
}

/* Is the memory at the address of another node than the CPU's? False if either is unknown. */
static bool is_other_memory(const struct cross_frees *cross, uint16_t cpu, uint64_t address)
{
	const struct topology_cpu *known = topology_find(cross->topology, cpu);
	int node = memory_nodes_find(&cross->topology->memory, address);

	return known && known->node >= 0 && node >= 0 && node != known->node;
}

static int count_allocation(struct cross_frees *cross, const struct transition *transition)
{
	struct domain *domain = cross_frees_domain(
		cross, cross_frees_domain_number(cross, transition->object->cpu));
	const struct topology_cpu *cpu = topology_find(cross->topology, transition->object->cpu);

	if (!domain)
		return -ENOMEM;
	domain->allocations++;
	domain->bytes_allocated += transition->object->allocated;
	if (!cross->objects_at_end && transition->event->node != KMT_NODE_ANY && cpu &&
	    cpu->node >= 0)
		domain->remote_node += transition->event->node != cpu->node;
	domain->memory_of_others +=
		is_other_memory(cross, transition->object->cpu, transition->object->address);
	return 0;
}

static int count_free(struct cross_frees *cross, const struct transition *transition,
		      const struct event *event, uint64_t by)
{
	uint32_t from = cross_frees_domain_number(cross, transition->object->cpu);
	uint32_t to = cross_frees_domain_number(cross, event->cpu);
	struct domain *domain = cross_frees_domain(cross, to);
	int err;

	if (!domain)
		return -ENOMEM;
	domain->frees += by;
	if (is_other_memory(cross, event->cpu, transition->object->address))
		domain->frees_of_other_memory += by;
	if (from != to)
		domain->frees_of_others += by;
	err = count_pair(cross, from, to, transition->object->allocated, by);
	if (err || from == to)
		return err;
	domain = cross_frees_domain(cross, from);
	if (!domain)
		return -ENOMEM;
	domain->freed_by_others += by;
	return count_group(cross, transition->group, transition->object->allocated, by);
}

int cross_frees_on_transition(void *data, const struct analysis *analysis,
			      const struct transition *transition)
{
	struct cross_frees *cross = data;
	struct domain *domain;
	int err;

	(void)analysis;
	switch (transition->outcome) {
	case OUTCOME_ALLOCATED:
		return count_allocation(cross, transition);
	case OUTCOME_FREED:
	case OUTCOME_MISSED_FREE_MATCHED:
		return count_free(cross, transition, transition->event, 1);
	case OUTCOME_FREE_REASSIGNED:
		err = count_free(cross, transition, transition->earlier_free, (uint64_t)-1);
		return err ? err : count_free(cross, transition, transition->event, 1);
	case OUTCOME_FAILED:
	case OUTCOME_UNMATCHED:
		domain = cross_frees_domain(
			cross, cross_frees_domain_number(cross, transition->event->cpu));
		if (!domain)
			return -ENOMEM;
		domain->failed += transition->outcome == OUTCOME_FAILED;
		domain->frees += transition->outcome == OUTCOME_UNMATCHED;
		domain->frees_unmatched += transition->outcome == OUTCOME_UNMATCHED;
		return 0;
	case OUTCOME_INITIAL:
	case OUTCOME_NO_OBJECT:
	case OUTCOME_RESIZED:
	case OUTCOME_MISSED:
	case OUTCOME_OTHER:
		break;
	}
	return 0;
}
