// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables: adding rows, sorting in a reproducible order, cutting. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "report/render/table.h"

#define SORT_KEYS_MAX 16

struct sort_key {
	size_t column;
	bool descending;
};

struct sort {
	const struct table *table;
	struct sort_key keys[SORT_KEYS_MAX + TABLE_TIEBREAKS_MAX]; /* tiebreak columns are last */
	size_t count;
};

void table_init(struct table *table, const struct column *columns, size_t column_count)
{
	memset(table, 0, sizeof(*table));
	table->columns = columns;
	table->column_count = column_count;
}

static void table_free_texts(struct table *table, size_t column, size_t from)
{
	if (!column_is_text(table->columns[column].type))
		return;
	for (size_t row = from; row < table->rows; row++)
		free(table->cells[row * table->column_count + column].text);
}

static void table_free_rows(struct table *table, size_t from)
{
	for (size_t column = 0; column < table->column_count; column++)
		table_free_texts(table, column, from);
}

void table_deinit(struct table *table)
{
	table_free_rows(table, 0);
	for (size_t i = 0; table->others && i < table->column_count; i++)
		if (column_is_text(table->columns[i].type))
			free(table->others[i].text);
	free(table->others);
	free(table->cells);
	free(table->own_columns);
	table->cells = table->others = NULL;
	table->own_columns = NULL;
	table->rows = table->space = 0;
}

struct cell *table_add(struct table *table)
{
	size_t row_size = table->column_count * sizeof(*table->cells);
	struct cell *row;

	if (table->rows == table->space) {
		size_t space = table->space ? table->space * 2 : 64;
		struct cell *cells;

		if (space > SIZE_MAX / row_size)
			return NULL;
		cells = realloc(table->cells, space * row_size);
		if (!cells)
			return NULL;
		table->cells = cells;
		table->space = space;
	}
	row = table->cells + table->rows++ * table->column_count;
	memset(row, 0, row_size);
	table->rows_made = table->rows;
	return row;
}

struct cell *table_add_others(struct table *table)
{
	table->others = calloc(table->column_count, sizeof(*table->others));
	for (size_t i = 0; table->others && i < table->column_count; i++) {
		if (!column_is_text(table->columns[i].type))
			continue;
		table->others[i].text = strdup(i ? "" : "others");
		if (!table->others[i].text)
			return NULL;
	}
	return table->others;
}

int table_add_text(struct table *table, const char *text)
{
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[0].text = strdup(text);
	return row[0].text ? 0 : -ENOMEM;
}

static int refuse_sort_key(struct table *table, const char *key, size_t length)
{
	const char **keys = calloc(table->column_count + 1, sizeof(*keys));
	char text[41], suggestion[80] = "";
	char message[sizeof(table->error.text)];
	size_t count = 0, used;

	snprintf(text, sizeof(text), "%.*s", (int)length, key);
	for (size_t i = 0; keys && i < table->column_count; i++)
		if (table->columns[i].type != COLUMN_BAR)
			keys[count++] = table->columns[i].key;
	if (keys)
		suggest_text(text, keys, count, suggestion, sizeof(suggestion));
	used = snprintf(message, sizeof(message), "no sort key is named \"%s\"%s%s", text,
			suggestion, *suggestion ? " The keys are" : ": use");
	for (size_t i = 0; i < count && used < sizeof(message); i++)
		used += snprintf(message + used, sizeof(message) - used, "%s %s", i ? "," : "",
				 keys[i]);
	free(keys);
	return error_set(&table->error, -EINVAL, message);
}

static bool column_descends(enum column_type type)
{
	return type == COLUMN_NUMBER || type == COLUMN_NULLABLE || type == COLUMN_DECIMAL ||
	       type == COLUMN_DURATION || type == COLUMN_CHANGE || type == COLUMN_LIVE ||
	       type == COLUMN_BOUND;
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !memcmp(word, text, length);
}

/* The column of the key, or the only one with this word as its heading; column_count: none. */
static size_t find_sort_column(const struct table *table, const char *key, size_t length)
{
	size_t found = table->column_count, count = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->type == COLUMN_BAR)
			continue;
		if (is_word(column->key, key, length))
			return i;
		if (length && column->header && is_word(column->header, key, length)) {
			found = i;
			count++;
		}
	}
	return count == 1 ? found : table->column_count;
}

static int sort_add_key(struct sort *sort, struct table *table, const char *key, size_t length)
{
	struct sort_key *new;
	char direction = 0;
	size_t column;

	if (length && (*key == '-' || *key == '+')) {
		direction = *key++;
		length--;
	}
	column = find_sort_column(table, key, length);
	if (column == table->column_count)
		return refuse_sort_key(table, key, length);
	if (sort->count == SORT_KEYS_MAX)
		return error_format(&table->error, -EINVAL, "more than %d sort keys",
				    SORT_KEYS_MAX);
	new = &sort->keys[sort->count++];
	new->column = column;
	new->descending = direction ? direction == '-'
				    : column_descends(table->columns[column].type);
	return 0;
}

/* Unknown changes are the smallest. */
static uint64_t change_size(int64_t change)
{
	if (change == CHANGE_UNKNOWN)
		return 0;
	return 1 + (change < 0 ? -(uint64_t)change : (uint64_t)change);
}

static int cell_compare(enum column_type type, const struct cell *a, const struct cell *b)
{
	switch (type) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
		if (!a->text || !b->text)
			return !!a->text - !!b->text;
		return strverscmp(a->text, b->text);
	case COLUMN_DECIMAL:
		if (isnan(a->decimal) || isnan(b->decimal))
			return !!isnan(b->decimal) - !!isnan(a->decimal);
		/* fall through */
	case COLUMN_BAR:
		return (a->decimal > b->decimal) - (a->decimal < b->decimal);
	case COLUMN_TIME:
		return (a->time > b->time) - (a->time < b->time);
	case COLUMN_SIGNED:
		return (a->change > b->change) - (a->change < b->change);
	case COLUMN_CHANGE:
		if (change_size(a->change) != change_size(b->change))
			return change_size(a->change) > change_size(b->change) ? 1 : -1;
		return (a->change > b->change) - (a->change < b->change);
	case COLUMN_ID:
	case COLUMN_DURATION:
	case COLUMN_HEX:
	case COLUMN_BOOL:
	case COLUMN_NULLABLE:
		/* CELL_UNKNOWN becomes the smallest. */
		return (a->number + 1 > b->number + 1) - (a->number + 1 < b->number + 1);
	case COLUMN_BOUND:
		return a->truth - b->truth;
	case COLUMN_NUMBER:
	case COLUMN_LIVE:
		break;
	}
	return (a->number > b->number) - (a->number < b->number);
}

static int sort_compare(const void *left, const void *right, void *data)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct sort *sort = data;
	const struct table *table = sort->table;

	for (size_t i = 0; i < sort->count; i++) {
		const struct sort_key *key = &sort->keys[i];
		int order = cell_compare(table->columns[key->column].type,
					 table_row(table, a) + key->column,
					 table_row(table, b) + key->column);

		if (order)
			return key->descending ? -order : order;
	}
	return (a > b) - (a < b);
}

int table_sort(struct table *table, const char *keys)
{
	return table_sort_and_cut(table, keys, 0);
}

/* Puts the first rows in this order, and frees the others. 0 or -ENOMEM. */
static int take_rows(struct table *table, const size_t *order, size_t rows)
{
	size_t row_size = table->column_count * sizeof(*table->cells);
	struct cell *cells = calloc(rows, row_size);

	if (!cells)
		return -ENOMEM;
	for (size_t row = 0; row < rows; row++)
		memcpy(cells + row * table->column_count, table_row(table, order[row]), row_size);
	for (size_t row = rows; row < table->rows; row++)
		for (size_t column = 0; column < table->column_count; column++)
			if (column_is_text(table->columns[column].type))
				free(table_row(table, order[row])[column].text);
	free(table->cells);
	table->cells = cells;
	table->rows = table->space = rows;
	return 0;
}

int table_sort_and_cut(struct table *table, const char *keys, size_t rows)
{
	struct sort sort = { .table = table };
	size_t *order;
	int err;

	if (!keys) {
		table_cut(table, rows);
		return 0;
	}
	for (const char *key = keys;; key++) {
		size_t length = strcspn(key, ",");

		err = sort_add_key(&sort, table, key, length);
		if (err)
			return err;
		key += length;
		if (!*key)
			break;
	}
	for (size_t i = 0; i <= (table->tiebreaks ? table->tiebreaks - 1 : 0); i++)
		sort.keys[sort.count++] = (struct sort_key){ .column = table->tiebreak + i };
	if (table->rows < 2)
		return 0;

	order = calloc(table->rows, sizeof(*order));
	for (size_t row = 0; order && row < table->rows; row++)
		order[row] = row;
	if (order)
		qsort_r(order, table->rows, sizeof(*order), sort_compare, &sort);
	err = order ? take_rows(table, order, rows && rows < table->rows ? rows : table->rows)
		    : -ENOMEM;
	if (err)
		error_set(&table->error, err, strerror(-err));
	free(order);
	return err;
}

static bool takes_column(const size_t *from, size_t count, size_t column)
{
	for (size_t i = 0; i < count; i++)
		if (from[i] == column)
			return true;
	return false;
}

int table_rearrange(struct table *table, struct column *columns, const size_t *from, size_t count)
{
	struct cell *cells = calloc(table->rows + 1, count * sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	for (size_t row = 0; row < table->rows; row++)
		for (size_t i = 0; i < count; i++)
			if (from[i] != TABLE_NEW_COLUMN)
				cells[row * count + i] = table_row(table, row)[from[i]];
	for (size_t i = 0; i < table->column_count; i++)
		if (!takes_column(from, count, i))
			table_free_texts(table, i, 0);
	free(table->cells);
	free(table->own_columns);
	table->cells = cells;
	table->space = table->rows;
	table->columns = table->own_columns = columns;
	table->column_count = count;
	return 0;
}

void table_cut(struct table *table, size_t rows)
{
	if (!rows || rows >= table->rows)
		return;
	table_free_rows(table, rows);
	table->rows = rows;
}
