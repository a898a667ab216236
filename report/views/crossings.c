// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts each object at the place of its allocation and at that of its free. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/views/crossings.h"

int crossings_init(struct crossings *crossings, const struct topology *topology, bool by_node)
{
	memset(crossings, 0, sizeof(*crossings));
	crossings->topology = topology;
	crossings->by_node = by_node;
	if (hash_map_init(&crossings->place_index) || hash_map_init(&crossings->pair_index))
		return -ENOMEM;
	return 0;
}

void crossings_deinit(struct crossings *crossings)
{
	hash_map_deinit(&crossings->place_index);
	hash_map_deinit(&crossings->pair_index);
	free(crossings->slots);
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
	uint32_t found = hash_map_find(&crossings->place_index, number);
	struct place *list;

	if (found != HASH_MAP_NONE)
		return &crossings->slots[found];
	list = array_grow(crossings->slots, crossings->place_count, sizeof(*list));
	if (!list)
		return NULL;
	crossings->slots = list;
	if (hash_map_add(&crossings->place_index, number, (uint32_t)crossings->place_count))
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
	uint32_t found = hash_map_find(&crossings->pair_index, key);
	struct crossing *list;

	if (found == HASH_MAP_NONE) {
		list = array_grow(crossings->pairs, crossings->pair_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		crossings->pairs = list;
		found = (uint32_t)crossings->pair_count;
		if (hash_map_add(&crossings->pair_index, key, found))
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
		list = array_grow(crossings->groups, crossings->group_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		crossings->groups = list;
		list[crossings->group_count++] = (struct crossing_group){ 0 };
	}
	crossings->groups[group].frees += by;
	crossings->groups[group].bytes += by * bytes;
	return 0;
}

static int count_allocation(struct crossings *crossings, const struct transition *transition)
{
	struct place *place =
		crossings_place(crossings, crossings_number(crossings, transition->object->cpu));
	const struct topology_cpu *cpu =
		topology_find(crossings->topology, transition->object->cpu);

	if (!place)
		return -ENOMEM;
	place->allocations++;
	place->bytes_allocated += transition->object->allocated;
	if (!crossings->late && transition->event->node != KMT_NODE_ANY && cpu && cpu->node >= 0)
		place->elsewhere += transition->event->node != cpu->node;
	return 0;
}

static int count_free(struct crossings *crossings, const struct transition *transition,
		      const struct event *event, uint64_t by)
{
	uint32_t from = crossings_number(crossings, transition->object->cpu);
	uint32_t to = crossings_number(crossings, event->cpu);
	struct place *place = crossings_place(crossings, to);
	int err;

	if (!place)
		return -ENOMEM;
	place->frees += by;
	if (from != to)
		place->frees_of_others += by;
	err = count_pair(crossings, from, to, transition->object->allocated, by);
	if (err || from == to)
		return err;
	place = crossings_place(crossings, from);
	if (!place)
		return -ENOMEM;
	place->freed_by_others += by;
	return count_group(crossings, transition->group, transition->object->allocated, by);
}

int crossings_watch(void *data, const struct analysis *analysis,
		    const struct transition *transition)
{
	struct crossings *crossings = data;
	struct place *place;
	int err;

	(void)analysis;
	switch (transition->outcome) {
	case OUTCOME_ALLOCATED:
		return count_allocation(crossings, transition);
	case OUTCOME_FREED:
	case OUTCOME_MISSED_FREE_MATCHED:
		return count_free(crossings, transition, transition->event, 1);
	case OUTCOME_FREE_REASSIGNED:
		err = count_free(crossings, transition, transition->told, (uint64_t)-1);
		return err ? err : count_free(crossings, transition, transition->event, 1);
	case OUTCOME_FAILED:
	case OUTCOME_UNMATCHED:
		place = crossings_place(crossings,
					crossings_number(crossings, transition->event->cpu));
		if (!place)
			return -ENOMEM;
		place->failed += transition->outcome == OUTCOME_FAILED;
		place->frees += transition->outcome == OUTCOME_UNMATCHED;
		place->frees_unmatched += transition->outcome == OUTCOME_UNMATCHED;
		return 0;
	case OUTCOME_NO_OBJECT:
	case OUTCOME_RESIZED:
	case OUTCOME_MISSED:
		break;
	}
	return 0;
}
