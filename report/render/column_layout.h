/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a table lies in a text of 79 columns: which of its columns are shown, how wide, in which
 * unit; and what stands below a row. Names beyond ASCII are shown as \xHH.
 */
#ifndef REPORT_RENDER_COLUMN_LAYOUT_H
#define REPORT_RENDER_COLUMN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/render/table.h"

#define TEXT_COLUMNS 79
#define TEXT_CELL 32 /* bytes: any number in digits, any bar */

struct layout_column {
	const struct column *column;
	size_t index; /* in the table */
	size_t width;
	unsigned int scale; /* bytes are shown in units of 1024 to this power */
};

struct column_layout {
	struct layout_column *columns; /* those that are shown side by side */
	size_t count;
	struct layout_column *below; /* those below, where a row has something to tell */
	size_t below_count;
	bool has_name; /* the first is a name, and takes what is left */
};

int column_layout_init(struct column_layout *layout, const struct table *table); /* 0 or -ENOMEM */
void column_layout_deinit(struct column_layout *layout);

const char *column_layout_unit(const struct layout_column *shown);

/* A cell that is no text; returns its width. */
size_t column_layout_cell(const struct layout_column *shown, const struct cell *cell, char *text);

/* Does the cell of a column below tell anything? */
bool column_layout_shows(const struct column *column, const struct cell *cell);

/* Columns that a text, or its first bytes, take. */
size_t column_layout_text_width(const char *text, size_t length);

#endif
