// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A binary heap: of the places 2 i + 1 and 2 i + 2 none comes before place i. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/ranks.h"

int ranks_init(struct ranks *ranks, size_t lanes)
{
	ranks->list = calloc(lanes ? lanes : 1, sizeof(*ranks->list));
	ranks->count = 0;
	return ranks->list ? 0 : -ENOMEM;
}

void ranks_deinit(struct ranks *ranks)
{
	free(ranks->list);
	ranks->list = NULL;
	ranks->count = 0;
}

/* Moves the rank at index down to where it belongs. */
static void sift(struct ranks *ranks, size_t index)
{
	struct rank *list = ranks->list, moved = list[index];

	for (;;) {
		size_t child = index * 2 + 1;

		if (child >= ranks->count)
			break;
		if (child + 1 < ranks->count && rank_comes_before(&list[child + 1], &list[child]))
			child++;
		if (rank_comes_before(&moved, &list[child]))
			break;
		list[index] = list[child];
		index = child;
	}
	list[index] = moved;
}

void ranks_sort(struct ranks *ranks)
{
	for (size_t i = ranks->count / 2; i-- > 0;)
		sift(ranks, i);
}

void ranks_move_first(struct ranks *ranks)
{
	if (ranks->count)
		sift(ranks, 0);
}

void ranks_drop_first(struct ranks *ranks)
{
	ranks->list[0] = ranks->list[--ranks->count];
	ranks_move_first(ranks);
}

struct rank ranks_runner_up(const struct ranks *ranks)
{
	const struct rank *list = ranks->list;

	if (ranks->count < 2)
		return (struct rank){ UINT64_MAX, SIZE_MAX };
	if (ranks->count > 2 && rank_comes_before(&list[2], &list[1]))
		return list[2];
	return list[1];
}
