// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Moves what was counted from moment to moment. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "live/stats/details_stacks.h"
#include "live/top/table.h"

#define NSEC_PER_SEC 1e9

int top_table_init(struct top_table *table)
{
	memset(table, 0, sizeof(*table));
	return hash_map_init(&table->by_key);
}

static void free_row(struct table_row *row)
{
	free(row->key);
	free(row->name);
	free(row->life);
}

void top_table_deinit(struct top_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free_row(&table->rows[i]);
	free(table->rows);
	hash_map_deinit(&table->by_key);
	memset(table, 0, sizeof(*table));
}

int table_reset(struct top_table *table)
{
	top_table_deinit(table);
	return top_table_init(table);
}

void table_begin(struct top_table *table, uint64_t time, bool has_rest)
{
	table->before = table->time;
	table->time = time;
	table->has_rest |= has_rest;
	for (size_t i = 0; i < table->count; i++) {
		struct table_row *row = &table->rows[i];

		row->before = row->now;
		row->errors_before = row->errors;
		row->is_new = row->is_present = false;
	}
}

/* Two keys may have the same hash: the second gets the hash of the next salt. */
static uint32_t search_key(const struct top_table *table, const char *key, uint64_t *hash)
{
	for (uint64_t salt = 0;; salt++) {
		uint32_t index;

		*hash = hash_keyed_text(table->by_key.seed + salt, key);
		index = hash_map_find(&table->by_key, *hash);
		if (index == HASH_MAP_NONE || !strcmp(table->rows[index].key, key))
			return index;
	}
}

static uint32_t find_table_row(const struct top_table *table, const char *key)
{
	uint64_t hash;

	return search_key(table, key, &hash);
}

/* Bytes that a terminal may obey, and those of other character sets, become \xHH. */
static char *printable_name(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	for (const char *at = name; *at; at++) {
		if (*at < ' ' || *at > '~')
			fprintf(file, "\\x%02x", (unsigned char)*at);
		else
			putc(*at, file);
	}
	text_close(file, &text);
	return text;
}

static int add_table_row(struct top_table *table, const char *key, const char *name, uint64_t hash)
{
	struct table_row *rows = array_grow(table->rows, table->count, sizeof(*rows)), *row;

	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	row = &rows[table->count];
	*row = (struct table_row){ .key = strdup(key), .name = printable_name(name) };
	if (!row->key || !row->name || hash_map_add(&table->by_key, hash, (uint32_t)table->count)) {
		free_row(row);
		return -ENOMEM;
	}
	table->count++;
	return 0;
}

static int rename_row(struct table_row *row, const char *name)
{
	char *text;

	if (!strcmp(row->name, name))
		return 0;
	text = printable_name(name);
	if (!text)
		return -ENOMEM;
	free(row->name);
	row->name = text;
	return 0;
}

int table_put(struct top_table *table, const char *key, const char *name,
	      const struct details_counts *counts)
{
	uint64_t hash;
	uint32_t index = search_key(table, key, &hash);
	struct table_row *row;
	int err = 0;

	if (index == HASH_MAP_NONE) {
		err = add_table_row(table, key, name, hash);
		if (err)
			return err;
		row = &table->rows[table->count - 1];
		/* without a rest, a new row begins at 0, and so has rates */
		row->is_new = table->has_rest || !table->before;
	} else {
		row = &table->rows[index];
		err = rename_row(row, name);
	}
	if (!row->is_present)
		row->now = (struct details_counts){ 0 };
	row->is_present = true;
	details_counts_add(&row->now, counts);
	return err;
}

int table_put_estimate(struct top_table *table, const char *name,
		       const struct details_counts *counts, const struct table_errors *errors)
{
	int err = table_put(table, name, name, counts);

	if (!err)
		table->rows[find_table_row(table, name)].errors = *errors;
	return err;
}

void table_set_new(struct top_table *table, const char *key)
{
	uint32_t index = find_table_row(table, key);

	if (index != HASH_MAP_NONE)
		table->rows[index].is_new = true;
}

/*
 * A row that began again has no difference to before, nor has a row that may have been in the rest.
 */
static void settle_row(const struct top_table *table, struct table_row *row)
{
	if (row->now.allocations < row->before.allocations || row->now.frees < row->before.frees) {
		row->is_new = true;
		row->mark = (struct details_counts){ 0 };
	}
	if (!row->is_new)
		return;
	row->before = row->now;
	row->errors_before = row->errors;
	if (table->has_rest || !table->before)
		row->mark = row->now;
}

static int add_point(const struct top_table *table, struct table_row *row)
{
	if (!row->life)
		row->life = calloc(TABLE_POINTS, sizeof(*row->life));
	if (!row->life)
		return -ENOMEM;
	row->life[table->next_point] = (float)(row->now.allocated - row->now.freed);
	if (row->points < TABLE_POINTS)
		row->points++;
	return 0;
}

static int add_points(struct top_table *table)
{
	int err = 0;

	if (table->time < table->next_at)
		return 0;
	for (size_t i = 0; i < table->count && !err; i++)
		err = add_point(table, &table->rows[i]);
	table->next_point = (table->next_point + 1) % TABLE_POINTS;
	table->next_at = table->time + TABLE_POINT_NS;
	return err;
}

int table_end(struct top_table *table)
{
	struct hash_map by_key;
	size_t count = 0;
	int err = hash_map_init(&by_key);

	if (err)
		return err;
	hash_map_deinit(&table->by_key);
	table->by_key = by_key;
	for (size_t i = 0; i < table->count; i++) {
		struct table_row row = table->rows[i];
		uint64_t hash;

		if (!row.is_present) {
			free_row(&row);
			continue;
		}
		settle_row(table, &row);
		table->rows[count] = row;
		/* finds a hash that no row before this one has */
		search_key(table, row.key, &hash);
		if (!err)
			err = hash_map_add(&table->by_key, hash, (uint32_t)count);
		count++;
	}
	table->count = count;
	return err ? err : add_points(table);
}

void table_set_mark(struct top_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->rows[i].mark = table->rows[i].now;
	table->mark = table->time;
}

const struct table_row *table_find(const struct top_table *table, const char *key)
{
	uint32_t index = find_table_row(table, key);

	return index == HASH_MAP_NONE ? NULL : &table->rows[index];
}

static uint64_t live_bytes(const struct details_counts *counts)
{
	return counts->allocated - counts->freed;
}

static uint64_t live_objects(const struct details_counts *counts)
{
	return counts->allocations - counts->frees;
}

/* The intervals of the live bytes, of all bytes allocated, and of those since the moment before. */
static void find_ranges(const struct top_table *table, const struct table_row *row,
			struct row_figures *figures, double seconds)
{
	const struct table_errors *now = &row->errors, *before = &row->errors_before;
	const struct estimates *sampling = &table->sampling;
	double live = (double)now->live, allocated = (double)now->allocated;
	double earlier = (double)before->allocated;
	struct estimate_range *rate = &figures->allocated_s_range;

	figures->live_range =
		estimate_range_bytes(sampling, figures->live_bytes, live * live, ESTIMATE_LIVE);
	figures->allocated_range = estimate_range_bytes(sampling, row->now.allocated,
							allocated * allocated, ESTIMATE_ALLOCATED);
	if (figures->live_bytes)
		figures->error = estimate_error(figures->live_range, figures->live_bytes);
	if (!figures->has_rates)
		return;
	*rate = estimate_range_bytes(sampling, row->now.allocated - row->before.allocated,
				     allocated * allocated - earlier * earlier, ESTIMATE_ALLOCATED);
	rate->low = (uint64_t)((double)rate->low / seconds);
	rate->high = (uint64_t)((double)rate->high / seconds);
}

void table_figures(const struct top_table *table, const struct table_row *row,
		   struct row_figures *figures)
{
	const struct details_counts *now = &row->now, *before = &row->before;
	double seconds = (double)(table->time - table->before) / NSEC_PER_SEC;

	memset(figures, 0, sizeof(*figures));
	figures->live_objects = live_objects(now);
	figures->live_bytes = live_bytes(now);
	figures->since_mark = (int64_t)(live_bytes(now) - live_bytes(&row->mark));
	figures->since_mark_objects = (int64_t)(live_objects(now) - live_objects(&row->mark));
	figures->has_rates = table->before && table->time > table->before && !row->is_new;
	figures->error = NAN;
	if (table->sampling.interval)
		find_ranges(table, row, figures, seconds);
	if (!figures->has_rates)
		return;
	figures->allocations_s = (double)(now->allocations - before->allocations) / seconds;
	figures->frees_s = (double)(now->frees - before->frees) / seconds;
	figures->allocated_s = (double)(now->allocated - before->allocated) / seconds;
	figures->growth_s = (double)(int64_t)(live_bytes(now) - live_bytes(before)) / seconds;
}

float table_point(const struct top_table *table, const struct table_row *row, size_t i)
{
	return row->life[(table->next_point + TABLE_POINTS - row->points + i) % TABLE_POINTS];
}

void table_total(const struct top_table *table, struct table_row *total)
{
	memset(total, 0, sizeof(*total));
	for (size_t i = 0; i < table->count; i++) {
		details_counts_add(&total->now, &table->rows[i].now);
		details_counts_add(&total->before, &table->rows[i].before);
		details_counts_add(&total->mark, &table->rows[i].mark);
	}
	total->is_new = !table->before;
}
