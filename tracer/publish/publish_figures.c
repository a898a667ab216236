// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A name is compared once with each row of the metrics; rows are only added. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "tracer/publish/publish_figures.h"

_Static_assert(TRIGGERS_MAX <= 16, "a mask has a bit for each trigger");

void publish_figures_init(struct publish_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	pthread_mutex_init(&figures->mutex, NULL);
	figures->enabled = true;
}

void publish_figures_deinit(struct publish_figures *figures)
{
	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++)
		free(figures->masks[kind]);
	figures_pairs_deinit(&figures->pairs);
	if (figures->enabled)
		pthread_mutex_destroy(&figures->mutex);
	memset(figures, 0, sizeof(*figures));
}

bool publish_figures_want(struct publish_figures *figures, const struct trigger *triggers,
			  size_t count)
{
	if (pthread_mutex_trylock(&figures->mutex))
		return false;
	memcpy(figures->wanted, triggers, count * sizeof(*triggers));
	figures->wanted_count = count;
	figures->generation++;
	pthread_mutex_unlock(&figures->mutex);
	return true;
}

bool publish_figures_get(struct publish_figures *figures, struct figures *latest)
{
	if (pthread_mutex_trylock(&figures->mutex))
		return false;
	*latest = figures->latest;
	pthread_mutex_unlock(&figures->mutex);
	return true;
}

/* Several functions of one name are "name#1", "name#2" in the metrics. */
static bool names_row(const struct trigger *trigger, enum metrics_kind kind, const char *row)
{
	size_t length = strlen(trigger->name);

	if (strncmp(row, trigger->name, length) != 0)
		return false;
	return !row[length] || (kind == METRICS_FUNCTION && row[length] == '#');
}

static uint16_t find_mask(const struct publish_figures *figures, enum metrics_kind kind,
			  const char *row)
{
	uint16_t mask = 0;

	for (size_t i = 0; row && i < figures->trigger_count; i++) {
		const struct trigger *trigger = &figures->triggers[i];

		if (trigger->scope == TRIGGER_OF_NAME ||
		    trigger->scope ==
			    (kind == METRICS_CACHE ? TRIGGER_OF_CACHE : TRIGGER_OF_FUNCTION))
			mask |= (uint16_t)(names_row(trigger, kind, row) << i);
	}
	return mask;
}

static int update_masks(struct publish_figures *figures, const struct metrics *metrics)
{
	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++) {
		const struct metrics_table *table = &metrics->tables[kind];
		uint16_t *masks;

		masks = array_grow_zeroed(figures->masks[kind], &figures->mask_space[kind],
					  table->count, sizeof(*masks));
		if (!masks)
			return -ENOMEM;
		figures->masks[kind] = masks;
		for (size_t *i = &figures->mask_count[kind]; *i < table->count; ++*i)
			masks[*i] = find_mask(figures, kind, table->rows[*i].name);
	}
	return 0;
}

static void take_wanted(struct publish_figures *figures)
{
	if (figures->next.generation == figures->generation)
		return;
	memcpy(figures->triggers, figures->wanted, sizeof(figures->triggers));
	figures->trigger_count = figures->wanted_count;
	figures->next.generation = figures->generation;
	memset(figures->mask_count, 0, sizeof(figures->mask_count));
	figures_pairs_forget(&figures->pairs);
}

/* named: the live bytes by number of the trigger; returns the triggers with a row. */
static uint16_t sum_rows(struct publish_figures *figures, enum metrics_kind kind,
			 const struct metrics_table *table, uint64_t *named)
{
	uint16_t found = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct metrics_row *row = &table->rows[i];
		uint64_t bytes = metrics_live_bytes(&row->total);
		unsigned int mask = figures->masks[kind][i];

		if (row->name)
			figures_holder_add(figures->next.holders[kind], row->name, bytes, false);
		found |= (uint16_t)mask;
		for (; mask; mask &= mask - 1)
			named[__builtin_ctz(mask)] += bytes;
	}
	return found;
}

/* caches: gets the triggers whose name is that of a cache, 1 << number each. */
static void find_figures(struct publish_figures *figures, const struct metrics *metrics,
			 uint16_t *caches)
{
	uint64_t named[METRICS_KINDS][TRIGGERS_MAX] = { 0 };
	uint16_t found = 0, found_any = 0;

	memset(figures->next.holders, 0, sizeof(figures->next.holders));
	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++) {
		uint16_t here = sum_rows(figures, kind, &metrics->tables[kind], named[kind]);

		found_any |= here;
		if (kind == METRICS_CACHE)
			found = here;
	}
	figures->next.found = found_any;
	*caches = found;
	figures->next.live = metrics_live_bytes(&metrics->total);
	for (size_t i = 0; i < figures->trigger_count; i++)
		figures->next.live_of[i] = figures->triggers[i].scope == TRIGGER_OF_ALL
						   ? figures->next.live
					   : found >> i & 1 ? named[METRICS_CACHE][i]
							    : named[METRICS_FUNCTION][i];
}

/* The row of a cache or a group, by its index in the analysis; 0: not known, or no room for it. */
static size_t row_number(const struct metrics_table *table, uint32_t index)
{
	return index < table->row_of_count && table->row_of[index] ? table->row_of[index] - 1 : 0;
}

/* Is the pair one of the trigger's? by_cache: its name is that of a cache. */
static bool counts_for(const struct publish_figures *figures, const struct metrics *metrics,
		       size_t trigger, bool by_cache, const struct tally *pair)
{
	const enum metrics_kind kind = by_cache ? METRICS_CACHE : METRICS_FUNCTION;
	const uint32_t index = by_cache ? pair->cache : pair->group;

	return figures->triggers[trigger].scope == TRIGGER_OF_ALL ||
	       figures->masks[kind][row_number(&metrics->tables[kind], index)] >> trigger & 1;
}

/* Several pairs belong to one function, or to one process. */
struct figures_sum {
	uint64_t bytes, then;
	bool is_bound;
};

/* The trigger that is looked at. */
struct figures_search {
	struct publish_figures *figures;
	const struct metrics *metrics;
	size_t trigger;
	bool by_cache;
	struct figures_sum *sums;
};

static void add_functions(const struct figures_search *search, const struct figures_snapshot *then)
{
	const struct metrics_table *table = &search->metrics->tables[METRICS_FUNCTION];
	const struct figures_pairs *pairs = &search->figures->pairs;
	struct figures_culprits *culprits = &search->figures->next.culprits[search->trigger];
	const size_t count = MIN(pairs->count, pairs->tallies->count);

	for (size_t i = 0; i < count; i++) {
		const struct tally *pair = &pairs->tallies->list[i];
		struct figures_sum *sum = &search->sums[row_number(table, pair->group)];

		if (!counts_for(search->figures, search->metrics, search->trigger, search->by_cache,
				pair))
			continue;
		sum->bytes += pairs->live[i];
		sum->then += then ? figures_snapshot_live(then, i) : 0;
		sum->is_bound |= figures_pairs_is_bound(pairs, pair->cache);
	}
	for (size_t i = 1; i < table->count; i++) {
		const struct figures_sum *sum = &search->sums[i];

		figures_holder_add(culprits->holders, table->rows[i].name, sum->bytes,
				   sum->is_bound);
		if (then && sum->bytes > sum->then)
			figures_holder_add(culprits->growers, table->rows[i].name,
					   sum->bytes - sum->then, sum->is_bound);
	}
}

static void name_process(const struct details *details, size_t row, char *text, size_t size)
{
	const struct details_row *process = &details->tables[DETAILS_PROCESS].rows[row];

	if (row == DETAILS_INTERRUPT)
		snprintf(text, size, "(interrupts)");
	else if (row < DETAILS_FIRST)
		snprintf(text, size, "(other tasks)");
	else
		snprintf(text, size, "%s (pid %" PRIu64 ")", process->name, process->key);
}

/* By the last look at the live objects. */
static void add_processes(const struct figures_search *search, const struct details *details)
{
	struct figures_culprits *culprits = &search->figures->next.culprits[search->trigger];
	const struct figures_pairs *pairs = &search->figures->pairs;
	const struct details_scan *scan = &details->scan;
	char name[FIGURES_NAME];

	culprits->processes_time = scan->time;
	for (size_t i = 0; i < scan->held_count; i++) {
		const struct details_held *held = &scan->held[i];
		const struct tally *pair = &pairs->tallies->list[held->pair];
		struct figures_sum *sum = &search->sums[held->process];

		if (!counts_for(search->figures, search->metrics, search->trigger, search->by_cache,
				pair))
			continue;
		sum->bytes += held->bytes;
		sum->is_bound |= figures_pairs_is_bound(pairs, pair->cache);
	}
	for (size_t i = 0; i < details->tables[DETAILS_PROCESS].count; i++) {
		name_process(details, i, name, sizeof(name));
		figures_holder_add(culprits->processes, name, search->sums[i].bytes,
				   search->sums[i].is_bound);
	}
}

static int find_culprits(struct figures_search *search, const struct details *details,
			 uint64_t time, size_t size)
{
	const struct trigger *trigger = &search->figures->triggers[search->trigger];
	struct figures_culprits *culprits = &search->figures->next.culprits[search->trigger];
	const struct figures_snapshot *then = NULL;
	int err = 0;

	memset(culprits, 0, sizeof(*culprits));
	if (!trigger_needs_figures(trigger))
		return 0;
	if (trigger->kind == TRIGGER_GROWTH)
		then = figures_pairs_then(&search->figures->pairs, search->trigger,
					  trigger->window_ns, time, &err);
	if (err)
		return err;
	culprits->growth_ns = then ? time - then->time : 0;
	memset(search->sums, 0, size * sizeof(*search->sums));
	add_functions(search, then);
	if (!details || !details->scan.time)
		return 0;
	memset(search->sums, 0, size * sizeof(*search->sums));
	add_processes(search, details);
	return 0;
}

/* caches: see find_figures(). */
static int find_all_culprits(struct publish_figures *figures, const struct metrics *metrics,
			     const struct details *details, uint64_t time, uint16_t caches)
{
	struct figures_search search = { .figures = figures, .metrics = metrics };
	size_t size = metrics->tables[METRICS_FUNCTION].count;
	int err = 0;

	if (!figures->pairs.tallies || !figures->trigger_count)
		return 0;
	if (details)
		size = MAX(size, details->tables[DETAILS_PROCESS].count);
	search.sums = calloc(size + 1, sizeof(*search.sums));
	if (!search.sums)
		return -ENOMEM;
	for (size_t i = 0; i < figures->trigger_count && !err; i++) {
		search.trigger = i;
		search.by_cache = caches >> i & 1;
		err = find_culprits(&search, details, time, size);
	}
	free(search.sums);
	return err;
}

int publish_figures_step(struct publish_figures *figures, const struct metrics *metrics,
			 const struct details *details, uint64_t time, uint64_t uncounted)
{
	uint16_t caches;
	int err;

	if (!figures->enabled)
		return 0;
	pthread_mutex_lock(&figures->mutex);
	take_wanted(figures);
	pthread_mutex_unlock(&figures->mutex);
	err = update_masks(figures, metrics);
	if (err)
		return err;
	find_figures(figures, metrics, &caches);
	err = find_all_culprits(figures, metrics, details, time, caches);
	if (err)
		return err;
	figures->next.time = time;
	figures->next.uncounted = uncounted;
	pthread_mutex_lock(&figures->mutex);
	figures->latest = figures->next;
	pthread_mutex_unlock(&figures->mutex);
	return 0;
}
