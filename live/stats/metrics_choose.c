// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses the rows that are shown, and adds the counts since the last choice to them or others. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/estimate.h"
#include "live/stats/metrics.h"

static int compare_rows(const void *left, const void *right)
{
	const struct metrics_row *a = *(struct metrics_row *const *)left;
	const struct metrics_row *b = *(struct metrics_row *const *)right;
	uint64_t live_a = metrics_live_bytes(&a->total), live_b = metrics_live_bytes(&b->total);

	if (live_a != live_b)
		return live_a < live_b ? 1 : -1;
	if (a->total.allocated != b->total.allocated)
		return a->total.allocated < b->total.allocated ? 1 : -1;
	return (a > b) - (a < b);
}

/* The count since the last choice: modulo 2^64, as all counters. */
static struct metrics_counts since_last(const struct metrics_row *row)
{
	return (struct metrics_counts){
		.allocations = row->total.allocations - row->last.allocations,
		.frees = row->total.frees - row->last.frees,
		.allocated = row->total.allocated - row->last.allocated,
		.freed = row->total.freed - row->last.freed,
	};
}

/* rows: all but the first, sorted. */
static void choose_rows(struct metrics_table *table, struct metrics_row **rows, size_t top)
{
	size_t count = table->count - 1, kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool was_shown = rows[i]->is_shown;

		rows[i]->is_shown = i < top || (was_shown && kept < top);
		kept += i >= top && rows[i]->is_shown;
		table->replaced += was_shown && !rows[i]->is_shown;
	}
	for (size_t i = 0; i < table->count; i++) {
		struct metrics_row *row = &table->rows[i];
		struct metrics_counts counts = since_last(row);

		metrics_counts_add(row->is_shown ? &row->shown : &table->rest, &counts);
		row->last = row->total;
	}
}

/* Several groups or caches of the analysis may have one name, and so one row. */
static void find_variances(struct metrics_table *table, const struct estimates *estimates,
			   bool by_cache)
{
	for (size_t i = 0; i < table->count; i++)
		table->rows[i].variance = 0;
	for (size_t i = 0; estimates && i < table->row_of_count; i++) {
		struct variance variance = by_cache ? estimates_of_cache(estimates, i)
						    : estimates_of_group(estimates, i);

		if (table->row_of[i])
			table->rows[table->row_of[i] - 1].variance += variance.live;
	}
}

int metrics_choose(struct metrics *metrics, const struct analysis *analysis)
{
	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++) {
		struct metrics_table *table = &metrics->tables[kind];
		struct metrics_row **rows = malloc(table->count * sizeof(struct metrics_row *));

		if (!rows)
			return -ENOMEM;
		for (size_t i = 1; i < table->count; i++)
			rows[i - 1] = &table->rows[i];
		qsort(rows, table->count - 1, sizeof(*rows), compare_rows);
		choose_rows(table, rows, metrics->top);
		free(rows);
		find_variances(table, analysis->estimates, kind == METRICS_CACHE);
	}
	return 0;
}
