// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds transitions to rows. A row is searched by name once for each cache and group. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cache_table.h"
#include "analysis/delta.h"
#include "base/array.h"
#include "base/hash.h"
#include "kernel/function_names.h"
#include "live/stats/metrics.h"

int metrics_init(struct metrics *metrics, const struct capture *capture, size_t top)
{
	int err;

	memset(metrics, 0, sizeof(*metrics));
	metrics->capture = capture;
	metrics->top = top;
	err = symbols_names_init(&metrics->symbols, &capture->symbols);
	for (size_t i = 0; i < METRICS_KINDS && !err; i++) {
		struct metrics_table *table = &metrics->tables[i];

		err = hash_map_init(&table->by_name);
		table->rows = array_grow(NULL, 0, sizeof(*table->rows));
		if (!table->rows)
			err = -ENOMEM;
		else
			table->rows[table->count++] = (struct metrics_row){ 0 };
	}
	if (err)
		metrics_deinit(metrics);
	return err;
}

void metrics_deinit(struct metrics *metrics)
{
	for (size_t i = 0; i < METRICS_KINDS; i++) {
		struct metrics_table *table = &metrics->tables[i];

		for (size_t j = 0; j < table->count; j++) {
			free(table->rows[j].name);
			free(table->rows[j].module);
		}
		free(table->rows);
		free(table->row_of);
		hash_map_deinit(&table->by_name);
	}
	symbols_names_deinit(&metrics->symbols);
	census_deinit(&metrics->census);
	memset(metrics, 0, sizeof(*metrics));
}

int metrics_reload_symbols(struct metrics *metrics)
{
	symbols_names_deinit(&metrics->symbols);
	return symbols_names_init(&metrics->symbols, &metrics->capture->symbols);
}

/* Returns its index, or HASH_MAP_NONE with the key for adding it. */
static uint32_t find_metrics_row(const struct metrics_table *table, const char *name,
				 const char *module, uint64_t *key)
{
	/* where two names have the same hash, the second gets the key of the next salt */
	for (uint64_t salt = 0;; salt++) {
		uint32_t found;

		*key = hash_keyed_text(hash_keyed_text(table->by_name.seed + salt, module), name);
		found = hash_map_find(&table->by_name, *key);
		if (found == HASH_MAP_NONE || (!strcmp(table->rows[found].name, name) &&
					       !strcmp(table->rows[found].module, module)))
			return found;
	}
}

/* The index of the row of that name, which is added if need be; or -ENOMEM. */
static int64_t get_row(struct metrics_table *table, const char *name, const char *module)
{
	struct metrics_row *rows, row = { 0 };
	uint64_t key;
	uint32_t found = find_metrics_row(table, name, module, &key);

	if (found != HASH_MAP_NONE)
		return found;
	if (table->count > METRICS_ROWS_MAX)
		return 0;
	rows = array_grow(table->rows, table->count, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	row.name = strdup(name);
	row.module = strdup(module);
	if (!row.name || !row.module ||
	    hash_map_add(&table->by_name, key, (uint32_t)table->count)) {
		free(row.name);
		free(row.module);
		return -ENOMEM;
	}
	rows[table->count] = row;
	return (int64_t)table->count++;
}

static int64_t find_function(struct metrics *metrics, const struct group *group)
{
	struct function_name name;
	int64_t row;

	if (function_name_find(&name, &metrics->symbols, group->key, group->first_time))
		return -ENOMEM;
	row = get_row(&metrics->tables[METRICS_FUNCTION], function_name_text(&name),
		      function_name_module(&name));
	free(name.text);
	return row;
}

/* The row of a cache or a group, by its index in the analysis; NULL: no memory. */
static struct metrics_row *row_of(struct metrics *metrics, const struct analysis *analysis,
				  enum metrics_kind kind, uint32_t index)
{
	struct metrics_table *table = &metrics->tables[kind];
	size_t count = kind == METRICS_CACHE ? analysis->cache_count : analysis->group_count;
	uint32_t *numbers;
	int64_t row;

	if (index >= count)
		return &table->rows[0];
	if (index >= table->row_of_count) {
		numbers = array_grow_zeroed(table->row_of, &table->row_of_count, count,
					    sizeof(*numbers));
		if (!numbers)
			return NULL;
		table->row_of = numbers;
	}
	if (!table->row_of[index]) {
		row = kind == METRICS_CACHE
			      ? get_row(table, analysis_cache_name(&analysis->caches[index]), "")
			      : find_function(metrics, &analysis->groups[index]);
		if (row < 0)
			return NULL;
		table->row_of[index] = (uint32_t)row + 1;
	}
	return &table->rows[table->row_of[index] - 1];
}

static int add_metrics_counts(struct metrics *metrics, const struct analysis *analysis,
			      uint32_t cache, uint32_t group, const struct metrics_counts *counts)
{
	const uint32_t indices[] = { [METRICS_CACHE] = cache, [METRICS_FUNCTION] = group };

	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++) {
		struct metrics_row *row = row_of(metrics, analysis, kind, indices[kind]);

		if (!row)
			return -ENOMEM;
		metrics_counts_add(&row->total, counts);
	}
	metrics_counts_add(&metrics->total, counts);
	return 0;
}

int metrics_on_transition(void *data, const struct analysis *analysis,
			  const struct transition *transition)
{
	const struct delta delta = delta_of(analysis, transition);
	const struct metrics_counts counts = {
		.allocations = delta.initial + delta.allocations,
		.frees = delta.frees + delta.missed,
		.allocated = delta.initial_bytes + delta.allocated,
		.freed = delta.freed,
		.missed = delta.missed,
	};
	struct metrics *metrics = data;

	metrics->failed += delta.failed;
	metrics->unmatched += delta.unmatched;
	if (!(counts.allocations | counts.frees | counts.missed))
		return 0;
	return add_metrics_counts(metrics, analysis, transition->cache, transition->group, &counts);
}

int metrics_add_tally(struct metrics *metrics, const struct analysis *analysis,
		      const struct tally *tally, const struct tally_count *count)
{
	const struct metrics_counts counts = {
		.allocations = count->allocations,
		.frees = count->frees,
		.allocated = count->allocated,
		.freed = count->freed,
	};

	return add_metrics_counts(metrics, analysis, tally->cache, tally->group, &counts);
}
