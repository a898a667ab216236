/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A binary heap that merges sorted sources: the first entry belongs to the source whose next
 * element has the lowest key. With equal keys, the source with the lower index comes first.
 */
#ifndef BASE_MERGE_HEAP_H
#define BASE_MERGE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_entry {
	uint64_t key; /* of the next element of the source; of events, the time in ns */
	size_t index; /* of the source */
};

struct merge_heap {
	struct merge_entry *list; /* list[0] precedes all others */
	size_t count;
};

static inline bool merge_entry_precedes(const struct merge_entry *a, const struct merge_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->index < b->index);
}

/* Makes room for an entry of each source. 0 or -ENOMEM. The caller fills list and count. */
int merge_heap_init(struct merge_heap *heap, size_t sources);
void merge_heap_deinit(struct merge_heap *heap);

/* Orders the list after the caller has filled it. */
void merge_heap_sort(struct merge_heap *heap);

/* Orders the list after the key of the first entry has grown. */
void merge_heap_move_first(struct merge_heap *heap);

/* Removes the first entry: its source has ended. */
void merge_heap_drop_first(struct merge_heap *heap);

/* The entry that follows the first; if there is none, an entry that all others precede. */
struct merge_entry merge_heap_second(const struct merge_heap *heap);

#endif
