// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reading has no single time: each slab was read at some time between its begin and its end. An
 * object that was allocated after its begin is not judged.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "analysis/audit.h"
#include "analysis/missing.h"
#include "base/array.h"

int audit_note(struct audit *audit, const struct event *event)
{
	uint64_t *late;

	if (!event_is_one_of(event, RECORD_KINDS_WITH(RECORD_FREE)))
		return 0;
	late = array_grow(audit->late_frees, audit->late_free_count, sizeof(*late));
	if (!late)
		return -ENOMEM;
	audit->late_frees = late;
	late[audit->late_free_count++] = event->pointer;
	return 0;
}

/* The number of a cache in the last reading, or the count of these: it is gone. */
static size_t last_cache(struct audit *audit, const struct heap_reading *last, uint64_t address)
{
	for (size_t i = 0; i < last->cache_count; i++) {
		/* mostly the cache of the call before */
		size_t at = (audit->recent_cache + i) % last->cache_count;

		if (last->caches[at].address == address)
			return audit->recent_cache = at;
	}
	return last->cache_count;
}

static int add_unseen_free(struct analysis *analysis, uint64_t cache)
{
	const struct heap_reading *last = &analysis->capture->heap.list[1];
	struct audit *audit = &analysis->audit;

	if (!audit->unseen_of)
		audit->unseen_of = calloc(last->cache_count + 1, sizeof(*audit->unseen_of));
	if (!audit->unseen_of)
		return -ENOMEM;
	audit->unseen_of[last_cache(audit, last, cache)]++;
	audit->unseen_freed++;
	return 0;
}

int audit_note_unmatched(struct analysis *analysis, const struct event *event)
{
	const struct heap_readings *heap = &analysis->capture->heap;
	const struct heap_reading *first = &heap->list[0];
	const struct heap_slab *slab;

	if (heap->count < 2 || event->time < first->end)
		return 0;
	slab = heap_reading_slab(first, event->pointer);
	/* in no slab, or in one of a cache that it has left: but kfree() frees whole pages, too */
	if (event->has_cache &&
	    (!slab ||
	     (!slab->is_unknown && first->caches[slab->cache].address != event->cache->address)))
		return add_unseen_free(analysis, event->cache->address);
	if (heap_reading_state(first, event->pointer) != HEAP_OBJECT_FREE)
		return 0;
	return add_unseen_free(analysis, first->caches[slab->cache].address);
}

void audit_deinit(struct audit *audit)
{
	free(audit->late_frees);
	free(audit->unseen_of);
	*audit = (struct audit){ 0 };
}

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct slab_object *const *a = left, *const *b = right;

	return ((*a)->address > (*b)->address) - ((*a)->address < (*b)->address);
}

/* Does an object that ends, or is live, at this time count? With select.older, if it is so old. */
static bool is_counted(const struct analysis *analysis, const struct slab_object *object,
		       uint64_t time)
{
	const struct select *select = analysis->settings.select;

	return !(object->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW)) &&
	       (!select || !select->older ||
		(time >= object->time && time - object->time >= select->older));
}

static bool is_counted_at_end(const struct analysis *analysis, const struct slab_object *object)
{
	return is_counted(analysis, object, MIN(analysis->window_end, analysis->end));
}

/* Is it live by the events, and in a slab? */
static bool can_judge(const struct analysis *analysis, const struct slab_object *object)
{
	return !(object->flags & OBJECT_FREED) && object->cache < analysis->cache_count &&
	       !analysis->caches[object->cache].is_large;
}

/* Its free was missed. */
static int end_object(struct matcher *matcher, struct slab_object *object, uint64_t time)
{
	struct analysis *analysis = matcher->analysis;
	const struct event free = {
		.id = KMT_KFREE,
		.time = time,
		.pointer = object->address,
		.task = object->task,
		.cpu = object->cpu,
		.node = KMT_NODE_ANY,
	};
	int err = 0;

	if (is_counted(analysis, object, time)) {
		analysis->audit.dead++;
		analysis->audit.dead_bytes += object->allocated;
	}
	if (!(object->flags & (OBJECT_LEFT_OUT | OBJECT_PREWINDOW)))
		err = matcher_emit_end(matcher, OUTCOME_MISSED, &free, object, false);
	object_table_remove(&analysis->objects, object);
	return err;
}

/* Can it be another object, or a free one on a list that was not read? */
static bool is_unsure(const struct heap_cache *found, const struct cache *cache)
{
	return found->is_unsure || (cache && found->address != cache->address);
}

static enum heap_object_state judge_object(const struct analysis *analysis,
					   const struct heap_reading *reading,
					   const struct slab_object *object)
{
	const struct analysis_cache *of = &analysis->caches[object->cache];
	/* the kernel can have copies of a kmalloc cache, which count as one */
	const struct cache *cache = of->is_kmalloc ? NULL : of->cache;
	enum heap_object_state state = object->time < reading->begin
					       ? heap_reading_state(reading, object->address)
					       : HEAP_OBJECT_UNKNOWN;

	if (state == HEAP_OBJECT_ALLOCATED &&
	    is_unsure(&reading->caches[heap_reading_slab(reading, object->address)->cache], cache))
		return HEAP_OBJECT_UNKNOWN;
	return state;
}

/* Sets list to the objects that are free by the reading. */
static size_t find_dead(struct analysis *analysis, const struct heap_reading *reading,
			struct slab_object **list)
{
	struct slab_object *object;
	size_t count = 0, next = 0;

	analysis->audit.allocated = 0;
	for (size_t i = 0; i < analysis->cache_count; i++)
		analysis->caches[i].unjudged = 0;
	while ((object = object_table_next(&analysis->objects, &next))) {
		if (!can_judge(analysis, object))
			continue;
		switch (judge_object(analysis, reading, object)) {
		case HEAP_OBJECT_FREE:
		case HEAP_OBJECT_NO_SLAB:
			list[count++] = object;
			break;
		case HEAP_OBJECT_UNKNOWN:
			analysis->caches[object->cache].unjudged +=
				is_counted_at_end(analysis, object);
			break;
		case HEAP_OBJECT_ALLOCATED:
			analysis->audit.allocated += is_counted_at_end(analysis, object);
			break;
		}
	}
	return count;
}

static int end_dead(struct matcher *matcher, const struct heap_reading *reading)
{
	struct analysis *analysis = matcher->analysis;
	struct slab_object **list =
		calloc(analysis->objects.count + 1, sizeof(struct slab_object *));
	size_t count;
	int err = 0;

	if (!list)
		return -ENOMEM;
	count = find_dead(analysis, reading, list);
	qsort(list, count, sizeof(*list), compare_addresses);
	for (size_t i = 0; i < count && !err; i++)
		err = end_object(matcher, list[i], reading->begin);
	free(list);
	return err;
}

/* Has no event allocated it, and none freed it while it was read? */
static bool is_eventless(const struct analysis *analysis, uint64_t address)
{
	const struct audit *audit = &analysis->audit;
	const struct slab_object *object = object_table_find(&analysis->objects, address);

	if (object && !(object->flags & OBJECT_FREED))
		return false;
	return !audit->late_free_count ||
	       !bsearch(&address, audit->late_frees, audit->late_free_count, sizeof(address),
			compare_numbers);
}

/* The slab as the first reading has it; NULL: it is new, or its objects are not known. */
static const struct heap_slab *same_slab(const struct heap_readings *heap,
					 const struct heap_slab *slab, bool *is_known)
{
	const struct heap_reading *first = &heap->list[0], *last = &heap->list[1];
	const struct heap_slab *before = heap_reading_slab(first, slab->address);

	*is_known = !slab->is_unknown && !(before && before->is_unknown);
	if (!before || before->address != slab->address || before->objects != slab->objects ||
	    first->caches[before->cache].address != last->caches[slab->cache].address)
		return NULL;
	return before;
}

/* The objects of a slab that no event allocated. */
struct eventless {
	uint32_t unseen; /* allocated between the two readings */
	uint32_t older;	 /* allocated at both: at most */
};

static struct eventless count_eventless(const struct analysis *analysis,
					const struct heap_slab *slab)
{
	const struct heap_readings *heap = &analysis->capture->heap;
	const struct heap_reading *last = &heap->list[1];
	bool is_known;
	const struct heap_slab *before = same_slab(heap, slab, &is_known);
	struct eventless count = { 0 };

	/* what is left of a slab that changed has no objects */
	if (!is_known)
		count.older =
			MAX(slab->objects, MAX(slab->bytes / last->caches[slab->cache].size, 1));
	for (uint32_t i = 0; is_known && i < slab->objects; i++) {
		if (heap_slab_is_free(last, slab, i) ||
		    !is_eventless(analysis, heap_slab_object(last, slab, i)))
			continue;
		if (before && !heap_slab_is_free(&heap->list[0], before, i))
			count.older++;
		else if (!last->caches[slab->cache].is_unsure)
			count.unseen++;
	}
	return count;
}

/* Each of them can be the allocation of an object that has no event. */
static uint64_t lost_events(const struct analysis *analysis)
{
	const struct checkpoint_state *before = &analysis->capture->checkpoint;
	const struct missing missing = missing_of_capture(analysis);

	/* the first reading is of the begin of the set that a piece belongs to */
	return missing_events(&missing) + analysis->totals.untracked + before->lost +
	       (before->skipped == STATUS_UNKNOWN ? 0 : before->skipped) +
	       analysis->initial_missing;
}

/* unseen: by cache of the last reading. */
static void find_maybe_others(struct analysis *analysis, const uint64_t *unseen)
{
	const struct heap_reading *last = &analysis->capture->heap.list[1];
	const uint64_t lost = lost_events(analysis);
	const struct slab_object *object;
	const struct heap_slab *slab;
	size_t next = 0;

	while ((object = object_table_next(&analysis->objects, &next))) {
		if (!can_judge(analysis, object) || !is_counted_at_end(analysis, object) ||
		    judge_object(analysis, last, object) != HEAP_OBJECT_ALLOCATED)
			continue;
		slab = heap_reading_slab(last, object->address);
		if (unseen[slab->cache] > lost)
			analysis->caches[object->cache].maybe_others++;
	}
}

/*
 * unseen: by cache of the last reading, what is allocated. A lost event would explain so many.
 * Frees of objects that the first reading had free are no evidence here: each can be a double free.
 */
static void mark_unseen(struct analysis *analysis, const uint64_t *unseen)
{
	const struct heap_reading *last = &analysis->capture->heap.list[1];
	const uint64_t lost = lost_events(analysis);

	for (size_t i = 0; i < last->cache_count; i++) {
		if (unseen[i] <= lost)
			continue;
		for (size_t k = 0; k < analysis->cache_count; k++)
			if (!analysis->caches[k].is_kmalloc && analysis->caches[k].cache &&
			    analysis->caches[k].cache->address == last->caches[i].address)
				analysis->caches[k].has_unseen = true;
	}
}

/* Adds to unseen, by cache of the last reading. */
static void count_unseen_of_caches(struct analysis *analysis, uint64_t *unseen)
{
	const struct heap_reading *last = &analysis->capture->heap.list[1];
	struct audit *audit = &analysis->audit;

	for (size_t i = 0; i < last->slab_count; i++) {
		const struct heap_slab *slab = &last->slabs[i];
		struct eventless count = count_eventless(analysis, slab);
		uint64_t size = last->caches[slab->cache].size;

		audit->unseen += count.unseen;
		audit->unseen_bytes += count.unseen * size;
		audit->older += count.older;
		audit->older_bytes += count.older * size;
		unseen[slab->cache] += count.unseen;
	}
}

static int add_unseen(struct analysis *analysis)
{
	const size_t last_count = analysis->capture->heap.list[1].cache_count;
	uint64_t *unseen = calloc(last_count + 1, sizeof(*unseen));
	struct audit *audit = &analysis->audit;

	if (!unseen)
		return -ENOMEM;
	if (audit->late_free_count)
		qsort(audit->late_frees, audit->late_free_count, sizeof(*audit->late_frees),
		      compare_numbers);
	count_unseen_of_caches(analysis, unseen);
	/* with -p, others have no events */
	if (!analysis->capture->status.traced_pid_count)
		mark_unseen(analysis, unseen);
	for (size_t i = 0; audit->unseen_of && i < last_count; i++)
		unseen[i] += audit->unseen_of[i];
	find_maybe_others(analysis, unseen);
	audit->has_unseen = true;
	free(unseen);
	return 0;
}

int audit_take(struct matcher *matcher, const struct heap_reading *reading)
{
	int err = end_dead(matcher, reading);

	subscribers_finish(&matcher->subscribers);
	matcher->analysis->audit.time = reading->begin;
	return err;
}

int audit_run(struct matcher *matcher)
{
	struct analysis *analysis = matcher->analysis;
	const struct heap_readings *heap = &analysis->capture->heap;
	const struct heap_reading *last;
	int err;

	if (!heap->count)
		return 0;
	last = &heap->list[heap->count - 1];
	/* a piece can end before the reading of the set that it was cut from */
	if (!last->slab_count || MIN(analysis->window_end, analysis->end) < last->end)
		return 0;
	err = audit_take(matcher, last);
	return !err && heap->count == 2 ? add_unseen(analysis) : err;
}
