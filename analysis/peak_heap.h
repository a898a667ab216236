/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that were live at the peak: the first time of the largest live bytes of all. Until
 * the end, each new maximum may be the peak. So this keeps the objects that were live at the last
 * maximum and ended since; at the end, they and the live objects from before it are those of the
 * peak. It takes 40 bytes for each object that ends after the peak, and no time for others.
 */
#ifndef ANALYSIS_PEAK_HEAP_H
#define ANALYSIS_PEAK_HEAP_H

#include <errno.h>

#include "analysis/model.h"

struct object_list {
	struct slab_object *list;
	size_t count, space;
};

struct peak_heap {
	struct object_list ended;   /* since the last maximum, live at it */
	struct object_list resized; /* resized since: their sizes now; ended has those before */
	/* Counted after the last maximum, although their times are not later. */
	struct object_table later;
	/* Bytes that objects requested and did not get, by group and by cache: rare errors. */
	uint64_t *group_excess, *cache_excess;
	size_t group_space, cache_space;
	/* With select.older, objects are counted when they end: the peak is not known. */
	bool is_known;
};

/* 0 or -ENOMEM. */
int peak_heap_open(struct peak_heap **peak, const struct analysis *analysis);
void peak_heap_close(struct peak_heap *peak);

/* 0 or -ENOMEM, as all below. */
int peak_heap_add(struct object_list *list, const struct slab_object *object);
int peak_heap_add_later(struct peak_heap *peak, const struct slab_object *object);
int peak_heap_clear_later(struct peak_heap *peak);
int peak_heap_add_excess(struct peak_heap *peak, const struct slab_object *object, uint64_t bytes);

/* Call it before the object gets so many requested bytes. flow: the object is of the window. */
int peak_heap_resize(struct analysis *analysis, const struct slab_object *object,
		     uint32_t requested, bool flow);

/* Was the object, which is live or ends now, counted before the last maximum? */
static inline bool peak_heap_has(const struct analysis *analysis, const struct slab_object *object)
{
	const struct peak_heap *peak = analysis->peak_heap;

	return object->time <= analysis->totals.peak_time &&
	       !(peak->later.count && object_table_find(&peak->later, object->address));
}

/* After an allocation was counted. is_peak: it made a new maximum. flow: it is of the window. */
static inline int peak_heap_allocated(const struct analysis *analysis,
				      const struct slab_object *object, bool is_peak, bool flow)
{
	struct peak_heap *peak = analysis->peak_heap;

	if (__builtin_expect(object->requested > object->allocated, false) && flow &&
	    peak_heap_add_excess(peak, object, (uint64_t)object->requested - object->allocated))
		return -ENOMEM;
	if (is_peak) {
		peak->ended.count = peak->resized.count = 0;
		return peak->later.count ? peak_heap_clear_later(peak) : 0;
	}
	if (__builtin_expect(object->time <= analysis->totals.peak_time, false))
		return peak_heap_add_later(peak, object);
	return 0;
}

/* Before the live bytes change, when an object ends. */
static inline int peak_heap_ended(const struct analysis *analysis, const struct slab_object *object)
{
	struct peak_heap *peak = analysis->peak_heap;
	struct slab_object *later;

	if (object->time > analysis->totals.peak_time)
		return 0;
	later = peak->later.count ? object_table_find(&peak->later, object->address) : NULL;
	if (!later)
		return peak_heap_add(&peak->ended, object);
	object_table_remove(&peak->later, later);
	return 0;
}

#endif
