// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts transitions by group for a flame. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/delta.h"
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
	const struct object_weight weight = weigh_object(analysis, object);
	struct flame_values values = { weight.objects, weight.allocated, 0 };

	if (analysis->estimates)
		values.variance = estimate_bytes_variance(analysis->estimates, object);
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
		       const struct transition *transition, const struct delta *delta)
{
	const struct live_objects added = { delta_live_objects(delta), delta_live_bytes(delta) };

	if (count->peak != counts->peaks) {
		count->peak = counts->peaks;
		count->at_peak = count->live;
	}
	if (live_parts_change(&counts->parts, transition->group, transition->cache, added))
		return -ENOMEM;
	count->live.objects += added.objects;
	count->live.bytes += added.bytes;
	count->live.variance += delta->freed ? -delta->variance : delta->variance;
	counts->live_bytes += added.bytes;
	if (counts->live_bytes > counts->peak_bytes) {
		counts->peak_bytes = counts->live_bytes;
		counts->peaks++;
		live_parts_new_peak(&counts->parts);
	}
	return 0;
}

int flame_counts_take(void *data, const struct analysis *analysis,
		      const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);
	struct flame_counts *counts = data;
	struct flame_count *count;

	if (!transition->object || transition->outcome == OUTCOME_RESIZED)
		return 0;
	count = find_count(counts, transition->group);
	if (!count)
		return -ENOMEM;
	if (delta.temporary)
		add_values(&count->temporary, flame_counts_weigh(analysis, transition->object),
			   (int64_t)delta.temporary > 0 ? 1 : -1);
	return delta_live_objects(&delta) ? change_live(counts, count, transition, &delta) : 0;
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
