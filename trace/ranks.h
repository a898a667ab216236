/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose turn it is when streams are merged by time: a heap with the lane on top whose next event
 * is the earliest. At the same time the lower lane comes first.
 */
#ifndef TRACE_RANKS_H
#define TRACE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rank {
	uint64_t key; /* ns: of the lane's next event */
	size_t lane;
};

struct ranks {
	struct rank *list; /* the first is the one on top */
	size_t count;
};

static inline bool rank_comes_before(const struct rank *a, const struct rank *b)
{
	return a->key < b->key || (a->key == b->key && a->lane < b->lane);
}

/* Room for so many; 0 or -ENOMEM. */
int ranks_init(struct ranks *ranks, size_t lanes);
void ranks_deinit(struct ranks *ranks);

/* Puts the list in order, once all are in it. */
void ranks_sort(struct ranks *ranks);

/* The key of the first has grown. */
void ranks_move_first(struct ranks *ranks);

/* The first has nothing more. */
void ranks_drop_first(struct ranks *ranks);

/* The one that comes next after the first; without one, a rank that comes after all others. */
struct rank ranks_runner_up(const struct ranks *ranks);

#endif
