// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A group is a row of another summary, whose names are those of the group. Missed frees prove that
 * frees of their cache are missing; events that are lost, or that the file lacks, may be frees of
 * any.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "report/summaries/bounds.h"
#include "report/summaries/groups.h"

#define NO_CACHE_YET (SUMMARIES_NO_GROUP - 1)

/* The names of the group of a row. */
static void find_names(enum summaries_by by, const struct summary_row *row, const char **names)
{
	memset(names, 0, SUMMARY_NAMES * sizeof(*names));
	switch (by) {
	case SUMMARIES_BY_FUNCTION:
		names[0] = row->names[0];
		names[1] = row->names[1];
		break;
	case SUMMARIES_BY_MODULE:
		names[1] = row->names[1];
		break;
	case SUMMARIES_BY_CACHE:
		names[2] = row->names[2];
		break;
	}
}

static int group_rows(struct summaries_groups *groups, const struct summaries *summaries)
{
	for (size_t i = 0; i < summaries->sum.row_count; i++) {
		const struct summary_row *row = &summaries->sum.rows[i];
		const char *names[SUMMARY_NAMES];
		struct summary_row *group;

		groups->of_row[i] = SUMMARIES_NO_GROUP;
		if (!summaries->selected[i])
			continue;
		find_names(groups->by, row, names);
		group = summary_get_row(&groups->list, SUMMARY_CODE, names);
		if (!group)
			return -ENOMEM;
		summary_add_counts(&group->counts, &row->counts);
		groups->of_row[i] = (uint32_t)(group - groups->list.rows);
	}
	return 0;
}

static int set_facts(struct summaries_groups *groups, const struct summaries *summaries,
		     const struct summaries_groups *by_cache)
{
	bool lost = summaries_lack_frees(summaries);

	groups->facts = calloc(groups->list.row_count + 1, sizeof(*groups->facts));
	if (!groups->facts)
		return -ENOMEM;
	for (size_t i = 0; i < groups->list.row_count; i++)
		groups->facts[i].cache = NO_CACHE_YET;
	for (size_t i = 0; i < summaries->sum.row_count; i++) {
		const struct summary_counts *counts = &summaries->sum.rows[i].counts;
		struct summaries_group *group;
		uint32_t cache = by_cache->of_row[i];

		if (cache == SUMMARIES_NO_GROUP)
			continue;
		group = &groups->facts[groups->of_row[i]];
		if (group->cache == NO_CACHE_YET)
			group->cache = cache;
		else if (group->cache != cache)
			group->cache = SUMMARIES_NO_GROUP;
		group->is_bound |= counts->live_objects &&
				   (lost || by_cache->list.rows[cache].counts.missed);
	}
	return 0;
}

int summaries_groups_init(struct summaries_groups *groups, const struct summaries *summaries,
			  enum summaries_by by, const struct summaries_groups *by_cache)
{
	int err;

	*groups = (struct summaries_groups){
		.by = by,
		.of_row = calloc(summaries->sum.row_count + 1, sizeof(*groups->of_row)),
	};
	err = groups->of_row ? summary_init(&groups->list) : -ENOMEM;
	if (!err)
		err = group_rows(groups, summaries);
	return err ? err : set_facts(groups, summaries, by_cache ? by_cache : groups);
}

void summaries_groups_deinit(struct summaries_groups *groups)
{
	free(groups->of_row);
	free(groups->facts);
	summary_deinit(&groups->list);
}

char *summaries_group_name(const struct summaries_groups *groups, size_t group)
{
	char **names = groups->list.rows[group].names;

	switch (groups->by) {
	case SUMMARIES_BY_FUNCTION:
		return summaries_function_text(names[0], names[1]);
	case SUMMARIES_BY_MODULE:
		return summaries_module_text(names[1]);
	case SUMMARIES_BY_CACHE:
		break;
	}
	return strdup(names[2]);
}

double summaries_coverage(const struct summaries_groups *groups, size_t group,
			  const struct summaries_groups *by_cache)
{
	const struct summary_counts *counts = &groups->list.rows[group].counts;

	if (groups->facts[group].cache < by_cache->list.row_count)
		counts = &by_cache->list.rows[groups->facts[group].cache].counts;
	return analysis_coverage(summaries_frees(counts), counts->missed);
}
