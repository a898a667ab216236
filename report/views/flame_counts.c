// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts transitions by group for a flame. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/counters.h"
#include "base/array.h"
#include "report/views/flame_counts.h"

int flame_counts_init(struct flame_counts *counts)
{
	*counts = (struct flame_counts){ 0 };
	return live_parts_init(&counts->parts);
}

void flame_counts_deinit(struct flame_counts *counts)
{
	live_parts_deinit(&counts->parts);
	free(counts->list);
	counts->list = NULL;
	counts->count = 0;
}

struct flame_values flame_counts_weigh(const struct analysis *analysis,
				       const struct slab_object *object)
{
	const struct object_weight weight = counters_weight(analysis, object, false);
	struct flame_values values = { weight.objects, weight.allocated, 0 };
	double exact;

	if (analysis->estimates) {
		exact = estimate_weight(analysis->estimates, object);
		values.variance = exact * (exact - 1) * object->allocated * object->allocated;
	}
	return values;
}

static struct flame_count *find_count(struct flame_counts *counts, uint32_t group)
{
	while (counts->count <= group) {
		struct flame_count *list =
			array_grow(counts->list, counts->count, sizeof(*counts->list));

		if (!list)
			return NULL;
		counts->list = list;
		list[counts->count++] = (struct flame_count){ 0 };
	}
	return &counts->list[group];
}

/* sign: 1 or -1. */
static void add_values(struct flame_values *sum, struct flame_values values, int sign)
{
	sum->objects += (uint64_t)sign * values.objects; /* modulo 2^64 */
	sum->bytes += (uint64_t)sign * values.bytes;
	sum->variance += sign * values.variance;
}

static int change_live(struct flame_counts *counts, struct flame_count *count,
		       const struct transition *transition, struct flame_values values, int sign)
{
	const struct live_objects added = { (uint64_t)sign * values.objects,
					    (uint64_t)sign * values.bytes };

	if (count->peak != counts->peaks) {
		count->peak = counts->peaks;
		count->at_peak = count->live;
	}
	if (live_parts_change(&counts->parts, transition->group, transition->cache, added))
		return -ENOMEM;
	add_values(&count->live, values, sign);
	counts->live_bytes += (uint64_t)sign * values.bytes;
	if (counts->live_bytes > counts->peak_bytes) {
		counts->peak_bytes = counts->live_bytes;
		counts->peaks++;
		live_parts_new_peak(&counts->parts);
	}
	return 0;
}

/* As the analysis counts it. */
static void add_temporary(struct flame_count *count, const struct event *event,
			  const struct slab_object *object, bool no_allocation_between,
			  struct flame_values values, int sign)
{
	if (object->cpu == event->cpu && object->task == event->task && no_allocation_between)
		add_values(&count->temporary, values, sign);
}

int flame_counts_take(void *data, const struct analysis *analysis,
		      const struct transition *transition)
{
	const struct slab_object *object = transition->object;
	struct flame_counts *counts = data;
	struct flame_values values;
	struct flame_count *count;

	if (!object || transition->outcome == OUTCOME_RESIZED)
		return 0;
	count = find_count(counts, transition->group);
	if (!count)
		return -ENOMEM;
	values = flame_counts_weigh(analysis, object);
	switch (transition->outcome) {
	case OUTCOME_INITIAL:
	case OUTCOME_ALLOCATED:
		return change_live(counts, count, transition, values, 1);
	case OUTCOME_FREED:
		add_temporary(count, transition->event, object, transition->no_allocation_between,
			      values, 1);
		return change_live(counts, count, transition, values, -1);
	case OUTCOME_MISSED:
		return change_live(counts, count, transition, values, -1);
	case OUTCOME_MISSED_FREE_MATCHED:
		add_temporary(count, transition->event, object, transition->no_allocation_between,
			      values, 1);
		break;
	case OUTCOME_FREE_REASSIGNED:
		add_temporary(count, transition->earlier_free, object,
			      transition->earlier_no_allocation_between, values, -1);
		add_temporary(count, transition->event, object, transition->no_allocation_between,
			      values, 1);
		break;
	case OUTCOME_FAILED:
	case OUTCOME_UNMATCHED:
	case OUTCOME_NO_OBJECT:
	case OUTCOME_RESIZED:
	case OUTCOME_OTHER:
		break;
	}
	return 0;
}

struct flame_values flame_counts_at_peak(const struct flame_counts *counts, size_t group)
{
	const struct flame_count *count = &counts->list[group];

	return count->peak == counts->peaks ? count->at_peak : count->live;
}

void flame_counts_bound_peak(const struct flame_counts *counts, const struct report *report)
{
	for (size_t i = 0; i < counts->parts.count; i++) {
		const struct live_part *part = &counts->parts.list[i];

		report->flame->paths[part->group].is_bound |=
			report->bounds.caches[part->cache] &&
			live_parts_at_peak(&counts->parts, part).objects;
	}
}
