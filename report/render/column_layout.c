// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Widths of the columns of a text, and its numbers. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/column_layout.h"

#define BAR_WIDTH 20
#define SHORT_TEXT 16 /* columns: a text that always is beside the name */

size_t column_layout_text_width(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += text[i] < ' ' || text[i] > '~' ? 4 : 1;
	return width;
}

/* The unit says it, or the name: bytes_allocated_low, growth_bytes_per_s. */
static bool column_in_bytes(const struct column *column)
{
	switch (column->type) {
	case COLUMN_NUMBER:
	case COLUMN_NULLABLE:
	case COLUMN_LIVE:
	case COLUMN_CHANGE:
	case COLUMN_SIGNED:
	case COLUMN_DECIMAL:
		return strncmp(column->unit, "bytes", strlen("bytes")) == 0 ||
		       strcmp(column->unit, "waste") == 0 || strstr(column->key, "bytes");
	case COLUMN_TEXT:
	case COLUMN_BOUND:
	case COLUMN_HEX:
	case COLUMN_BOOL:
	case COLUMN_ID:
	case COLUMN_TIME:
	case COLUMN_DURATION:
	case COLUMN_BAR:
	case COLUMN_PATH:
		break;
	}
	return false;
}

/* Decimals that make three digits: 1.25, 12.5, 125. */
static int decimals_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

int column_layout_bytes(uint64_t bytes, char text[TEXT_CELL])
{
	static const char units[] = " KMGTPE";
	double value = (double)bytes;
	size_t unit = 0;

	if (bytes < 1024)
		return snprintf(text, TEXT_CELL, "%u ", (unsigned int)bytes);
	for (; value >= 1023.5; unit++)
		value /= 1024;
	return snprintf(text, TEXT_CELL, "%.*f%c", decimals_of(value), value, units[unit]);
}

const char *column_layout_bytes_text(uint64_t bytes, char text[TEXT_CELL])
{
	if (bytes < 1024)
		snprintf(text, TEXT_CELL, "%" PRIu64 " bytes", bytes);
	else
		column_layout_bytes(bytes, text);
	return text;
}

/* The same with a sign. */
static int signed_bytes(int64_t bytes, bool has_plus, char *text)
{
	uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
	const char *sign = bytes < 0 ? "-" : bytes > 0 && has_plus ? "+" : "";

	return (int)strlen(sign) + column_layout_bytes(size, stpcpy(text, sign));
}

/* Three digits and a unit: "1.25 ms", "2.50 s". */
static int duration_text(uint64_t ns, char *text)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	unsigned int unit = 0;

	while (unit < 3 && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	return snprintf(text, TEXT_CELL, "%.*f %s", unit ? decimals_of(value) : 0, value,
			units[unit]);
}

static int time_text(int64_t time, char *text)
{
	uint64_t ns = time < 0 ? -(uint64_t)time : (uint64_t)time;

	return snprintf(text, TEXT_CELL, "%s%" PRIu64 ".%06" PRIu64, time < 0 ? "-" : "",
			ns / 1000000000, ns % 1000000000 / 1000);
}

static int bar_text(double share, char *text)
{
	int length = share > 0 ? (int)(share * BAR_WIDTH + 0.5) : 0;

	if (length > BAR_WIDTH)
		length = BAR_WIDTH;
	memset(text, '#', (size_t)length);
	text[length] = '\0';
	return length;
}

bool column_layout_is_bound(const struct layout_column *shown, const struct cell *cell)
{
	const struct cell *row = cell - shown->index;

	return shown->bound != NO_BOUND && row[shown->bound].truth && cell->number &&
	       !cell_is_unknown(shown->column->type, cell);
}

size_t column_layout_cell(const struct layout_column *shown, const struct cell *cell, char *text)
{
	uint64_t number = cell->number;
	size_t before = 0;
	int width = 0;

	if (cell_is_unknown(shown->column->type, cell)) {
		strcpy(text, shown->has_units ? "- " : "-");
		return strlen(text);
	}
	if (column_layout_is_bound(shown, cell)) {
		before = strlen(UPPER_BOUND);
		text = stpcpy(text, shown->column->at_least ? LOWER_BOUND : UPPER_BOUND);
	}
	switch (shown->column->type) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_BOUND:
		break;
	case COLUMN_NUMBER:
	case COLUMN_NULLABLE:
	case COLUMN_LIVE:
	case COLUMN_ID:
		if (shown->has_units)
			width = column_layout_bytes(number, text);
		else
			width = snprintf(text, TEXT_CELL, "%" PRIu64, number);
		break;
	case COLUMN_DECIMAL:
		if (shown->has_units && fabs(cell->decimal) >= 1023.5)
			width = signed_bytes(llround(cell->decimal), false, text);
		else if (shown->has_units)
			width = snprintf(text, TEXT_CELL, "%.*f ", shown->column->decimals,
					 cell->decimal);
		else
			width = snprintf(text, TEXT_CELL, "%.*f", shown->column->decimals,
					 cell->decimal);
		break;
	case COLUMN_HEX:
		width = snprintf(text, TEXT_CELL, "0x%" PRIx64, number);
		break;
	case COLUMN_TIME:
		if (strcmp(shown->column->unit, "event"))
			width = time_text(cell->time, text);
		else
			width = snprintf(text, TEXT_CELL, "%" PRId64, cell->time);
		break;
	case COLUMN_SIGNED:
		if (shown->has_units)
			width = signed_bytes(cell->change, false, text);
		else
			width = snprintf(text, TEXT_CELL, "%" PRId64, cell->change);
		break;
	case COLUMN_BOOL:
		width = snprintf(text, TEXT_CELL, "%s", number ? "true" : "false");
		break;
	case COLUMN_CHANGE:
		if (shown->has_units)
			width = signed_bytes(cell->change, true, text);
		else
			width = snprintf(text, TEXT_CELL, "%s%" PRId64, cell->change > 0 ? "+" : "",
					 cell->change);
		break;
	case COLUMN_DURATION:
		width = duration_text(number, text);
		break;
	case COLUMN_BAR:
		width = bar_text(cell->decimal, text);
		break;
	}
	return before + (size_t)(width < TEXT_CELL ? width : TEXT_CELL - 1);
}

bool column_layout_shows(const struct column *column, const struct cell *cell)
{
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
		return cell->text && *cell->text;
	case COLUMN_DECIMAL:
	case COLUMN_BAR:
		return cell->decimal != (column->where == COLUMN_BELOW_IF_PART ? 100 : 0);
	case COLUMN_BOUND:
		return cell->truth;
	case COLUMN_NUMBER:
	case COLUMN_NULLABLE:
	case COLUMN_LIVE:
	case COLUMN_HEX:
	case COLUMN_ID:
	case COLUMN_TIME:
	case COLUMN_CHANGE:
	case COLUMN_SIGNED:
	case COLUMN_BOOL:
	case COLUMN_DURATION:
		break;
	}
	return cell->number && !cell_is_unknown(column->type, cell);
}

static void column_measure_cell(struct layout_column *shown, const struct cell *cell)
{
	char text[TEXT_CELL];
	size_t width = shown->column->type == COLUMN_TEXT && cell->text
			       ? column_layout_text_width(cell->text, strlen(cell->text))
			       : column_layout_cell(shown, cell, text);

	if (width > shown->width)
		shown->width = width;
}

static void column_measure(const struct table *table, struct layout_column *shown)
{
	size_t header = strlen(shown->column->header);
	size_t unit = table->is_compact ? 0 : strlen(shown->column->unit);

	shown->width = header > unit ? header : unit;
	for (size_t row = 0; row < table->rows; row++)
		column_measure_cell(shown, table_row(table, row) + shown->index);
	if (table->others && column_layout_shows(shown->column, table->others + shown->index))
		column_measure_cell(shown, table->others + shown->index);
}

/* Does any row show a value in the column? */
static bool column_is_used(const struct table *table, size_t index)
{
	for (size_t row = 0; row < table->rows; row++)
		if (column_layout_shows(&table->columns[index], table_row(table, row) + index))
			return true;
	return false;
}

static size_t find_bound(const struct table *table, size_t index)
{
	if (table->columns[index].type != COLUMN_LIVE && !table->columns[index].at_least)
		return NO_BOUND;
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].type == COLUMN_BOUND)
			return i;
	return NO_BOUND;
}

static void column_layout_add(struct column_layout *layout, const struct table *table, size_t index)
{
	struct layout_column shown = { .column = &table->columns[index],
				       .index = index,
				       .bound = find_bound(table, index),
				       .has_units = column_in_bytes(&table->columns[index]) };

	switch (shown.column->where) {
	case COLUMN_NOT_IN_TEXT:
		break;
	case COLUMN_IN_TEXT_IF_USED:
		if (!column_is_used(table, index))
			break;
		/* fall through */
	case COLUMN_ALWAYS:
	case COLUMN_IF_ROOM:
	case COLUMN_INSTEAD:
		shown.if_room = shown.column->where == COLUMN_IF_ROOM;
		column_measure(table, &shown);
		layout->columns[layout->count++] = shown;
		break;
	case COLUMN_BELOW:
	case COLUMN_BELOW_IF_PART:
		if (column_is_used(table, index))
			layout->below[layout->below_count++] = shown;
		break;
	}
}

/* The width of all columns but the name, with the spaces before them. */
static size_t column_layout_numbers(const struct column_layout *layout)
{
	size_t width = 0;

	for (size_t i = layout->has_name; i < layout->count; i++)
		width += layout->columns[i].width + (i != 0);
	return width;
}

static void column_layout_remove(struct column_layout *layout, size_t index)
{
	layout->dropped[layout->dropped_count++] = layout->columns[index].column;
	layout->count--;
	memmove(&layout->columns[index], &layout->columns[index + 1],
		(layout->count - index) * sizeof(*layout->columns));
}

/* Removes the last of the columns that need room, until all fit beside the longest name. */
static void column_layout_make_room(struct column_layout *layout, size_t width)
{
	size_t name = layout->has_name ? layout->columns[0].width : 0;

	for (size_t i = layout->count; i-- && column_layout_numbers(layout) + name > width;)
		if (layout->columns[i].if_room)
			column_layout_remove(layout, i);
}

/* Removes the last of the other columns, until those fit to which they give way. */
static void column_layout_give_way(struct column_layout *layout, size_t width)
{
	bool has_instead = false;

	for (size_t i = 0; i < layout->count; i++)
		has_instead |= layout->columns[i].column->where == COLUMN_INSTEAD;
	for (size_t i = layout->count;
	     has_instead && i-- > layout->has_name && column_layout_numbers(layout) > width;)
		if (layout->columns[i].column->where != COLUMN_INSTEAD)
			column_layout_remove(layout, i);
}

/* Puts the column below the row, in the order of the table. */
static void column_layout_lower(struct column_layout *layout, size_t index)
{
	struct layout_column shown = layout->columns[index];
	size_t at = 0;

	while (at < layout->below_count && layout->below[at].index < shown.index)
		at++;
	memmove(&layout->below[at + 1], &layout->below[at],
		(layout->below_count++ - at) * sizeof(*layout->below));
	layout->below[at] = shown;
	layout->count--;
	memmove(&layout->columns[index], &layout->columns[index + 1],
		(layout->count - index) * sizeof(*layout->columns));
}

/* Puts the longest texts behind the name below the row, until the others fit. */
static void column_layout_lower_texts(struct column_layout *layout, size_t width)
{
	size_t name = layout->has_name ? strlen(layout->columns[0].column->header) : 0;

	while (column_layout_numbers(layout) + name > width) {
		size_t longest = 0;

		for (size_t i = 1; i < layout->count; i++)
			if (layout->columns[i].column->type == COLUMN_TEXT &&
			    (!longest || layout->columns[i].width > layout->columns[longest].width))
				longest = i;
		if (!longest || layout->columns[longest].width <= SHORT_TEXT)
			return;
		column_layout_lower(layout, longest);
	}
}

int column_layout_init(struct column_layout *layout, const struct table *table, size_t width)
{
	size_t name = 0, left;

	memset(layout, 0, sizeof(*layout));
	layout->columns = calloc(table->column_count, sizeof(*layout->columns));
	layout->below = calloc(table->column_count, sizeof(*layout->below));
	layout->dropped = calloc(table->column_count, sizeof(*layout->dropped));
	if (!layout->columns || !layout->below || !layout->dropped) {
		column_layout_deinit(layout);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->column_count; i++)
		column_layout_add(layout, table, i);
	layout->has_name = layout->count && layout->columns[0].column->type == COLUMN_TEXT;
	column_layout_make_room(layout, width);
	if (layout->has_name)
		name = strlen(layout->columns[0].column->header);
	column_layout_lower_texts(layout, width);
	column_layout_give_way(layout, name < width ? width - name : 0);
	if (layout->has_name) {
		left = column_layout_numbers(layout);
		left = left + name <= width ? width - left : name;
		if (layout->columns[0].width > left)
			layout->columns[0].width = left;
	}
	return 0;
}

void column_layout_narrow(struct column_layout *layout, size_t width)
{
	size_t name = layout->has_name ? strlen(layout->columns[0].column->header) : 0, left;

	while (layout->count > 1 && column_layout_numbers(layout) + name > width &&
	       layout->columns[layout->count - 1].column->type != COLUMN_TEXT) {
		memmove(layout->below + 1, layout->below,
			layout->below_count * sizeof(*layout->below));
		layout->below[0] = layout->columns[--layout->count];
		layout->below_count++;
	}
	left = column_layout_numbers(layout);
	if (layout->has_name && left < width && layout->columns[0].width < width - left)
		layout->columns[0].width = width - left;
}

void column_layout_deinit(struct column_layout *layout)
{
	free(layout->columns);
	free(layout->below);
	free(layout->dropped);
	layout->columns = layout->below = NULL;
	layout->dropped = NULL;
}
