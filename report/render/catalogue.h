/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue of columns: each column that a table can have, with its key, its header, its type
 * and its legend. A table chooses its columns from here. It may replace the header, the type or the
 * legend of one, where they differ in this table only.
 */
#ifndef REPORT_RENDER_CATALOGUE_H
#define REPORT_RENDER_CATALOGUE_H

#include <stdio.h>

#include "report/render/table.h"

enum column_name {
	COLUMN_NONE,
#define COLUMN(key, ...) COLUMN_##key,
#include "report/render/columns.inc"
#undef COLUMN
};

#define COLUMN_WHOLE (-1) /* decimals of a choice: none */

/* A column of a table. A member that is 0 is as in the catalogue. */
struct column_choice {
	enum column_name name; /* COLUMN_NONE: the end of a list */
	enum column_where where;
	const char *header, *unit, *legend;
	enum column_type type;
	int decimals;
	bool at_least;
};

/* Prints all columns of JSON and CSV: "text", "mdoc" for a manual, or "json-schema". */
void column_list(FILE *file, const char *format);

struct column column_choose(const struct column_choice *choice);

/* Adds the columns of the list, behind those that the table has chosen. */
void table_choose(struct table *table, const struct column_choice *choices);

/* The index of a column that the table has. */
size_t table_column(const struct table *table, enum column_name name);

/* The cell of this column in the last row. */
struct cell *table_cell(const struct table *table, enum column_name name);

#endif
