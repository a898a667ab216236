// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Old objects by path: groups of one path with several labels have one history. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/damage.h"
#include "report/views/flame_counts.h"

/* The freed objects of the groups of a path: labels do not change which objects are old. */
struct history {
	struct lifetimes lifetimes;
	uint64_t frees, live, old_age;
};

static struct history *find_histories(const struct report *report, const size_t *path_of)
{
	const struct analysis *analysis = &report->analysis;
	struct history *histories = calloc(report->flame->path_count + 1, sizeof(*histories));

	for (size_t i = 0; histories && i < analysis->group_count; i++) {
		struct history *history = &histories[path_of[i]];
		const struct lifetimes *lifetimes = analysis->groups[i].lifetimes;

		history->frees += analysis->groups[i].frees;
		history->live += analysis->groups[i].live_objects;
		for (size_t k = 0; lifetimes && k < LIFETIME_BUCKETS; k++)
			history->lifetimes.counts[k] += lifetimes->counts[k];
	}
	for (size_t i = 0; histories && i < report->flame->path_count; i++)
		histories[i].old_age = damage_old_age(analysis, &histories[i].lifetimes,
						      histories[i].frees, histories[i].live);
	return histories;
}

static int compare_texts(const void *left, const void *right, void *data)
{
	const struct flame_path *paths = data;

	return strcmp(paths[*(const size_t *)left].text, paths[*(const size_t *)right].text);
}

/* For each path, the first with the same text. NULL: no memory. */
static size_t *find_equal_paths(const struct flame *flame)
{
	size_t *order = calloc(flame->path_count + 1, sizeof(*order));
	size_t *equal = calloc(flame->path_count + 1, sizeof(*equal));

	for (size_t i = 0; order && i < flame->path_count; i++)
		order[i] = i;
	if (order && equal && flame->path_count)
		qsort_r(order, flame->path_count, sizeof(*order), compare_texts, flame->paths);
	for (size_t i = 0; order && equal && i < flame->path_count; i++)
		equal[order[i]] = i && !compare_texts(&order[i - 1], &order[i], flame->paths)
					  ? equal[order[i - 1]]
					  : order[i];
	free(order);
	return equal;
}

int flame_add_old(const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	size_t *equal = find_equal_paths(report->flame), next = 0;
	struct history *histories = equal ? find_histories(report, equal) : NULL;
	const struct slab_object *object;

	while (histories && (object = analysis_next_live(analysis, &next))) {
		struct flame_path *path = &report->flame->paths[object->group];
		struct flame_values values = flame_counts_weigh(analysis, object);

		if (damage_age(analysis, object) < histories[equal[object->group]].old_age)
			continue;
		path->shown.objects += values.objects;
		path->shown.bytes += values.bytes;
		path->shown.variance += values.variance;
	}
	free(equal);
	free(histories);
	return histories ? 0 : -ENOMEM;
}
