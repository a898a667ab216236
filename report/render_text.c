// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Text for people and mails: the header's lines, the table, and what its terms mean. Names are
 * never cut: one that does not fit stands on a line of its own.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/render.h"

#define TEXT_COLUMNS 79
#define TEXT_LABEL 10	 /* columns before a line's text */
#define TEXT_NAME_MIN 12 /* columns that are left for the names, at least */
#define TEXT_CELL 32	 /* bytes: any number in digits */

#define COLOR_HEAD "\033[1m"
#define COLOR_WARNING "\033[33m"
#define COLOR_END "\033[m"

struct text_column {
	const struct column *column;
	size_t index; /* in the table */
	size_t width;
	unsigned int scale; /* bytes are shown in units of 1024 to this power */
};

struct text_layout {
	struct text_column *columns; /* those that are shown */
	size_t count;
	bool has_name; /* the first is a name, and takes what is left */
};

static const char *const byte_units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };

#define BYTE_SCALE_MAX (sizeof(byte_units) / sizeof(byte_units[0]) - 1)

/* What a name holds beyond printable ASCII is shown as \xHH: a terminal must not obey it. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += *text < ' ' || *text > '~' ? 4 : 1;
	return width;
}

static void text_put(FILE *file, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~')
			fprintf(file, "\\x%02x", (unsigned char)text[i]);
		else
			putc(text[i], file);
	}
}

static void text_pad(FILE *file, size_t columns)
{
	fprintf(file, "%*s", (int)columns, "");
}

/* Words from column at on; lines that follow begin at column indent. */
static void text_wrap(FILE *file, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t length = strcspn(text, " "), width = 0;

		for (size_t i = 0; i < length; i++)
			width += text[i] < ' ' || text[i] > '~' ? 4 : 1;
		if (!first && at + 1 + width > TEXT_COLUMNS) {
			putc('\n', file);
			text_pad(file, indent);
			at = indent;
		} else if (!first) {
			putc(' ', file);
			at++;
		}
		text_put(file, text, length);
		at += width;
		text += length;
		text += strspn(text, " ");
		first = false;
	}
	putc('\n', file);
}

static void text_header(FILE *file, const struct header *header, bool color)
{
	for (size_t i = 0; i < header->line_count; i++) {
		const struct header_line *line = &header->lines[i];

		if (color)
			fputs(line->warning ? COLOR_WARNING : COLOR_HEAD, file);
		fprintf(file, "%-*s", TEXT_LABEL, line->label);
		if (color && !line->warning)
			fputs(COLOR_END, file);
		text_wrap(file, line->text, TEXT_LABEL, TEXT_LABEL);
		if (color && line->warning)
			fputs(COLOR_END, file);
	}
}

static const char *column_unit(const struct text_column *shown)
{
	return shown->scale ? byte_units[shown->scale] : shown->column->unit;
}

static bool column_in_bytes(const struct column *column)
{
	return column->type == COLUMN_NUMBER && strcmp(column->unit, byte_units[0]) == 0;
}

/* A cell that is no name; returns its width. */
static size_t cell_text(const struct text_column *shown, const struct cell *cell, char *text)
{
	uint64_t number = cell->number;
	int width = 0;

	switch (shown->column->type) {
	case COLUMN_TEXT:
		break;
	case COLUMN_NUMBER:
		if (shown->scale)
			number = (number >> (10 * shown->scale)) +
				 (number >> (10 * shown->scale - 1) & 1);
		width = snprintf(text, TEXT_CELL, "%" PRIu64, number);
		break;
	case COLUMN_DECIMAL:
		width = snprintf(text, TEXT_CELL, "%.*f", shown->column->decimals, cell->decimal);
		break;
	case COLUMN_HEX:
		width = snprintf(text, TEXT_CELL, "0x%" PRIx64, number);
		break;
	}
	return width < TEXT_CELL ? width : TEXT_CELL - 1;
}

static void column_measure(const struct table *table, struct text_column *shown)
{
	size_t header = strlen(shown->column->header), unit = strlen(column_unit(shown));
	char text[TEXT_CELL];

	shown->width = header > unit ? header : unit;
	for (size_t row = 0; row < table->rows; row++) {
		const struct cell *cell = table_row(table, row) + shown->index;
		size_t width = shown->column->type == COLUMN_TEXT ? text_width(cell->text)
								  : cell_text(shown, cell, text);

		if (width > shown->width)
			shown->width = width;
	}
}

static bool column_is_shown(const struct table *table, size_t index)
{
	const struct column *column = &table->columns[index];

	if (column->where != COLUMN_IN_TEXT_IF_USED)
		return column->where == COLUMN_ALWAYS;
	for (size_t row = 0; row < table->rows; row++) {
		if (table_row(table, row)[index].number)
			return true;
	}
	return false;
}

/* Columns of the widest in bytes are scaled until all fit. */
static struct text_column *layout_widest_bytes(const struct text_layout *layout)
{
	struct text_column *widest = NULL;

	for (size_t i = 0; i < layout->count; i++) {
		struct text_column *shown = &layout->columns[i];

		if (column_in_bytes(shown->column) && shown->scale < BYTE_SCALE_MAX &&
		    (!widest || shown->width > widest->width))
			widest = shown;
	}
	return widest;
}

static int layout_init(struct text_layout *layout, const struct table *table)
{
	size_t numbers, left;

	layout->count = 0;
	layout->columns = calloc(table->column_count, sizeof(*layout->columns));
	if (!layout->columns)
		return -ENOMEM;
	for (size_t i = 0; i < table->column_count; i++) {
		struct text_column *shown = &layout->columns[layout->count];

		if (!column_is_shown(table, i))
			continue;
		*shown = (struct text_column){ .column = &table->columns[i], .index = i };
		column_measure(table, shown);
		layout->count++;
	}
	layout->has_name = layout->count && layout->columns[0].column->type == COLUMN_TEXT;

	for (;;) {
		struct text_column *widest = layout_widest_bytes(layout);

		numbers = 0;
		for (size_t i = layout->has_name; i < layout->count; i++)
			numbers += layout->columns[i].width + 1;
		left = layout->has_name ? TEXT_NAME_MIN : 0;
		if (!widest || numbers + left <= TEXT_COLUMNS)
			break;
		widest->scale++;
		column_measure(table, widest);
	}
	if (layout->has_name) {
		left = numbers + TEXT_NAME_MIN <= TEXT_COLUMNS ? TEXT_COLUMNS - numbers
							       : TEXT_NAME_MIN;
		if (layout->columns[0].width > left)
			layout->columns[0].width = left;
	}
	return 0;
}

/* Names are on the left of their column, numbers on the right. */
static void text_cell(FILE *file, const struct text_column *shown, const char *text, bool last)
{
	size_t width = text_width(text), pad = width < shown->width ? shown->width - width : 0;

	if (shown->column->type != COLUMN_TEXT)
		text_pad(file, pad);
	text_put(file, text, strlen(text));
	if (shown->column->type == COLUMN_TEXT && !last)
		text_pad(file, pad);
}

static void text_table_head(FILE *file, const struct text_layout *layout, bool color)
{
	for (int line = 0; line < 2; line++) {
		if (color)
			fputs(COLOR_HEAD, file);
		for (size_t i = 0; i < layout->count; i++) {
			const struct text_column *shown = &layout->columns[i];

			if (i)
				putc(' ', file);
			text_cell(file, shown, line ? column_unit(shown) : shown->column->header,
				  i + 1 == layout->count);
		}
		fputs(color ? COLOR_END "\n" : "\n", file);
	}
}

static void text_row(FILE *file, const struct text_layout *layout, const struct cell *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct text_column *shown = &layout->columns[i];
		const struct cell *cell = row + shown->index;
		char number[TEXT_CELL];
		const char *text = number;

		if (shown->column->type == COLUMN_TEXT)
			text = cell->text;
		else
			cell_text(shown, cell, number);
		if (i)
			putc(' ', file);
		if (i == 0 && layout->has_name && text_width(text) > shown->width) {
			text_put(file, text, strlen(text));
			putc('\n', file);
			text = "";
		}
		text_cell(file, shown, text, i + 1 == layout->count);
	}
	putc('\n', file);
}

static void text_meanings(FILE *file, const struct text_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = layout->columns[i].column;
		size_t at;

		if (!column->meaning)
			continue;
		at = fprintf(file, "%s%s%s = ", column->header, *column->unit ? " " : "",
			     column->unit);
		text_wrap(file, column->meaning, at, 4);
	}
}

int render_text(FILE *file, const struct header *header, const struct table *table, bool color)
{
	struct text_layout layout;
	int err;

	text_header(file, header, color);
	putc('\n', file);
	if (!table->rows_made) {
		fprintf(file, "%s\n", table->empty);
		return 0;
	}
	err = layout_init(&layout, table);
	if (err)
		return err;
	text_table_head(file, &layout, color);
	for (size_t row = 0; row < table->rows; row++)
		text_row(file, &layout, table_row(table, row));
	if (table->rows < table->rows_made)
		fprintf(file, "(%zu of %zu rows: -l 0 shows all)\n", table->rows, table->rows_made);
	putc('\n', file);
	text_meanings(file, &layout);
	free(layout.columns);
	return 0;
}
