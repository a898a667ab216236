// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Old objects by path. Which objects are old depends on all objects of their call site, as in the
 * view leaks: its groups have one history, whatever else the paths show.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/fields/allocations.h"
#include "report/views/damage.h"
#include "report/views/flame_counts.h"

/* The freed objects of the groups of a call site. */
struct site_history {
	struct lifetimes *lifetimes;
	uint64_t frees, live, old_age;
};

static void free_histories(struct site_history *histories, size_t count)
{
	for (size_t i = 0; histories && i < count; i++)
		free(histories[i].lifetimes);
	free(histories);
}

static struct site_history *find_histories(const struct analysis *analysis, const size_t *site_of)
{
	struct site_history *histories = calloc(analysis->group_count + 1, sizeof(*histories));

	for (size_t i = 0; histories && i < analysis->group_count; i++) {
		struct site_history *history = &histories[site_of[i]];

		history->frees += analysis->groups[i].frees;
		history->live += analysis->groups[i].live_objects;
		if (lifetimes_add(&history->lifetimes, analysis->groups[i].lifetimes)) {
			free_histories(histories, analysis->group_count);
			return NULL;
		}
	}
	for (size_t i = 0; histories && i < analysis->group_count; i++)
		if (site_of[i] == i)
			histories[i].old_age = damage_old_age(analysis, histories[i].lifetimes,
							      histories[i].frees,
							      histories[i].live);
	return histories;
}

static int compare_sites(const void *left, const void *right, void *data)
{
	const struct report *report = data;
	const struct group *groups = report->analysis.groups;
	struct aggregate_group *const *list = report->allocations->groups.groups;
	size_t first = report->query->by_count - FLAME_SITE_KEYS;
	const struct value *a = list[groups[*(const size_t *)left].key]->keys + first;
	const struct value *b = list[groups[*(const size_t *)right].key]->keys + first;

	for (size_t i = 0; i < FLAME_SITE_KEYS; i++) {
		if (a[i].known != b[i].known)
			return a[i].known ? 1 : -1;
		if (a[i].number != b[i].number)
			return a[i].number < b[i].number ? -1 : 1;
	}
	return 0;
}

/* For each group, one group of its call site: all groups of the site get this one. NULL: no memory.
 */
static size_t *find_sites(const struct report *report)
{
	size_t count = report->analysis.group_count;
	size_t *order = calloc(count + 1, sizeof(*order)), *same = calloc(count + 1, sizeof(*same));

	for (size_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order && same && count)
		qsort_r(order, count, sizeof(*order), compare_sites, (void *)report);
	for (size_t i = 0; order && same && i < count; i++)
		same[order[i]] = i && !compare_sites(&order[i - 1], &order[i], (void *)report)
					 ? same[order[i - 1]]
					 : order[i];
	free(order);
	return same;
}

int flame_add_old(const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	size_t *site_of = find_sites(report), next = 0;
	struct site_history *histories = site_of ? find_histories(analysis, site_of) : NULL;
	const struct slab_object *object;

	while (histories && (object = analysis_next_live(analysis, &next))) {
		struct flame_path *path = &report->flame->paths[object->group];
		struct flame_values values = flame_counts_weigh(analysis, object);

		if (damage_age(analysis, object) < histories[site_of[object->group]].old_age)
			continue;
		path->shown.objects += values.objects;
		path->shown.bytes += values.bytes;
		path->shown.variance += values.variance;
		path->is_bound |= report->bounds.caches[object->cache];
	}
	free(site_of);
	free_histories(histories, analysis->group_count);
	return histories ? 0 : -ENOMEM;
}
