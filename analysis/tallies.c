// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds tallies, makes room for their counts, and gives them to their owner. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/tallies.h"

int tallies_init(struct tallies *tallies, size_t cpus, const struct topology *topology)
{
	memset(tallies, 0, sizeof(*tallies));
	tallies->cpu_count = cpus;
	tallies->cpus = calloc(cpus + 1, sizeof(*tallies->cpus));
	tallies->nodes = calloc(cpus + 1, sizeof(*tallies->nodes));
	if (hash_map_init(&tallies->numbers) || !tallies->cpus || !tallies->nodes) {
		tallies_deinit(tallies);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cpus; i++)
		tallies->nodes[i] = -1;
	for (size_t i = 0; i < topology->count; i++)
		if (topology->list[i].cpu < cpus)
			tallies->nodes[topology->list[i].cpu] = topology->list[i].node;
	return 0;
}

void tallies_deinit(struct tallies *tallies)
{
	for (size_t i = 0; tallies->cpus && i < tallies->cpu_count; i++)
		free(tallies->cpus[i].list);
	free(tallies->cpus);
	free(tallies->nodes);
	free(tallies->list);
	free(tallies->lifetimes);
	hash_map_deinit(&tallies->numbers);
	memset(tallies, 0, sizeof(*tallies));
}

static int add_lifetimes(struct tallies *tallies)
{
	struct tally_lifetimes *list;

	if (!tallies->with_lifetimes || tallies->lifetime_count > tallies->count)
		return 0;
	list = array_grow_zeroed(tallies->lifetimes, &tallies->lifetime_count, tallies->count + 1,
				 sizeof(*list));
	if (!list)
		return -ENOMEM;
	tallies->lifetimes = list;
	return 0;
}

int64_t tallies_search(struct tallies *tallies, struct tally tally)
{
	uint64_t key = (uint64_t)tally.group << 32 | tally.cache;
	uint32_t number = hash_map_find(&tallies->numbers, key);
	uint32_t hash = (tally.group ^ tally.cache << 16) * 0x9e3779b1U;
	struct tally *list;

	if (number == HASH_MAP_NONE) {
		list = array_grow(tallies->list, tallies->count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		tallies->list = list;
		number = (uint32_t)tallies->count;
		if (add_lifetimes(tallies))
			return -ENOMEM;
		if (hash_map_add(&tallies->numbers, key, number))
			return -ENOMEM;
		list[tallies->count++] = tally;
	}
	tallies->memos[hash >> (32 - TALLIES_MEMO_BITS)] =
		(struct tallies_memo){ tally, number + 1 };
	return number;
}

struct tally_count *tallies_of_cpu(struct tallies *tallies, size_t cpu)
{
	struct tallies_cpu *counts = &tallies->cpus[cpu];
	struct tally_count *list;

	if (counts->count <= tallies->count) {
		list = array_grow_zeroed(counts->list, &counts->count, tallies->count + 1,
					 sizeof(*list));
		if (!list)
			return NULL;
		counts->list = list;
	}
	counts->changed = true;
	return counts->list;
}

static int take_cpu(struct tallies *tallies, unsigned int cpu,
		    int (*take)(void *data, const struct tally *tally, unsigned int cpu,
				const struct tally_count *count),
		    void *data)
{
	struct tally_count *list = tallies->cpus[cpu].list;
	int err = 0;

	for (size_t i = 0; i < tallies->cpus[cpu].count && !err; i++) {
		if (!list[i].allocations && !list[i].frees)
			continue;
		err = take(data, &tallies->list[i], cpu, &list[i]);
		list[i] = (struct tally_count){ 0 };
	}
	return err;
}

int tallies_take(struct tallies *tallies,
		 int (*take)(void *data, const struct tally *tally, unsigned int cpu,
			     const struct tally_count *count),
		 void *data)
{
	int err = 0;

	for (size_t cpu = 0; cpu < tallies->cpu_count && !err; cpu++) {
		if (!tallies->cpus[cpu].changed)
			continue;
		tallies->cpus[cpu].changed = false;
		err = take_cpu(tallies, (unsigned int)cpu, take, data);
	}
	return err;
}
