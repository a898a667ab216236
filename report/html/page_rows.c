// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables for the page: objects with the same keys become arrays. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "report/html/page.h"
#include "report/html/page_rows.h"
#include "report/render/json.h"

static const char *const type_names[] = {
	[COLUMN_TEXT] = "text",		[COLUMN_NUMBER] = "number",
	[COLUMN_NULLABLE] = "number",	[COLUMN_LIVE] = "live",
	[COLUMN_BOUND] = "bound",	[COLUMN_DECIMAL] = "decimal",
	[COLUMN_HEX] = "hex",		[COLUMN_SIGNED] = "signed",
	[COLUMN_BOOL] = "bool",		[COLUMN_ID] = "id",
	[COLUMN_TIME] = "time",		[COLUMN_CHANGE] = "change",
	[COLUMN_DURATION] = "duration", [COLUMN_BAR] = "bar",
};

/* Columns of a tree that the page needs; it computes the others. */
static const char *const tree_keys[] = { "function",  "bytes",	       "objects",    "depth",
					 "own_bytes", "error_percent", "upper_bound" };

static bool is_shown(const struct column *column, bool is_tree)
{
	if (!is_tree)
		return column->type != COLUMN_BAR && column->type != COLUMN_PATH;
	for (size_t i = 0; i < sizeof(tree_keys) / sizeof(tree_keys[0]); i++)
		if (!strcmp(column->key, tree_keys[i]))
			return true;
	return false;
}

static json_t *make_columns(const struct table *table, bool is_tree)
{
	json_t *list = json_array();

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		json_t *item;

		if (!is_shown(column, is_tree))
			continue;
		item = json_pack("{s:o, s:o, s:o, s:s, s:i, s:o, s:b, s:b}", "key",
				 json_from_text(column->key), "header",
				 json_from_text(column->header), "unit",
				 json_from_text(column->unit), "type", type_names[column->type],
				 "decimals", column->decimals, "legend",
				 column->legend ? json_from_text(column->legend) : json_null(),
				 "at_least", column->at_least, "hidden",
				 column->where == COLUMN_NOT_IN_TEXT);
		if (json_array_append_new(list, item)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *make_row(const struct table *table, size_t number, bool is_tree)
{
	const struct cell *cells = table_row(table, number);
	json_t *row = json_array();

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!is_shown(column, is_tree))
			continue;
		if (json_array_append_new(row, json_cell(column, &cells[i]))) {
			json_decref(row);
			return NULL;
		}
	}
	return row;
}

/* Takes the rows. */
static json_t *make_table(const struct table *table, json_t *rows, bool is_tree)
{
	json_t *columns = make_columns(table, is_tree);

	if (!columns || !rows) {
		json_decref(columns);
		json_decref(rows);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o}", "key", table->key, "title",
			 table->title ? table->title : table->key, "empty",
			 table->empty ? table->empty : "", "sort", table->sort ? table->sort : "",
			 "rows_made", (json_int_t)table->rows_made, "columns", columns, "rows",
			 rows);
}

json_t *page_table(const struct table *table, size_t bytes)
{
	json_t *list = json_array();
	size_t used = 0;

	for (size_t i = 0; i < table->rows; i++) {
		json_t *row = make_row(table, i, false);

		used += page_size(row) + 1;
		if (row && used > bytes) {
			json_decref(row);
			break;
		}
		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return make_table(table, list, false);
}

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

static size_t find_column(const struct table *table, const char *key)
{
	size_t column = 0;

	while (strcmp(table->columns[column].key, key))
		column++;
	return column;
}

/* The bytes of the first node that is too small to be one of so many. */
static uint64_t find_least(const struct table *table, const uint64_t *sorted, size_t most)
{
	return table->rows > most ? sorted[most] : 0;
}

/* The nodes with more bytes. A node has at least the bytes of each below it, which are behind it.
 */
static json_t *take_nodes(const struct table *table, size_t column, uint64_t least)
{
	json_t *list = json_array();

	for (size_t i = 0; i < table->rows; i++) {
		if (table_row(table, i)[column].number > least &&
		    json_array_append_new(list, make_row(table, i, true))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *page_tree(const struct table *table, size_t bytes)
{
	size_t column = find_column(table, "bytes"), most = PAGE_TREE_NODES;
	uint64_t *sorted = calloc(table->rows + 1, sizeof(*sorted));
	json_t *list = NULL;

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < table->rows; i++)
		sorted[i] = table_row(table, i)[column].number;
	qsort(sorted, table->rows, sizeof(*sorted), compare_numbers);
	for (;; most /= 2) {
		list = take_nodes(table, column,
				  most ? find_least(table, sorted, most) : UINT64_MAX);
		if (!list || !most || page_size(list) <= bytes)
			break;
		json_decref(list);
	}
	free(sorted);
	return make_table(table, list, true);
}

json_t *page_lines(const struct header *header)
{
	json_t *list = json_array();

	for (size_t i = 0; i < header->line_count; i++) {
		const struct header_line *line = &header->lines[i];

		if (json_array_append_new(list,
					  json_pack("[s, o, b]", line->label,
						    json_from_text(line->text), line->warning))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
