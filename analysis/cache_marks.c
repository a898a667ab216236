// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The events come in arrays, which are split at the times: no event is tested for them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/cache_marks.h"
#include "analysis/counters.h"
#include "analysis/matcher_state.h"

static int add_mark(struct analysis *analysis)
{
	struct cache_mark *mark = &analysis->marks[analysis->mark_count];
	uint64_t named = 0;

	mark->list = calloc(analysis->cache_count + 1, sizeof(*mark->list));
	if (!mark->list)
		return -ENOMEM;
	analysis->mark_count++;
	counters_flush_all(analysis);
	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];

		named += cache->frees_unmatched;
		mark->list[mark->count++] = (struct cache_count){
			.allocations = cache->allocations + cache->own_allocations,
			.frees = cache->frees + cache->own_frees + cache->frees_unmatched,
			.missed_frees = cache->missed_frees,
		};
	}
	mark->nameless_frees = analysis->totals.frees_unmatched - named;
	return 0;
}

size_t events_before(const struct event *events, size_t count, uint64_t time)
{
	size_t first = 0, end = count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (events[middle].time < time)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

int cache_marks_take(struct matcher *matcher, const struct event *events, size_t count)
{
	struct analysis *analysis = matcher->analysis;
	const struct analysis_settings *settings = &analysis->settings;
	int err = 0;

	while (analysis->mark_count < settings->mark_count && !err) {
		uint64_t time = settings->mark_times[analysis->mark_count];
		size_t before = events_before(events, count, time);

		if (before == count)
			break;
		err = matcher_take(matcher, events, before);
		if (!err)
			err = matcher_flush(matcher);
		if (!err)
			err = add_mark(analysis);
		events += before;
		count -= before;
	}
	return err ? err : matcher_take(matcher, events, count);
}

int cache_marks_add_rest(struct analysis *analysis)
{
	int err = 0;

	while (analysis->mark_count < analysis->settings.mark_count && !err)
		err = add_mark(analysis);
	return err;
}

void cache_marks_deinit(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->mark_count; i++)
		free(analysis->marks[i].list);
	analysis->mark_count = 0;
}
