// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of a summary, found by their names. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "fleet/summary/summary.h"

int summary_init(struct summary *summary)
{
	*summary = (struct summary){ 0 };
	return hash_map_init(&summary->by_names);
}

static void free_host(struct summary_host *host)
{
	free(host->kernel);
	free(host->arch);
	free(host->role);
	*host = (struct summary_host){ 0 };
}

static void free_row(struct summary_row *row)
{
	for (size_t i = 0; i < SUMMARY_NAMES; i++)
		free(row->names[i]);
}

void summary_deinit(struct summary *summary)
{
	for (size_t i = 0; i < summary->row_count; i++)
		free_row(&summary->rows[i]);
	for (size_t i = 0; i < summary->source_count; i++) {
		free(summary->sources[i].host);
		free(summary->sources[i].boot);
	}
	free(summary->rows);
	free(summary->sources);
	free_host(&summary->host);
	if (summary->by_names.slots)
		hash_map_deinit(&summary->by_names);
	*summary = (struct summary){ 0 };
}

int summary_set_host(struct summary *summary, const struct summary_host *host)
{
	struct summary_host copy = *host;

	copy.kernel = copy.arch = copy.role = NULL;
	if (host->kernel) {
		copy.kernel = strdup(host->kernel);
		copy.arch = strdup(host->arch ? host->arch : "");
		copy.role = strdup(host->role ? host->role : "");
		if (!copy.kernel || !copy.arch || !copy.role) {
			free_host(&copy);
			return -ENOMEM;
		}
	} else {
		copy = (struct summary_host){ 0 };
	}
	free_host(&summary->host);
	summary->host = copy;
	return 0;
}

size_t summary_name_count(enum summary_kind kind)
{
	return kind == SUMMARY_CODE ? 3 : 1;
}

static const char *full_name(const char *name)
{
	return name && *name ? name : SUMMARY_UNKNOWN;
}

static uint64_t hash_names(const struct hash_map *map, enum summary_kind kind,
			   const char *const *names)
{
	uint64_t hash = map->seed ^ kind;

	for (size_t i = 0; i < summary_name_count(kind); i++)
		hash = hash_keyed_text(hash, full_name(names[i])) + 1;
	return hash;
}

static bool has_names(const struct summary_row *row, enum summary_kind kind,
		      const char *const *names)
{
	if (row->kind != kind)
		return false;
	for (size_t i = 0; i < summary_name_count(kind); i++)
		if (strcmp(row->names[i], full_name(names[i])) != 0)
			return false;
	return true;
}

/* The row, or NULL: *hash is the key that it will have. Rows with one hash have keys in a row. */
static struct summary_row *find_summary_row(const struct summary *summary, enum summary_kind kind,
					    const char *const *names, uint64_t *hash)
{
	uint32_t number;

	*hash = hash_names(&summary->by_names, kind, names);
	for (; (number = hash_map_find(&summary->by_names, *hash)) != HASH_MAP_NONE; ++*hash)
		if (has_names(&summary->rows[number], kind, names))
			return &summary->rows[number];
	return NULL;
}

static struct summary_row *append_row(struct summary *summary, enum summary_kind kind,
				      const char *const *names, uint64_t hash)
{
	struct summary_row *rows, row = { .kind = kind };

	rows = array_grow(summary->rows, summary->row_count, sizeof(*rows));
	if (!rows)
		return NULL;
	summary->rows = rows;
	for (size_t i = 0; i < summary_name_count(kind); i++) {
		row.names[i] = strdup(full_name(names[i]));
		if (!row.names[i])
			goto no_memory;
	}
	if (summary->row_count >= HASH_MAP_NONE - 1 ||
	    hash_map_add(&summary->by_names, hash, (uint32_t)summary->row_count))
		goto no_memory;
	rows[summary->row_count] = row;
	return &rows[summary->row_count++];

no_memory:
	free_row(&row);
	return NULL;
}

struct summary_row *summary_get_row(struct summary *summary, enum summary_kind kind,
				    const char *const *names)
{
	uint64_t hash;
	struct summary_row *row = find_summary_row(summary, kind, names, &hash);

	return row ? row : append_row(summary, kind, names, hash);
}

struct summary_row *summary_count_row(struct summary *summary, enum summary_kind kind,
				      const char *const *names)
{
	static const char *const rest[SUMMARY_NAMES] = { SUMMARY_REST, SUMMARY_REST, SUMMARY_REST };
	uint64_t hash;
	struct summary_row *row = find_summary_row(summary, kind, names, &hash);

	if (row)
		return row;
	if (summary->row_count >= SUMMARY_ROWS_MAX)
		return summary_get_row(summary, kind, rest);
	return append_row(summary, kind, names, hash);
}

static int compare_rows(const void *a, const void *b)
{
	const struct summary_row *first = a, *second = b;
	int order = 0;

	if (first->kind != second->kind)
		return first->kind < second->kind ? -1 : 1;
	for (size_t i = 0; i < summary_name_count(first->kind) && !order; i++)
		order = strcmp(first->names[i], second->names[i]);
	return order;
}

void summary_sort(struct summary *summary)
{
	struct hash_map *map = &summary->by_names;

	if (!summary->row_count)
		return;
	qsort(summary->rows, summary->row_count, sizeof(*summary->rows), compare_rows);
	memset(map->slots, 0, (map->mask + 1) * sizeof(*map->slots));
	map->count = 0;
	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];
		uint64_t hash = hash_names(map, row->kind, (const char *const *)row->names);

		while (hash_map_find(map, hash) != HASH_MAP_NONE)
			hash++;
		hash_map_add(map, hash, (uint32_t)i); /* has room: it had these rows before */
	}
}

struct summary_counts summary_total(const struct summary *summary, enum summary_kind kind)
{
	struct summary_counts total = { 0 };

	for (size_t i = 0; i < summary->row_count; i++)
		if (summary->rows[i].kind == kind)
			summary_add_counts(&total, &summary->rows[i].counts);
	return total;
}
