/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table: typed columns and rows of cells. Views make them, renderers print them; sorting and
 * cutting are the same for all.
 */
#ifndef REPORT_RENDER_TABLE_H
#define REPORT_RENDER_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum column_type {
	COLUMN_TEXT,	 /* sorted ascending, numbers in it by their value; or NULL: not known */
	COLUMN_NUMBER,	 /* sorted descending */
	COLUMN_NULLABLE, /* as COLUMN_NUMBER; or CELL_UNKNOWN */
	/* As COLUMN_NULLABLE. If the row's COLUMN_BOUND is true, an upper bound: "<=5" in a text */
	COLUMN_LIVE,
	COLUMN_BOUND, /* true or false; never in a text. One in a table, for all its COLUMN_LIVE */
	COLUMN_DECIMAL, /* sorted descending; or NAN: not known */
	COLUMN_HEX,	/* "0x…", sorted ascending; or CELL_UNKNOWN */
	COLUMN_SIGNED,	/* a number that may be negative, sorted ascending; or CHANGE_UNKNOWN */
	COLUMN_BOOL,	/* number: 0 false, 1 true, sorted ascending; or CELL_UNKNOWN */
	COLUMN_ID, /* a number that identifies, as of a CPU: sorted ascending; or CELL_UNKNOWN */
	/*
	 * ns, may be negative, sorted ascending; or TIME_UNKNOWN. With the unit "event": a number
	 * of events
	 */
	COLUMN_TIME,
	COLUMN_CHANGE,	 /* "+5", "-5", "0": sorted by its size, descending; or CHANGE_UNKNOWN */
	COLUMN_DURATION, /* ns, sorted descending; or CELL_UNKNOWN */
	COLUMN_BAR,	 /* a share from 0 to 1 as a bar, in the text only */
	/*
	 * A text: names of functions, the outermost first, with FLAME_SEPARATOR between; or NULL.
	 * In the text below the row only. The two columns behind it are numbers: of the objects
	 * with this path, and of all that have one.
	 */
	COLUMN_PATH,
};

#define TABLE_NEW_COLUMN SIZE_MAX
#define TABLE_TIEBREAKS_MAX 8
#define TABLE_CHOSEN_MAX 40
#define CELL_UNKNOWN UINT64_MAX /* null in JSON, empty in CSV, "-" in the text */
#define TIME_UNKNOWN INT64_MIN
#define CHANGE_UNKNOWN INT64_MIN

enum column_where {
	COLUMN_ALWAYS,
	COLUMN_NOT_IN_TEXT,
	COLUMN_IF_ROOM,		/* in a text whose lines have room for it, beside the name */
	COLUMN_IN_TEXT_IF_USED, /* if any cell is not 0 */
	COLUMN_INSTEAD,		/* always in the text: the last other columns give way to it */
	COLUMN_BELOW,		/* in the text on a line below the row, if not 0 or empty */
	COLUMN_BELOW_IF_PART,	/* the same of a percentage, if not 100 */
};

struct column {
	const char *key; /* in JSON, CSV and the sort option */
	/* Two lines above the column; the unit may be "". Both are NULL if no text is made. */
	const char *header, *unit;
	enum column_type type;
	int decimals; /* of COLUMN_DECIMAL, in the text */
	enum column_where where;
	const char *legend; /* explains the column below the text; or NULL */
	/* If the row's COLUMN_BOUND is true, a lower bound: ">=5" in a text */
	bool at_least;
};

struct cell {
	union {
		uint64_t number;
		double decimal;
		int64_t time;
		int64_t change;
		bool truth;
		char *text; /* the table's own */
	};
};

struct table {
	const char *key;   /* in JSON */
	const char *title; /* above it, if a report has several; NULL: the key */
	const char *empty; /* printed if the table has no rows */
	bool leads;	   /* a text prints it before the tables that do not */
	bool not_in_text;
	/* In a text: one line of heads, and no title. */
	bool is_compact;
	size_t text_rows;	      /* at most, in a text without -l; 0: as the view */
	const char *sort;	      /* default keys; NULL: the rows are in order */
	const struct column *columns; /* not the table's own */
	size_t column_count;
	size_t tiebreak;    /* the column that orders rows with equal sort keys */
	size_t tiebreaks;   /* the same for so many columns from there on; 0: one */
	struct cell *cells; /* row after row */
	size_t rows, space;
	size_t rows_made;	    /* before the cut */
	struct cell *others;	    /* the last row of a text: what the rows leave out; or NULL */
	struct column *own_columns; /* of table_rearrange(); or NULL */
	struct column chosen[TABLE_CHOSEN_MAX]; /* of table_choose(): the columns */
	unsigned short names[TABLE_CHOSEN_MAX]; /* their names in the catalogue */
	struct error error;			/* after a failure */
};

/* The caller sets the other fields. */
void table_init(struct table *table, const struct column *columns, size_t column_count);
void table_deinit(struct table *table);

/* A new row of zero cells, column_count of them, or NULL. Valid until the next. */
struct cell *table_add(struct table *table);

/* The last row of a text: its name is "others", the other cells are zero or empty. NULL: no memory.
 */
struct cell *table_add_others(struct table *table);

/* Adds a row of one text. 0 or -ENOMEM. */
int table_add_text(struct table *table, const char *text);

/*
 * Sorts by "KEY[,KEY…]", each in the order of its column type; "-KEY" is descending, "+KEY"
 * ascending. Equal rows are in ascending order of the tiebreak columns, then as they were added. 0,
 * -ENOMEM or -EINVAL with errmsg: there is no such key.
 */
int table_sort(struct table *table, const char *keys);

/*
 * Replaces the columns by count others. from: for each, the index of the column that has its cells,
 * at most once; or TABLE_NEW_COLUMN: zero cells. The columns become the table's own: they are freed
 * with it. 0 or -ENOMEM.
 */
int table_rearrange(struct table *table, struct column *columns, const size_t *from, size_t count);

/* Keeps the first rows; 0 keeps all. */
void table_cut(struct table *table, size_t rows);

/* The same as both, with memory for the rows that stay only. No keys (NULL): not sorted. */
int table_sort_and_cut(struct table *table, const char *keys, size_t rows);

static inline const struct cell *table_row(const struct table *table, size_t row)
{
	return table->cells + row * table->column_count;
}

/* Is the cell a text, of which NULL is not known? */
static inline bool column_is_text(enum column_type type)
{
	return type == COLUMN_TEXT || type == COLUMN_PATH;
}

/* Is the value of the cell not known? */
static inline int cell_is_unknown(enum column_type type, const struct cell *cell)
{
	if (type == COLUMN_TIME)
		return cell->time == TIME_UNKNOWN;
	if (type == COLUMN_CHANGE || type == COLUMN_SIGNED)
		return cell->change == CHANGE_UNKNOWN;
	if (column_is_text(type))
		return !cell->text;
	if (type == COLUMN_DECIMAL)
		return isnan(cell->decimal);
	return (type == COLUMN_NULLABLE || type == COLUMN_LIVE || type == COLUMN_ID ||
		type == COLUMN_DURATION || type == COLUMN_HEX || type == COLUMN_BOOL) &&
	       cell->number == CELL_UNKNOWN;
}

static inline double table_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
