// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes as rows of tables. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/tables.h"

const char *const diff_figure_names[DIFF_FIGURES] = {
	[DIFF_ALLOCATIONS] = "allocations",   [DIFF_ALLOCATED] = "bytes_allocated",
	[DIFF_WASTE] = "bytes_wasted",	      [DIFF_GROWTH] = "growth_bytes",
	[DIFF_LIVE_OBJECTS] = "live_objects", [DIFF_LIVE] = "live_bytes",
	[DIFF_PEAK] = "peak_bytes",
};

static const char *const state_names[] = {
	[DIFF_NEW] = "new",	  [DIFF_GONE] = "gone", [DIFF_GROWN] = "grown",
	[DIFF_SHRUNK] = "shrunk", [DIFF_SAME] = "same",
};

static const char *const how_names[] = {
	[DIFF_BY_NAME] = "name",
	[DIFF_BY_OFFSET] = "offset",
	[DIFF_NOT_MATCHED] = "none",
};

const struct column diff_columns[DIFF_COLUMNS] = {
	[DIFF_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[DIFF_STATE] = { "state", "state", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "new, gone, grown, shrunk or same; ?: perhaps by chance, or by events that were not recorded" },
	[DIFF_FIGURE] = { "figure", "figure", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_CERTAIN] = { "certain", "certain", "", COLUMN_BOOL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_A] = { "a", "A", "", COLUMN_DECIMAL, 0, COLUMN_ALWAYS, NULL },
	[DIFF_B] = { "b", "B", "", COLUMN_DECIMAL, 0, COLUMN_ALWAYS, NULL },
	[DIFF_CHANGE] = { "change", "change", "", COLUMN_DECIMAL, 0, COLUMN_ALWAYS, NULL },
	[DIFF_PERCENT] = { "change_percent", "change", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			   NULL },
	[DIFF_LEAST] = { "change_certain", "certain", "", COLUMN_DECIMAL, 0, COLUMN_ALWAYS, NULL },
	[DIFF_LOW] = { "change_low", "change", "low", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_HIGH] = { "change_high", "change", "high", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT,
			NULL },
	[DIFF_A_LOW] = { "a_low", "A", "low", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_A_HIGH] = { "a_high", "A", "high", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_B_LOW] = { "b_low", "B", "low", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_B_HIGH] = { "b_high", "B", "high", COLUMN_DECIMAL, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_MATCHED] = { "matched", "matched", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT, NULL },
	[DIFF_NAME_B] = { "name_in_b", "in B", "", COLUMN_TEXT, 0, COLUMN_BELOW,
			  "the call site of B that is compared: the nearest" },
	[DIFF_RANK] = { "rank", "rank", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL },
};

/* A change, and its pair; NULL: of the totals. */
struct ranked_row {
	const struct diff_pair *pair;
	enum diff_figure figure;
	struct diff_change change;
};

static struct diff_change find_change(const struct diff *diff, enum diff_figure figure,
				      const struct diff_figures *a, const struct diff_figures *b)
{
	struct diff_estimate in_a = diff_estimate(&diff->a, &diff->a_work, figure, a, b);
	struct diff_estimate in_b = diff_estimate(&diff->b, &diff->b_work, figure, b, a);

	if (!diff_is_state(figure))
		return diff_change(in_a, in_b, &diff->level);
	return diff_change_of_state(in_a, in_b, diff->a_work.sum / diff->b_work.sum, &diff->level);
}

static const struct diff_figures *figures_of(const struct diff_row *row)
{
	return row ? row->figures : NULL;
}

bool diff_knows(const struct diff *diff, enum diff_figure figure)
{
	return !diff->a.lacks[figure] && !diff->b.lacks[figure];
}

static bool has_figure(const struct diff *diff, const struct diff_pair *pair,
		       enum diff_figure figure)
{
	double a = pair->a ? diff_figures_value(pair->a->figures, figure, diff->a.slices) : 0;
	double b = pair->b ? diff_figures_value(pair->b->figures, figure, diff->b.slices) : 0;

	return diff_knows(diff, figure) && (a || b) && !isnan(a) && !isnan(b);
}

static void count_pair(struct diff *diff, const struct diff_pair *pair)
{
	diff->by_offset += pair->how == DIFF_BY_OFFSET;
	diff->only_a += !pair->b;
	diff->only_b += !pair->a;
	for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++)
		diff->figures += has_figure(diff, pair, figure);
}

static void count_certain(struct diff *diff, const struct diff_pair *pair)
{
	for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++)
		if (has_figure(diff, pair, figure))
			diff->certain[figure] +=
				find_change(diff, figure, figures_of(pair->a), figures_of(pair->b))
					.is_certain;
}

int diff_compare(struct diff *diff)
{
	int err = diff_match(&diff->pairs, &diff->a, &diff->b);

	if (err)
		return err;
	for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++)
		diff->figures += diff_knows(diff, figure); /* of the totals */
	for (size_t i = 0; i < diff->pairs.count; i++)
		count_pair(diff, &diff->pairs.list[i]);
	diff_level_init(&diff->level, DIFF_ERROR / (double)diff->figures);
	for (size_t i = 0; i < diff->pairs.count; i++)
		count_certain(diff, &diff->pairs.list[i]);
	return 0;
}

/* Units of the text. */
static void set_units(struct column *columns, const struct diff *diff, enum diff_figure figure)
{
	for (enum diff_column i = DIFF_A; i <= DIFF_LEAST; i++)
		if (i != DIFF_PERCENT)
			columns[i].unit = diff_is_state(figure) ? "bytes" : diff->byte_unit;
}

struct column *diff_make_columns(const struct diff *diff, enum diff_figure figure, size_t *count)
{
	struct column *columns = calloc(DIFF_COLUMNS + DIFF_KEYS_MAX, sizeof(*columns));
	struct column *rest;

	if (!columns)
		return NULL;
	for (size_t i = 0; i < diff->key_count; i++) {
		columns[i] = diff_columns[DIFF_NAME];
		columns[i].key = columns[i].header = diff->keys[i];
	}
	rest = columns + diff->key_count - 1;
	memcpy(rest + 1, diff_columns + 1, (DIFF_COLUMNS - 1) * sizeof(*columns));
	if (figure < DIFF_FIGURES)
		set_units(rest, diff, figure);
	*count = diff->key_count + DIFF_COLUMNS - 1;
	return columns;
}

struct column *diff_make_total_columns(void)
{
	struct column *columns = calloc(DIFF_COLUMNS, sizeof(*columns));

	if (!columns)
		return NULL;
	memcpy(columns, diff_columns, sizeof(diff_columns));
	columns[DIFF_NAME].key = "name";
	columns[DIFF_NAME].header = "total";
	columns[DIFF_LEAST].legend = "the part of the change, B - A, that is certain";
	return columns;
}

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked_row *a = left, *b = right;
	double a_size = fabs(a->change.change), b_size = fabs(b->change.change);

	if (a->change.is_certain != b->change.is_certain)
		return a->change.is_certain ? -1 : 1;
	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	/* the pairs are in order of their names */
	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	return (int)a->figure - (int)b->figure;
}

/* So many digits are the same on all processors. An infinite value is not known. */
static double round_value(double value, int digits)
{
	char text[40];

	if (!isfinite(value))
		return NAN;
	snprintf(text, sizeof(text), "%.*g", digits, value);
	return strtod(text, NULL);
}

#define DIGITS 12
#define DIGITS_OF_INTERVALS 6

static int set_change(struct cell *cells, const struct diff_change *change, enum diff_figure figure,
		      bool marks)
{
	char *state = NULL;

	if (!isnan(change->change) &&
	    asprintf(&state, "%s%s", state_names[change->state],
		     marks && !change->is_certain && change->state != DIFF_SAME ? "?" : "") < 0)
		return -ENOMEM;
	cells[DIFF_STATE].text = state;
	cells[DIFF_FIGURE].text = strdup(diff_figure_names[figure]);
	cells[DIFF_CERTAIN].number = change->is_certain;
	cells[DIFF_A].decimal = round_value(change->a.value, DIGITS);
	cells[DIFF_B].decimal = round_value(change->b.value, DIGITS);
	cells[DIFF_CHANGE].decimal = round_value(change->change, DIGITS);
	cells[DIFF_PERCENT].decimal = round_value(change->percent, DIGITS_OF_INTERVALS);
	cells[DIFF_LEAST].decimal = round_value(change->least, DIGITS_OF_INTERVALS);
	cells[DIFF_LOW].decimal = round_value(change->low, DIGITS_OF_INTERVALS);
	cells[DIFF_HIGH].decimal = round_value(change->high, DIGITS_OF_INTERVALS);
	cells[DIFF_A_LOW].decimal = round_value(change->a.low, DIGITS);
	cells[DIFF_A_HIGH].decimal = round_value(change->a.high, DIGITS);
	cells[DIFF_B_LOW].decimal = round_value(change->b.low, DIGITS);
	cells[DIFF_B_HIGH].decimal = round_value(change->b.high, DIGITS);
	return cells[DIFF_FIGURE].text ? 0 : -ENOMEM;
}

static int copy_text(struct cell *cell, const char *text)
{
	if (!text)
		return 0;
	cell->text = strdup(text);
	return cell->text ? 0 : -ENOMEM;
}

static int add_change_row(const struct diff *diff, struct table *table,
			  const struct ranked_row *ranked, bool marks)
{
	const struct diff_pair *pair = ranked->pair;
	const struct diff_row *row = pair->a ? pair->a : pair->b;
	struct cell *cells = table_add(table), *rest;
	int err;

	if (!cells)
		return -ENOMEM;
	rest = cells + diff->key_count - 1;
	err = set_change(rest, &ranked->change, ranked->figure, marks);
	for (size_t i = 0; i < diff->key_count && !err; i++)
		err = copy_text(&cells[i], row->keys[i]);
	if (!err)
		err = copy_text(&rest[DIFF_MATCHED], how_names[pair->how]);
	if (!err)
		err = copy_text(&rest[DIFF_NAME_B],
				pair->how == DIFF_BY_OFFSET ? pair->b->keys[0] : "");
	rest[DIFF_RANK].number = table->rows;
	return err;
}

/* The changes of the figure, or of all, in order. NULL: no memory. */
static struct ranked_row *rank_changes(const struct diff *diff, enum diff_figure wanted,
				       size_t *count)
{
	struct ranked_row *list = calloc(diff->pairs.count * DIFF_FIGURES + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < diff->pairs.count; i++) {
		const struct diff_pair *pair = &diff->pairs.list[i];

		for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++)
			if ((wanted == figure || wanted == DIFF_FIGURES) &&
			    has_figure(diff, pair, figure))
				list[(*count)++] =
					(struct ranked_row){ pair, figure,
							     find_change(diff, figure,
									 figures_of(pair->a),
									 figures_of(pair->b)) };
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare_ranked);
	return list;
}

int diff_add_rows(const struct diff *diff, struct table *table, enum diff_figure figure, bool marks)
{
	size_t count;
	struct ranked_row *list = rank_changes(diff, figure, &count);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		err = add_change_row(diff, table, &list[i], marks);
	free(list);
	return err;
}

int diff_add_totals(const struct diff *diff, struct table *table, bool marks)
{
	for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++) {
		struct diff_change change;
		struct cell *cells;
		char *name = NULL;

		if (!diff_knows(diff, figure))
			continue;
		change = find_change(diff, figure, &diff->a.total, &diff->b.total);
		cells = table_add(table);
		if (!cells || set_change(cells, &change, figure, marks))
			return -ENOMEM;
		if (asprintf(&name, "%s%s", diff_figure_names[figure],
			     diff_is_state(figure) ? "" : diff->unit) < 0)
			return -ENOMEM;
		cells[DIFF_NAME].text = name;
		cells[DIFF_RANK].number = table->rows;
	}
	return 0;
}
