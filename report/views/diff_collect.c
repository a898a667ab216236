// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts the transitions of an analysis by group and time slice. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "report/views/diff_collect.h"
#include "report/views/row_names.h"

_Static_assert(DIFF_SLICES_MAX == SLICES_MAX, "the slices of both are merged together");

/* The names that a group by call site has, as bits; or -ENOMEM. */
static int64_t find_names(const struct diff_collect *collect, const struct group *group)
{
	const struct diff_side *side = collect->side;
	int64_t names = 0;
	char *site;

	if (!side->named_count || collect->report->settings.by != GROUP_BY_SITE)
		return 0;
	site = group_name(collect->report, group);
	if (!site)
		return -ENOMEM;
	for (size_t i = 0; i < side->named_count && names >= 0; i++) {
		int is = side->named[i].name.scope == DIFF_OF_CACHE
				 ? 0
				 : diff_name_is_site(&side->named[i].name, site);

		names = is < 0 ? is : names | (int64_t)is << i;
	}
	free(site);
	return names;
}

static struct diff_counted *find_group(struct diff_collect *collect,
				       const struct analysis *analysis, uint32_t number)
{
	struct diff_counted *counted;
	int64_t names;

	if (number >= collect->group_space) {
		size_t space = 2 * (size_t)number + 64;
		struct diff_counted **groups =
			realloc(collect->groups, space * sizeof(struct diff_counted *));

		if (!groups)
			return NULL;
		memset(groups + collect->group_space, 0,
		       (space - collect->group_space) * sizeof(struct diff_counted *));
		collect->groups = groups;
		collect->group_space = space;
	}
	counted = collect->groups[number];
	if (counted)
		return counted;
	names = find_names(collect, &analysis->groups[number]);
	counted = names < 0 ? NULL : calloc(1, sizeof(*counted));
	if (counted)
		counted->named = (uint64_t)names;
	collect->groups[number] = counted;
	return counted;
}

/* The slice of the time; where the width of slices doubles, all histories are merged. */
static size_t find_slice(struct diff_collect *collect, uint64_t time)
{
	unsigned int doublings = collect->slices.doublings;
	size_t slice = slices_include(&collect->slices, time);

	for (; doublings < collect->slices.doublings; doublings++) {
		for (size_t i = 0; i < collect->group_space; i++)
			if (collect->groups[i])
				diff_figures_merge_slices(&collect->groups[i]->figures);
		for (size_t i = 0; i < collect->side->named_count; i++) {
			diff_figures_merge_slices(&collect->cache_named[i].figures);
			diff_figures_merge_slices(&collect->code_named[i].figures);
		}
		diff_figures_merge_slices(&collect->total.figures);
		diff_slices_merge(collect->side->events);
	}
	return slice;
}

static void add_slice_change(struct diff_figures *figures, enum diff_figure figure, size_t slice,
			     double value)
{
	figures->histories[figure].changes[slice] += value;
	figures->histories[figure].squares += value * fabs(value);
}

static void count_delta(struct diff_counted *counted, size_t slice, const struct delta *delta,
			const struct slab_object *object)
{
	struct diff_figures *figures = &counted->figures;
	double live = (double)(int64_t)delta_live_bytes(delta);
	/* of one object, which may stand for several */
	uint64_t debug = delta->debug ? delta->debug * object->allocated / delta->allocated : 0;

	if (delta->allocations) {
		add_slice_change(figures, DIFF_ALLOCATIONS, slice, (double)delta->allocations);
		add_slice_change(figures, DIFF_ALLOCATED, slice, (double)delta->allocated);
		add_slice_change(figures, DIFF_WASTE, slice,
				 (double)(delta->allocated - delta->debug) -
					 (double)delta->requested);
	}
	add_slice_change(figures, DIFF_LIVE_OBJECTS, slice,
			 (double)(int64_t)delta_live_objects(delta));
	add_slice_change(figures, DIFF_LIVE, slice, live);
	counted->live += live;
	figures->peaks[slice] = fmax(figures->peaks[slice], counted->live);
	figures->peak = fmax(figures->peak, counted->live);
	figures->largest = fmax(figures->largest, object->allocated);
	figures->smallest = diff_smaller(figures->smallest, object->allocated);
	figures->most_waste =
		fmax(figures->most_waste, (double)(object->allocated - debug) - object->requested);
}

static int count_object(struct diff_collect *collect, const struct analysis *analysis,
			const struct transition *transition, size_t slice)
{
	const struct slab_object *object = transition->object;
	const struct delta delta = delta_of(analysis, transition);
	struct diff_counted *group = find_group(collect, analysis, object->group);
	const char *cache = cache_name(collect->report, object->cache);

	if (!group)
		return -ENOMEM;
	count_delta(group, slice, &delta, object);
	count_delta(&collect->total, slice, &delta, object);
	collect->side->events[slice] += (double)(delta.allocations + delta.frees);
	for (size_t i = 0; i < collect->side->named_count; i++) {
		const struct diff_name *name = &collect->side->named[i].name;

		if (name->scope != DIFF_OF_FUNCTION && !strcmp(cache, name->text))
			count_delta(&collect->cache_named[i], slice, &delta, object);
		if (group->named >> i & 1)
			count_delta(&collect->code_named[i], slice, &delta, object);
	}
	return 0;
}

static int collect_transition(void *data, const struct analysis *analysis,
			      const struct transition *transition)
{
	struct diff_collect *collect = data;
	size_t slice;

	switch (transition->outcome) {
	case OUTCOME_ALLOCATED:
	case OUTCOME_INITIAL:
	case OUTCOME_FREED:
	case OUTCOME_MISSED:
	case OUTCOME_UNMATCHED:
		break;
	default:
		return 0;
	}
	if (!collect->slices.width)
		slices_init_window(&collect->slices, analysis);
	slice = find_slice(collect, delta_time(analysis, transition));
	if (transition->outcome != OUTCOME_UNMATCHED)
		return count_object(collect, analysis, transition, slice);
	collect->side->events[slice]++;
	return 0;
}

int diff_collect_init(struct diff_collect *collect, struct report *report)
{
	struct analysis_settings *settings = &report->settings;
	size_t names = report->diff->named_count;

	*collect = (struct diff_collect){
		.side = report->diff,
		.cache_named = calloc(names + 1, sizeof(*collect->cache_named)),
		.code_named = calloc(names + 1, sizeof(*collect->code_named)),
		.report = report,
	};
	settings->observers[settings->observer_count++] =
		(struct observer){ .on_transition = collect_transition, .data = collect };
	return collect->cache_named && collect->code_named ? 0 : -ENOMEM;
}

void diff_collect_deinit(struct diff_collect *collect)
{
	for (size_t i = 0; i < collect->group_space; i++)
		free(collect->groups[i]);
	free(collect->groups);
	free(collect->cache_named);
	free(collect->code_named);
}

size_t diff_collect_slices(struct diff_collect *collect)
{
	const struct analysis *analysis = &collect->report->analysis;
	struct slices *slices = &collect->slices;
	uint64_t end = analysis->window_end;

	if (!slices->width)
		slices_init_window(slices, analysis);
	if (end > slices->begin)
		find_slice(collect, end - 1);
	for (size_t i = 0; i < slices->count; i++) {
		uint64_t begin = slices->begin + i * slices->width;
		uint64_t slice_end = slices_end(slices, i, end);

		collect->side->seconds[i] = slice_end > begin ? (double)(slice_end - begin) / 1e9
							      : 0;
	}
	return slices->count;
}
