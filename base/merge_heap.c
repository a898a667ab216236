// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A binary heap: entry i precedes the entries 2 i + 1 and 2 i + 2. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/merge_heap.h"

int merge_heap_init(struct merge_heap *heap, size_t sources)
{
	heap->list = calloc(sources ? sources : 1, sizeof(*heap->list));
	heap->count = 0;
	return heap->list ? 0 : -ENOMEM;
}

void merge_heap_deinit(struct merge_heap *heap)
{
	free(heap->list);
	heap->list = NULL;
	heap->count = 0;
}

/* Moves an entry down until both its children follow it. */
static void sift_down(struct merge_heap *heap, size_t index)
{
	struct merge_entry *list = heap->list, moved = list[index];

	for (;;) {
		size_t child = index * 2 + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count && merge_entry_precedes(&list[child + 1], &list[child]))
			child++;
		if (merge_entry_precedes(&moved, &list[child]))
			break;
		list[index] = list[child];
		index = child;
	}
	list[index] = moved;
}

void merge_heap_sort(struct merge_heap *heap)
{
	for (size_t i = heap->count / 2; i-- > 0;)
		sift_down(heap, i);
}

void merge_heap_move_first(struct merge_heap *heap)
{
	if (heap->count)
		sift_down(heap, 0);
}

void merge_heap_drop_first(struct merge_heap *heap)
{
	heap->list[0] = heap->list[--heap->count];
	merge_heap_move_first(heap);
}

struct merge_entry merge_heap_second(const struct merge_heap *heap)
{
	const struct merge_entry *list = heap->list;

	if (heap->count < 2)
		return (struct merge_entry){ UINT64_MAX, SIZE_MAX };
	if (heap->count > 2 && merge_entry_precedes(&list[2], &list[1]))
		return list[2];
	return list[1];
}
