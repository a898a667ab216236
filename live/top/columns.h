/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of a table: their headers, values, texts, and the order of rows. */
#ifndef LIVE_TOP_COLUMNS_H
#define LIVE_TOP_COLUMNS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "live/stats/stats_file.h"
#include "live/top/table.h"

#define NUMBER_WIDTH 8 /* of every column but the name */
#define NUMBER_BYTES 16

enum column {
	COLUMN_LIVE,
	COLUMN_ERROR, /* of estimates */
	COLUMN_OBJECTS,
	COLUMN_GROWTH,
	COLUMN_SINCE,
	COLUMN_ALLOCATIONS,
	COLUMN_FREES,
	COLUMN_BYTES,
	COLUMN_NAME,
	COLUMNS
};

struct column_info {
	char key;	    /* that sorts by it */
	const char *option; /* its name for --sort */
	const char *header;
	const char *meaning;
};

extern const struct column_info columns[COLUMNS];

/* "1234", "12.3k": at most 6 characters. A rate below 10 has a decimal. */
const char *count_text(double count, bool is_rate, char text[NUMBER_BYTES]);
/* "1234", "12.3K", in powers of 1024. is_signed: with + or -. */
const char *bytes_text(double bytes, bool is_signed, char text[NUMBER_BYTES]);

/* The text of a number column. "-": the rate is not known yet. */
const char *column_text(enum column column, const struct row_figures *figures,
			char text[NUMBER_BYTES]);

/* A row as it is listed. */
struct listed {
	const struct table_row *row;
	struct row_figures figures;
};

struct list_settings {
	enum column sort;
	bool reverse;
	const regex_t *filter; /* on names; NULL: all rows */
	/* of rows of slab caches: has the other names of merged caches; else NULL */
	const struct stats_file_view *types;
};

struct row_list {
	struct listed *rows;
	size_t count, space;
	size_t all; /* without the filter */
};

/* Lists the rows of the table in order. 0 or -ENOMEM. */
int list_fill(struct row_list *list, const struct top_table *table,
	      const struct list_settings *settings);
void list_deinit(struct row_list *list); /* all zero is allowed */

#endif
