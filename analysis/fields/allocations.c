// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The choice of an analysis, computed by expressions. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analysis/fields/allocations.h"

int allocations_init(struct allocations *allocations, struct query *query)
{
	int err;

	memset(allocations, 0, sizeof(*allocations));
	allocations->query = query;
	err = value_source_init(&allocations->source);
	return err ? err : aggregate_init(&allocations->groups, query);
}

void allocations_deinit(struct allocations *allocations)
{
	if (!allocations->query)
		return;
	aggregate_deinit(&allocations->groups);
	value_source_deinit(&allocations->source);
}

static bool takes_allocation(void *data, const struct analysis *analysis,
			     const struct transition *transition)
{
	struct allocations *allocations = data;

	value_source_take(&allocations->source, analysis, transition);
	return query_takes(allocations->query, &allocations->source, transition);
}

static int64_t find_group_key(void *data, const struct analysis *analysis,
			      const struct transition *transition)
{
	struct allocations *allocations = data;
	const struct query *query = allocations->query;
	struct value keys[QUERY_KEYS_MAX];

	value_source_take(&allocations->source, analysis, transition);
	for (size_t i = 0; i < query->by_count; i++)
		keys[i] = expression_value(&query->by[i], &allocations->source, transition);
	if (allocations->source.err)
		return allocations->source.err;
	return aggregate_find(&allocations->groups, keys);
}

int allocations_request(struct allocations *allocations, struct analysis_settings *settings,
			const struct capture *capture)
{
	settings->choice.data = allocations;
	if (allocations->query->has_where)
		settings->choice.takes = takes_allocation;
	if (settings->by == GROUP_BY_CALLER)
		settings->choice.key = find_group_key;
	return query_bind(allocations->query, &allocations->source, &capture->gfp);
}
