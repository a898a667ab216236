// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A row is searched by name once for each pair of group and cache. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/cache_table.h"
#include "analysis/delta.h"
#include "fleet/summary/summary_count.h"
#include "kernel/function_names.h"

int summary_counter_init(struct summary_counter *counter, const struct capture *capture)
{
	int err;

	*counter = (struct summary_counter){ .capture = capture };
	err = symbols_names_init(&counter->symbols, &capture->symbols);
	if (!err)
		err = summary_init(&counter->counting);
	if (!err)
		err = hash_map_init(&counter->row_of);
	if (err)
		summary_counter_deinit(counter);
	return err;
}

void summary_counter_deinit(struct summary_counter *counter)
{
	summary_deinit(&counter->counting);
	if (counter->row_of.slots)
		hash_map_deinit(&counter->row_of);
	symbols_names_deinit(&counter->symbols);
	*counter = (struct summary_counter){ 0 };
}

int summary_count_reload_symbols(struct summary_counter *counter)
{
	symbols_names_deinit(&counter->symbols);
	return symbols_names_init(&counter->symbols, &counter->capture->symbols);
}

static struct summary_row *find_counted_row(struct summary_counter *counter,
					    const struct analysis *analysis, uint32_t group,
					    uint32_t cache)
{
	const char *names[SUMMARY_NAMES] = { NULL };
	struct function_name function = { 0 };
	struct summary_row *row;

	if (group < analysis->group_count) {
		const struct group *found = &analysis->groups[group];

		if (function_name_find(&function, &counter->symbols, found->key, found->first_time))
			return NULL;
		names[0] = function_name_text(&function);
		names[1] = function_name_module(&function);
	}
	if (cache < analysis->cache_count)
		names[2] = analysis_cache_name(&analysis->caches[cache]);
	row = summary_count_row(&counter->counting, SUMMARY_CODE, names);
	free(function.text);
	return row;
}

/* NULL: no memory. */
static struct summary_counts *counts_of(struct summary_counter *counter,
					const struct analysis *analysis, uint32_t group,
					uint32_t cache)
{
	uint64_t pair = (uint64_t)group << 32 | cache;
	uint32_t number = hash_map_find(&counter->row_of, pair);
	struct summary_row *row;

	if (number != HASH_MAP_NONE)
		return &counter->counting.rows[number].counts;
	row = find_counted_row(counter, analysis, group, cache);
	if (!row || hash_map_add(&counter->row_of, pair, (uint32_t)(row - counter->counting.rows)))
		return NULL;
	return &row->counts;
}

/* Counts may become negative, modulo 2^64. */
static void add_delta(struct summary_counts *counts, const struct delta *delta)
{
	counts->allocations += delta->allocations;
	counts->allocated += delta->allocated;
	counts->failed += delta->failed;
	counts->frees += delta->frees + delta->missed;
	counts->missed += delta->missed;
	counts->freed += delta->freed;
	counts->cross_cpu += delta->cross_cpu;
	counts->live_objects += delta_live_objects(delta);
	counts->live_bytes += delta_live_bytes(delta);
	if (delta->allocations)
		counts->allocated_variance += delta->variance;
	if (delta->allocations || delta->initial)
		counts->live_variance += delta->variance;
	else if (delta_live_objects(delta))
		/* the sums of variances are not exact */
		counts->live_variance =
			counts->live_objects ? counts->live_variance - delta->variance : 0;
}

int summary_count_transition(void *data, const struct analysis *analysis,
			     const struct transition *transition)
{
	struct summary_counter *counter = data;
	struct summary_counts *counts;
	struct delta delta;

	/* the other outcomes follow the outcome of an event that is counted here */
	counter->recorded += transition->outcome != OUTCOME_INITIAL &&
			     transition->outcome != OUTCOME_MISSED &&
			     transition->outcome != OUTCOME_MISSED_FREE_MATCHED &&
			     transition->outcome != OUTCOME_FREE_REASSIGNED;
	if (!transition->object && transition->outcome != OUTCOME_FAILED)
		return 0;
	if (transition->outcome == OUTCOME_RESIZED || transition->outcome == OUTCOME_OTHER)
		return 0;
	counts = counts_of(counter, analysis, transition->group, transition->cache);
	if (!counts)
		return -ENOMEM;
	delta = delta_of(analysis, transition);
	add_delta(counts, &delta);
	return 0;
}

int summary_count_tally(struct summary_counter *counter, const struct analysis *analysis,
			const struct tally *tally, const struct tally_count *count)
{
	struct summary_counts *counts = counts_of(counter, analysis, tally->group, tally->cache);

	if (!counts)
		return -ENOMEM;
	counter->recorded += (uint64_t)count->allocations + count->frees;
	counts->allocations += count->allocations;
	counts->frees += count->frees;
	counts->allocated += count->allocated;
	counts->freed += count->freed;
	counts->cross_cpu += count->cross_cpu;
	counts->live_objects += (uint64_t)count->allocations - count->frees; /* modulo 2^64 */
	counts->live_bytes += count->allocated - count->freed;
	return 0;
}

/* Takes a count, which is 0 then; a negative one stays. */
static uint64_t take_count(uint64_t *count)
{
	uint64_t taken = (int64_t)*count < 0 ? 0 : *count;

	*count -= taken;
	return taken;
}

/* The flows of the row become 0. */
static struct summary_counts take_counts(struct summary_counts *counts)
{
	const struct summary_counts taken = {
		.allocations = take_count(&counts->allocations),
		.frees = take_count(&counts->frees),
		.allocated = take_count(&counts->allocated),
		.freed = take_count(&counts->freed),
		.failed = take_count(&counts->failed),
		.cross_cpu = take_count(&counts->cross_cpu),
		.missed = take_count(&counts->missed),
		.live_objects = counts->live_objects,
		.live_bytes = counts->live_bytes,
		.allocated_variance = summary_round_variance(counts->allocated_variance),
		.live_variance = summary_round_variance(counts->live_variance),
	};

	counts->allocated_variance = 0;
	return taken;
}

static bool is_empty_count(const struct summary_counts *counts)
{
	return !(counts->allocations | counts->frees | counts->failed | counts->cross_cpu |
		 counts->missed | counts->live_objects | counts->live_bytes);
}

int summary_count_take(struct summary_counter *counter, struct summary *summary)
{
	int err = summary_init(summary);

	for (size_t i = 0; i < counter->counting.row_count && !err; i++) {
		struct summary_row *from = &counter->counting.rows[i], *row;
		const struct summary_counts counts = take_counts(&from->counts);

		if (is_empty_count(&counts))
			continue;
		row = summary_get_row(summary, from->kind, (const char *const *)from->names);
		if (row)
			row->counts = counts;
		else
			err = -ENOMEM;
	}
	if (err) {
		summary_deinit(summary);
		return err;
	}
	summary_sort(summary);
	summary->missing.recorded = counter->recorded;
	counter->recorded = 0;
	return 0;
}
