// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts each object at the place of its allocation and at that of its free. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/escape.h"
#include "report/crossings.h"

int crossings_init(struct crossings *crossings, const struct topology *topology, bool by_node)
{
	memset(crossings, 0, sizeof(*crossings));
	crossings->topology = topology;
	crossings->by_node = by_node;
	if (index_init(&crossings->place_index) || index_init(&crossings->pair_index))
		return -ENOMEM;
	return 0;
}

void crossings_deinit(struct crossings *crossings)
{
	index_deinit(&crossings->place_index);
	index_deinit(&crossings->pair_index);
	free(crossings->places);
	free(crossings->pairs);
	free(crossings->groups);
}

uint32_t crossings_number(const struct crossings *crossings, uint16_t cpu)
{
	const struct topology_cpu *known;

	if (!crossings->by_node)
		return cpu;
	known = topology_find(crossings->topology, cpu);
	return known && known->node >= 0 ? (uint32_t)known->node : PLACE_UNKNOWN;
}

struct place *crossings_place(struct crossings *crossings, uint32_t number)
{
	uint32_t found = index_find(&crossings->place_index, number);
	struct place *list;

	if (found != INDEX_NONE)
		return &crossings->places[found];
	list = list_grow(crossings->places, crossings->place_count, sizeof(*list));
	if (!list)
		return NULL;
	crossings->places = list;
	if (index_add(&crossings->place_index, number, (uint32_t)crossings->place_count))
		return NULL;
	list += crossings->place_count++;
	*list = (struct place){ .number = number };
	return list;
}

/* Here and below, by is 1, or -1 modulo 2^64 to take it back. */
static int count_pair(struct crossings *crossings, uint32_t from, uint32_t to, uint32_t bytes,
		      uint64_t by)
{
	uint64_t key = (uint64_t)from << 32 | to;
	uint32_t found = index_find(&crossings->pair_index, key);
	struct crossing *list;

	if (found == INDEX_NONE) {
		list = list_grow(crossings->pairs, crossings->pair_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		crossings->pairs = list;
		found = (uint32_t)crossings->pair_count;
		if (index_add(&crossings->pair_index, key, found))
			return -ENOMEM;
		list[crossings->pair_count++] = (struct crossing){ .from = from, .to = to };
	}
	crossings->pairs[found].frees += by;
	crossings->pairs[found].bytes += by * bytes;
	return 0;
}

static int count_group(struct crossings *crossings, uint32_t group, uint32_t bytes, uint64_t by)
{
	struct crossing_group *list;

	while (crossings->group_count <= group) {
		list = list_grow(crossings->groups, crossings->group_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		crossings->groups = list;
		list[crossings->group_count++] = (struct crossing_group){ 0 };
	}
	crossings->groups[group].frees += by;
	crossings->groups[group].bytes += by * bytes;
	return 0;
}

static int count_allocation(struct crossings *crossings, const struct step *step)
{
	struct place *place =
		crossings_place(crossings, crossings_number(crossings, step->block->cpu));
	const struct topology_cpu *cpu = topology_find(crossings->topology, step->block->cpu);

	if (!place)
		return -ENOMEM;
	place->allocations++;
	place->bytes_allocated += step->block->allocated;
	if (!crossings->late && step->event->node != KMT_NODE_ANY && cpu && cpu->node >= 0)
		place->elsewhere += step->event->node != cpu->node;
	return 0;
}

static int count_free(struct crossings *crossings, const struct step *step,
		      const struct event *event, uint64_t by)
{
	uint32_t from = crossings_number(crossings, step->block->cpu);
	uint32_t to = crossings_number(crossings, event->cpu);
	struct place *place = crossings_place(crossings, to);
	int err;

	if (!place)
		return -ENOMEM;
	place->frees += by;
	if (from != to)
		place->frees_of_others += by;
	err = count_pair(crossings, from, to, step->block->allocated, by);
	if (err || from == to)
		return err;
	place = crossings_place(crossings, from);
	if (!place)
		return -ENOMEM;
	place->freed_by_others += by;
	return count_group(crossings, step->group, step->block->allocated, by);
}

int crossings_watch(void *data, const struct analysis *analysis, const struct step *step)
{
	struct crossings *crossings = data;
	struct place *place;
	int err;

	(void)analysis;
	switch (step->fate) {
	case FATE_ALLOCATED:
		return count_allocation(crossings, step);
	case FATE_FREED:
	case FATE_FOUND:
		return count_free(crossings, step, step->event, 1);
	case FATE_FREED_INSTEAD:
		err = count_free(crossings, step, step->told, (uint64_t)-1);
		return err ? err : count_free(crossings, step, step->event, 1);
	case FATE_FAILED:
	case FATE_UNMATCHED:
		place = crossings_place(crossings, crossings_number(crossings, step->event->cpu));
		if (!place)
			return -ENOMEM;
		place->failed += step->fate == FATE_FAILED;
		place->frees += step->fate == FATE_UNMATCHED;
		place->frees_unmatched += step->fate == FATE_UNMATCHED;
		return 0;
	case FATE_NO_OBJECT:
	case FATE_RESIZED:
	case FATE_MISSED:
		break;
	}
	return 0;
}
