// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matches the rows of two captures by text, and call sites by their place in a function. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/match.h"

/* A row of either side that has no partner yet. */
struct match_list {
	const struct diff_row **rows;
	size_t count;
};

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *a = left, *b = right;
	int order = strcmp(a->match, b->match);

	if (order)
		return order;
	if (a->has_offset != b->has_offset)
		return a->has_offset - b->has_offset;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->size > b->size) - (a->size < b->size);
}

/* Frees the texts and figures of a row that was added to another one. */
static void free_added_row(struct diff_row *row)
{
	for (size_t key = 0; key < DIFF_KEYS_MAX; key++)
		free(row->keys[key]);
	free(row->match);
	free(row->cache);
	free(row->figures);
}

static void merge_equal(struct diff_side *side)
{
	size_t kept = 0;

	if (!side->count)
		return;
	qsort(side->rows, side->count, sizeof(*side->rows), compare_rows);
	for (size_t i = 1; i < side->count; i++) {
		struct diff_row *last = &side->rows[kept], *row = &side->rows[i];

		if (compare_rows(last, row)) {
			side->rows[++kept] = *row;
			continue;
		}
		diff_figures_add(last->figures, row->figures);
		if (last->cache && (!row->cache || strcmp(last->cache, row->cache))) {
			free(last->cache);
			last->cache = NULL;
		}
		free_added_row(row);
	}
	side->count = kept + 1;
}

static void add_pair(struct diff_pairs *pairs, const struct diff_row *a, const struct diff_row *b,
		     enum diff_how how)
{
	pairs->list[pairs->count++] = (struct diff_pair){ a, b, how };
}

/* Objects of the same slab cache; where one is of several or an unknown one, both may be. */
static bool can_match(const struct diff_row *a, const struct diff_row *b)
{
	return !a->cache || !b->cache || !strcmp(a->cache, b->cache);
}

/* The distance between two places, as shares of their functions if both sizes are known. */
static double measure_distance(const struct diff_row *a, const struct diff_row *b)
{
	if (a->size && b->size)
		return fabs((double)a->offset / (double)a->size -
			    (double)b->offset / (double)b->size);
	return fabs((double)a->offset - (double)b->offset) /
	       fmax(1, fmax((double)a->offset, (double)b->offset));
}

/* The best way to match the rows from here on. */
struct best_match {
	size_t pairs;
	double distance;
	enum {
		SKIP_A,
		SKIP_B,
		TAKE
	} choice;
};

static bool is_better(const struct best_match *best, size_t pairs, double distance)
{
	return pairs > best->pairs || (pairs == best->pairs && distance < best->distance);
}

static void choose_best_match(struct best_match *table, const struct match_list *a,
			      const struct match_list *b, size_t i, size_t k)
{
	size_t width = b->count + 1;
	const struct best_match *skip_a = &table[(i + 1) * width + k];
	const struct best_match *skip_b = &table[i * width + k + 1];
	const struct best_match *both = &table[(i + 1) * width + k + 1];
	struct best_match *best = &table[i * width + k];

	*best = (struct best_match){ skip_a->pairs, skip_a->distance, SKIP_A };
	if (is_better(best, skip_b->pairs, skip_b->distance))
		*best = (struct best_match){ skip_b->pairs, skip_b->distance, SKIP_B };
	if (can_match(a->rows[i], b->rows[k])) {
		double sum = both->distance + measure_distance(a->rows[i], b->rows[k]);

		if (is_better(best, both->pairs + 1, sum))
			*best = (struct best_match){ both->pairs + 1, sum, TAKE };
	}
}

/* Step 2. Rows that are matched become NULL. */
static int match_in_order(struct diff_pairs *pairs, struct match_list *a, struct match_list *b)
{
	size_t width = b->count + 1, i = 0, k = 0;
	struct best_match *table = calloc((a->count + 1) * width, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (size_t row = a->count; row-- > 0;)
		for (size_t column = b->count; column-- > 0;)
			choose_best_match(table, a, b, row, column);
	while (i < a->count && k < b->count) {
		switch (table[i * width + k].choice) {
		case SKIP_A:
			i++;
			break;
		case SKIP_B:
			k++;
			break;
		case TAKE:
			add_pair(pairs, a->rows[i], b->rows[k], DIFF_BY_OFFSET);
			a->rows[i++] = b->rows[k++] = NULL;
			break;
		}
	}
	free(table);
	return 0;
}

/* Step 1, of the rows from..to of each side with the same text; the others go into the lists. */
static void match_equal(struct diff_pairs *pairs, const struct diff_row *a, size_t a_count,
			const struct diff_row *b, size_t b_count, struct match_list *left_a,
			struct match_list *left_b)
{
	size_t i = 0, k = 0;

	left_a->count = left_b->count = 0;
	while (i < a_count || k < b_count) {
		int order = i == a_count ? 1 : k == b_count ? -1 : compare_rows(&a[i], &b[k]);

		if (!order)
			add_pair(pairs, &a[i++], &b[k++], DIFF_BY_NAME);
		else if (order < 0)
			left_a->rows[left_a->count++] = &a[i++];
		else
			left_b->rows[left_b->count++] = &b[k++];
	}
}

static void add_rest(struct diff_pairs *pairs, const struct match_list *a,
		     const struct match_list *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i])
			add_pair(pairs, a->rows[i], NULL, DIFF_NOT_MATCHED);
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i])
			add_pair(pairs, NULL, b->rows[i], DIFF_NOT_MATCHED);
}

/* The rows from `from` on that have the text. */
static size_t count_text(const struct diff_side *side, size_t from, const char *text)
{
	size_t end = from;

	while (end < side->count && !strcmp(side->rows[end].match, text))
		end++;
	return end - from;
}

static bool is_same_code(const struct diff_side *a, const struct diff_side *b)
{
	return a->kernel && a->kernel == b->kernel;
}

static int match_all(struct diff_pairs *pairs, const struct diff_side *a, const struct diff_side *b,
		     struct match_list *left_a, struct match_list *left_b)
{
	size_t i = 0, k = 0;
	int err = 0;

	while ((i < a->count || k < b->count) && !err) {
		const char *text;
		size_t a_count, b_count;

		if (k == b->count ||
		    (i < a->count && strcmp(a->rows[i].match, b->rows[k].match) < 0))
			text = a->rows[i].match;
		else
			text = b->rows[k].match;
		a_count = count_text(a, i, text);
		b_count = count_text(b, k, text);
		match_equal(pairs, a->rows + i, a_count, b->rows + k, b_count, left_a, left_b);
		/* in the same code, another offset is another call */
		if (left_a->count && left_b->count && !is_same_code(a, b))
			err = match_in_order(pairs, left_a, left_b);
		add_rest(pairs, left_a, left_b);
		i += a_count;
		k += b_count;
	}
	return err;
}

int diff_match(struct diff_pairs *pairs, struct diff_side *a, struct diff_side *b)
{
	struct match_list left_a = { 0 }, left_b = { 0 };
	int err = -ENOMEM;

	*pairs = (struct diff_pairs){ 0 };
	merge_equal(a);
	merge_equal(b);
	pairs->list = calloc(a->count + b->count + 1, sizeof(*pairs->list));
	left_a.rows = calloc(a->count + 1, sizeof(*left_a.rows));
	left_b.rows = calloc(b->count + 1, sizeof(*left_b.rows));
	if (pairs->list && left_a.rows && left_b.rows)
		err = match_all(pairs, a, b, &left_a, &left_b);
	free(left_a.rows);
	free(left_b.rows);
	return err;
}

void diff_pairs_deinit(struct diff_pairs *pairs)
{
	free(pairs->list);
	*pairs = (struct diff_pairs){ 0 };
}
