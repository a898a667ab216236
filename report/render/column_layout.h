/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of a table in a text of a given width: which of its columns are side by side and how
 * wide they are, and which are on lines below the row.
 */
#ifndef REPORT_RENDER_COLUMN_LAYOUT_H
#define REPORT_RENDER_COLUMN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/render/table.h"

#define TEXT_CELL 32 /* bytes: any number in digits, any bar */

#define NO_BOUND SIZE_MAX
#define UPPER_BOUND "<="
#define LOWER_BOUND ">="

struct layout_column {
	const struct column *column;
	size_t index; /* in the table */
	size_t width;
	/* index of the table's COLUMN_BOUND if this is COLUMN_LIVE or at_least; or NO_BOUND */
	size_t bound;
	bool has_units; /* each number of bytes has a unit of its own: "12.5K" */
	bool if_room;	/* shown only if it fits */
};

struct column_layout {
	struct layout_column *columns; /* side by side */
	size_t count;
	struct layout_column *below; /* on lines below the row, if the cell is not 0 or empty */
	size_t below_count;
	const struct column **dropped; /* those without room, the last first */
	size_t dropped_count;
	bool has_name; /* the first column is a text: it takes the rest of the width */
};

/*
 * Numbers are never cut. Numbers of bytes have units. A text behind the name is below the row, if
 * it is long and the width is too small for all. 0 or -ENOMEM.
 */
int column_layout_init(struct column_layout *layout, const struct table *table, size_t width);

/* Moves the last numbers to lines below the row until the others fit into the width. */
void column_layout_narrow(struct column_layout *layout, size_t width);
void column_layout_deinit(struct column_layout *layout);

/* Prints a cell that is not a text, or is unknown; returns its width. */
size_t column_layout_cell(const struct layout_column *shown, const struct cell *cell, char *text);

/* Is the number in the cell a bound? */
bool column_layout_is_bound(const struct layout_column *shown, const struct cell *cell);

/* Is the cell of a column below the row printed? */
bool column_layout_shows(const struct column *column, const struct cell *cell);

/*
 * Prints three digits and a unit of powers of 1024: "1.25M"; below 1024 a space: "512 ". Returns
 * the width.
 */
int column_layout_bytes(uint64_t bytes, char text[TEXT_CELL]);

/* The same for a sentence: below 1024 "512 bytes". Returns text. */
const char *column_layout_bytes_text(uint64_t bytes, char text[TEXT_CELL]);

/* Width of the first bytes of a text: what is not printable ASCII is shown as \xHH. */
size_t column_layout_text_width(const char *text, size_t length);

#endif
