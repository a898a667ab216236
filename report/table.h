/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table: typed columns and rows of cells. Views make them, renderers print them; sorting and
 * cutting are the same for all.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum column_type {
	COLUMN_TEXT,	/* sorted ascending */
	COLUMN_NUMBER,	/* sorted descending */
	COLUMN_DECIMAL, /* sorted descending */
	COLUMN_HEX,	/* "0x…", sorted ascending */
};

enum column_where {
	COLUMN_ALWAYS,
	COLUMN_NOT_IN_TEXT,
	COLUMN_IN_TEXT_IF_USED, /* if any cell is not 0 */
};

struct column {
	const char *key;	   /* in JSON, CSV and the sort option */
	const char *header, *unit; /* two lines of the text's head; the unit may be "" */
	enum column_type type;
	int decimals; /* of COLUMN_DECIMAL, in the text */
	enum column_where where;
	const char *meaning; /* defines the term, for the foot of the text; or NULL */
};

struct cell {
	union {
		uint64_t number;
		double decimal;
		char *text; /* the table's own */
	};
};

struct table {
	const char *key;	      /* in JSON */
	const char *empty;	      /* the sentence of a table without rows */
	const char *sort;	      /* default keys */
	const struct column *columns; /* not the table's own */
	size_t column_count;
	size_t tie;	    /* the column that tells two rows apart in the end */
	struct cell *cells; /* row after row */
	size_t rows, space;
	size_t rows_made; /* before the cut */
	char why[320];	  /* the sentence after a failure */
};

/* The rest of the fields is the caller's to set. */
void table_init(struct table *table, const struct column *columns, size_t column_count);
void table_deinit(struct table *table);

/* A new row of zero cells, column_count of them, or NULL. Valid until the next. */
struct cell *table_add(struct table *table);

/*
 * Sorts by "KEY[,KEY…]"; "-KEY" is descending and "+KEY" ascending whatever the column's habit.
 * Equal rows are in ascending order of the tie column, then as they were added. 0, -ENOMEM or
 * -EINVAL with why: there is no such key.
 */
int table_sort(struct table *table, const char *keys);

/* Keeps the first rows; 0 keeps all. */
void table_cut(struct table *table, size_t rows);

static inline const struct cell *table_row(const struct table *table, size_t row)
{
	return table->cells + row * table->column_count;
}

#endif
