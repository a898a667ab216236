// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The last tally of an id keeps its index, so that the index of the id never changes. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/task_tallies.h"

int task_tallies_init(struct task_tallies *tallies)
{
	memset(tallies, 0, sizeof(*tallies));
	/* untouched pages take no memory */
	tallies->list = calloc(TASK_TALLIES_MAX, sizeof(*tallies->list));
	tallies->count = TASK_TALLY_FIRST;
	if (!hash_map_init(&tallies->by_task) && tallies->list)
		return 0;
	task_tallies_deinit(tallies);
	return -ENOMEM;
}

void task_tallies_deinit(struct task_tallies *tallies)
{
	free(tallies->list);
	hash_map_deinit(&tallies->by_task);
	memset(tallies, 0, sizeof(*tallies));
}

uint32_t task_tallies_search(struct task_tallies *tallies, uint32_t task)
{
	uint32_t index = hash_map_find(&tallies->by_task, task);

	if (index == HASH_MAP_NONE)
		return TASK_TALLY_REST;
	tallies->memos[task % TASK_TALLIES_MEMOS] = (struct task_tallies_memo){ task, index };
	return index;
}

int64_t task_tallies_begin(struct task_tallies *tallies, uint32_t task, uint64_t since)
{
	uint32_t index = task_tallies_search(tallies, task), last = (uint32_t)tallies->count;
	struct task_tally *list = tallies->list;

	if (last == TASK_TALLIES_MAX)
		return TASK_TALLY_REST;
	if (index == TASK_TALLY_REST) {
		if (hash_map_add(&tallies->by_task, task, last))
			return -ENOMEM;
		index = last;
		list[index] = (struct task_tally){ .task = task, .since = since };
	} else {
		list[last] = list[index];
		list[index] = (struct task_tally){ .task = task, .since = since, .earlier = last };
		memcpy(list[index].owners, list[last].owners, sizeof(list[index].owners));
	}
	tallies->count++;
	return index;
}

/* Marks the tallies of an id that stay. An earlier one without objects is needed until taken. */
static void mark_chain(const struct task_tallies *tallies, uint32_t last, uint64_t taken,
		       uint32_t *moved)
{
	const struct task_tally *list = tallies->list;
	uint64_t until = UINT64_MAX;

	for (uint32_t i = last; i; i = list[i].earlier) {
		moved[i] = i == last || list[i].live || until >= taken;
		until = list[i].since;
	}
}

/* The first tally of the chain that stays, where it moves to; 0: none. */
static uint32_t find_moved(const struct task_tallies *tallies, uint32_t index,
			   const uint32_t *moved)
{
	while (index && !moved[index])
		index = tallies->list[index].earlier;
	return moved[index];
}

/* Numbers the tallies that stay, in their order. by_task gets the last of each id. 0 or -ENOMEM. */
static int number_tallies(const struct task_tallies *tallies, uint32_t *moved,
			  struct hash_map *by_task)
{
	uint32_t count = TASK_TALLY_FIRST;
	int err = 0;

	for (uint32_t i = TASK_TALLY_FIRST; i < tallies->count && !err; i++) {
		if (!moved[i])
			continue;
		moved[i] = count++;
		if (hash_map_find(&tallies->by_task, tallies->list[i].task) == i)
			err = hash_map_add(by_task, tallies->list[i].task, moved[i]);
	}
	return err;
}

/* Each tally moves to a lower place, or stays: so none is overwritten before it has moved. */
static void move_tallies(struct task_tallies *tallies, const uint32_t *moved,
			 const struct task_tallies_sweeper *sweeper)
{
	struct task_tally *list = tallies->list;
	uint32_t count = TASK_TALLY_FIRST;

	for (uint32_t i = TASK_TALLY_FIRST; i < tallies->count; i++)
		if (moved[i])
			list[i].earlier = find_moved(tallies, list[i].earlier, moved);
	for (uint32_t i = TASK_TALLY_FIRST; i < tallies->count; i++) {
		if (moved[i]) {
			list[count++] = list[i];
			continue;
		}
		list[TASK_TALLY_REST].live += list[i].live;
		list[TASK_TALLY_REST].live_bytes += list[i].live_bytes;
		if (sweeper->dropped)
			sweeper->dropped(sweeper->data, &list[i]);
	}
	tallies->count = count;
	memset(tallies->memos, 0, sizeof(tallies->memos));
}

int task_tallies_sweep(struct task_tallies *tallies, uint64_t taken,
		       const struct task_tallies_sweeper *sweeper)
{
	uint32_t *moved = calloc(tallies->count, sizeof(*moved)); /* 0: gone */
	struct hash_map by_task;
	int err;

	if (!moved)
		return -ENOMEM;
	err = hash_map_init(&by_task);
	for (uint32_t i = TASK_TALLY_FIRST; i < tallies->count; i++)
		if (hash_map_find(&tallies->by_task, tallies->list[i].task) == i &&
		    sweeper->keeps(sweeper->data, &tallies->list[i]))
			mark_chain(tallies, i, taken, moved);
	if (!err)
		err = number_tallies(tallies, moved, &by_task);
	if (err) {
		hash_map_deinit(&by_task);
	} else {
		move_tallies(tallies, moved, sweeper);
		hash_map_deinit(&tallies->by_task);
		tallies->by_task = by_task;
	}
	free(moved);
	return err;
}
