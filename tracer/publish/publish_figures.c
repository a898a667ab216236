// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A name is compared once with each row of the metrics; rows are only added. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
}

static void add_holder(struct figures_holder *holders, const char *name, uint64_t bytes)
{
	size_t i = FIGURES_HOLDERS;

	while (i && bytes > holders[i - 1].bytes)
		i--;
	if (i == FIGURES_HOLDERS)
		return;
	memmove(&holders[i + 1], &holders[i], (FIGURES_HOLDERS - 1 - i) * sizeof(*holders));
	strncpy(holders[i].name, name, FIGURES_NAME - 1);
	holders[i].name[FIGURES_NAME - 1] = '\0';
	holders[i].bytes = bytes;
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
			add_holder(figures->next.holders[kind], row->name, bytes);
		found |= (uint16_t)mask;
		for (; mask; mask &= mask - 1)
			named[__builtin_ctz(mask)] += bytes;
	}
	return found;
}

static void find_figures(struct publish_figures *figures, const struct metrics *metrics)
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
	figures->next.live = metrics_live_bytes(&metrics->total);
	for (size_t i = 0; i < figures->trigger_count; i++)
		figures->next.live_of[i] = figures->triggers[i].scope == TRIGGER_OF_ALL
						   ? figures->next.live
					   : found >> i & 1 ? named[METRICS_CACHE][i]
							    : named[METRICS_FUNCTION][i];
}

int publish_figures_step(struct publish_figures *figures, const struct metrics *metrics,
			 uint64_t time, uint64_t uncounted)
{
	int err;

	if (!figures->enabled)
		return 0;
	pthread_mutex_lock(&figures->mutex);
	take_wanted(figures);
	pthread_mutex_unlock(&figures->mutex);
	err = update_masks(figures, metrics);
	if (err)
		return err;
	find_figures(figures, metrics);
	figures->next.time = time;
	figures->next.uncounted = uncounted;
	pthread_mutex_lock(&figures->mutex);
	figures->latest = figures->next;
	pthread_mutex_unlock(&figures->mutex);
	return 0;
}
