// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rare parts of counting the objects that were live at the peak. */
#include "config.h"

#include <stdlib.h>

#include "analysis/peak_heap.h"
#include "analysis/select.h"
#include "base/array.h"

int peak_heap_open(struct peak_heap **result, const struct analysis *analysis)
{
	const struct select *select = analysis->settings.select;
	struct peak_heap *peak = calloc(1, sizeof(*peak));

	if (!peak)
		return -ENOMEM;
	*result = peak;
	peak->is_known = !select || !select->older;
	return object_table_init(&peak->later);
}

void peak_heap_close(struct peak_heap *peak)
{
	if (!peak)
		return;
	free(peak->ended.list);
	free(peak->resized.list);
	free(peak->group_excess);
	free(peak->cache_excess);
	object_table_deinit(&peak->later);
	free(peak);
}

int peak_heap_add(struct object_list *list, const struct slab_object *object)
{
	if (list->count == list->space) {
		struct slab_object *more =
			array_grow_zeroed(list->list, &list->space, list->count + 1, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->list = more;
	}
	list->list[list->count++] = *object;
	return 0;
}

int peak_heap_add_later(struct peak_heap *peak, const struct slab_object *object)
{
	return object_table_add(&peak->later, object->address) ? 0 : -ENOMEM;
}

int peak_heap_clear_later(struct peak_heap *peak)
{
	object_table_deinit(&peak->later);
	return object_table_init(&peak->later);
}

static int add_to(uint64_t **list, size_t *space, uint32_t index, uint64_t bytes)
{
	uint64_t *more = array_grow_zeroed(*list, space, (size_t)index + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*list = more;
	more[index] += bytes;
	return 0;
}

int peak_heap_add_excess(struct peak_heap *peak, const struct slab_object *object, uint64_t bytes)
{
	int err = add_to(&peak->group_excess, &peak->group_space, object->group, bytes);

	return err ? err : add_to(&peak->cache_excess, &peak->cache_space, object->cache, bytes);
}

int peak_heap_resize(struct analysis *analysis, const struct slab_object *object,
		     uint32_t requested, bool flow)
{
	struct peak_heap *peak = analysis->peak_heap;
	struct slab_object resized = *object;
	int err = 0;

	if (flow && object->requested > object->allocated)
		err = peak_heap_add_excess(peak, object,
					   (uint64_t)object->allocated - object->requested);
	if (err || !peak_heap_has(analysis, object))
		return err;
	resized.requested = requested;
	err = peak_heap_add(&peak->ended, object);
	return err ? err : peak_heap_add(&peak->resized, &resized);
}
