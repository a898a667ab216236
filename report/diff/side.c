// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of one capture, and the slices of their histories. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/side.h"

#define ROWS_FIRST 64

struct diff_row *diff_side_add(struct diff_side *side)
{
	/* the array doubles at each power of two */
	if (!side->count || (side->count >= ROWS_FIRST && !(side->count & (side->count - 1)))) {
		size_t space = side->count ? 2 * side->count : ROWS_FIRST;
		struct diff_row *rows = realloc(side->rows, space * sizeof(*rows));

		if (!rows)
			return NULL;
		side->rows = rows;
	}
	side->rows[side->count] =
		(struct diff_row){ .figures = calloc(1, sizeof(struct diff_figures)) };
	return side->rows[side->count].figures ? &side->rows[side->count++] : NULL;
}

void diff_slices_merge(double *values)
{
	for (size_t i = 0; i < DIFF_SLICES_MAX / 2; i++)
		values[i] = values[2 * i] + values[2 * i + 1];
	memset(values + DIFF_SLICES_MAX / 2, 0, DIFF_SLICES_MAX / 2 * sizeof(*values));
}

void diff_figures_merge_slices(struct diff_figures *figures)
{
	double *peaks = figures->peaks;

	for (size_t i = 0; i < DIFF_SLICED; i++)
		diff_slices_merge(figures->histories[i].changes);
	for (size_t i = 0; i < DIFF_SLICES_MAX / 2; i++)
		peaks[i] = fmax(peaks[2 * i], peaks[2 * i + 1]);
	memset(peaks + DIFF_SLICES_MAX / 2, 0, DIFF_SLICES_MAX / 2 * sizeof(*peaks));
}

void diff_figures_finish(struct diff_figures *figures, size_t slices)
{
	double live = 0;

	for (size_t i = 0; i < slices; i++) {
		figures->peaks[i] = fmax(figures->peaks[i], live);
		live += figures->histories[DIFF_LIVE].changes[i];
	}
}

void diff_side_merge_slices(struct diff_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		diff_figures_merge_slices(side->rows[i].figures);
	for (size_t i = 0; i < side->named_count; i++) {
		diff_figures_merge_slices(&side->named[i].cache);
		diff_figures_merge_slices(&side->named[i].code);
	}
	diff_figures_merge_slices(&side->total);
	diff_slices_merge(side->seconds);
	diff_slices_merge(side->events);
	side->slices = (side->slices + 1) / 2;
}

void diff_figures_add(struct diff_figures *sum, const struct diff_figures *figures)
{
	for (size_t i = 0; i < DIFF_SLICED; i++) {
		for (size_t slice = 0; slice < DIFF_SLICES_MAX; slice++)
			sum->histories[i].changes[slice] += figures->histories[i].changes[slice];
		sum->histories[i].squares += figures->histories[i].squares;
	}
	/* two groups need not have their peaks at one time */
	sum->peak = NAN;
	sum->largest = fmax(sum->largest, figures->largest);
	sum->smallest = diff_smaller(sum->smallest, figures->smallest);
	sum->most_waste = fmax(sum->most_waste, figures->most_waste);
	sum->doubtful += figures->doubtful;
	sum->doubtful_bytes += figures->doubtful_bytes;
	sum->unobserved += figures->unobserved;
}

double diff_figures_value(const struct diff_figures *figures, enum diff_figure figure,
			  size_t slices)
{
	double sum = 0;

	if (figure == DIFF_PEAK)
		return figures->peak;
	for (size_t i = 0; i < slices; i++)
		sum += figures->histories[figure].changes[i];
	return sum;
}

void diff_side_deinit(struct diff_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		struct diff_row *row = &side->rows[i];

		for (size_t key = 0; key < DIFF_KEYS_MAX; key++)
			free(row->keys[key]);
		free(row->match);
		free(row->cache);
		free(row->figures);
	}
	free(side->rows);
	free(side->named);
	side->rows = NULL;
	side->named = NULL;
	side->count = side->named_count = 0;
}
