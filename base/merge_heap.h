/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose turn it is when streams are merged by time: a heap with the lane on top whose next event
 * is the earliest. At the same time the lower lane comes first.
 */
#ifndef BASE_MERGE_HEAP_H
#define BASE_MERGE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_entry {
	uint64_t key; /* ns: of the lane's next event */
	size_t index; /* of the source */
};

struct merge_heap {
	struct merge_entry *list; /* the first is the one on top */
	size_t count;
};

static inline bool merge_entry_precedes(const struct merge_entry *a, const struct merge_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->index < b->index);
}

/* Room for so many; 0 or -ENOMEM. */
int merge_heap_init(struct merge_heap *heap, size_t lanes);
void merge_heap_deinit(struct merge_heap *heap);

/* Puts the list in order, once all are in it. */
void merge_heap_sort(struct merge_heap *heap);

/* The key of the first has grown. */
void merge_heap_move_first(struct merge_heap *heap);

/* The first has nothing more. */
void merge_heap_drop_first(struct merge_heap *heap);

/* The one that comes next after the first; without one, a rank that comes after all others. */
struct merge_entry merge_heap_second(const struct merge_heap *heap);

#endif
