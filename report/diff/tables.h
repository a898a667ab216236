/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of a comparison. For programs, one table has a row for each figure of each pair of
 * rows, and another the totals. A text has a table of the allocated bytes, one of the growth if
 * both have it, one of the live bytes, and the totals.
 */
#ifndef REPORT_DIFF_TABLES_H
#define REPORT_DIFF_TABLES_H

#include "report/diff/change.h"
#include "report/diff/match.h"
#include "report/render/table.h"

enum diff_column {
	DIFF_NAME,
	DIFF_STATE,
	DIFF_FIGURE,
	DIFF_CERTAIN,
	DIFF_A,
	DIFF_B,
	DIFF_CHANGE,
	DIFF_PERCENT,
	DIFF_LEAST,
	DIFF_LOW,
	DIFF_HIGH,
	DIFF_A_LOW,
	DIFF_A_HIGH,
	DIFF_B_LOW,
	DIFF_B_HIGH,
	DIFF_MATCHED,
	DIFF_NAME_B,
	DIFF_RANK,
	DIFF_COLUMNS
};

extern const struct column diff_columns[DIFF_COLUMNS];

/* Two captures and what was found out about them. */
struct diff {
	struct diff_side a, b;
	struct diff_work a_work, b_work;
	struct diff_pairs pairs;
	struct diff_level level; /* of all figures of all pairs */
	size_t figures;		 /* that are compared: with the totals */
	size_t by_offset, only_a, only_b;
	size_t certain[DIFF_FIGURES];	 /* pairs of which the figure changed certainly */
	const char *keys[DIFF_KEYS_MAX]; /* names of the key columns */
	size_t key_count;
	const char *unit, *byte_unit; /* of flows, in a text: "/s" and "bytes/s" */
};

/* "allocations", "bytes_allocated", … */
extern const char *const diff_figure_names[DIFF_FIGURES];

/* Do both have the figure? */
bool diff_knows(const struct diff *diff, enum diff_figure figure);

/* Matches the rows of both sides and counts the figures. 0 or -ENOMEM. */
int diff_compare(struct diff *diff);

/*
 * Columns of a table of one figure, or of all (DIFF_FIGURES). The caller frees them; NULL: no
 * memory.
 */
struct column *diff_make_columns(const struct diff *diff, enum diff_figure figure, size_t *count);

/* DIFF_COLUMNS columns of the totals, as above. */
struct column *diff_make_total_columns(void);

/*
 * Adds the rows of the figure, or of all, to a table with these columns: the certain changes first,
 * then by the size of the change. marks: the state of an uncertain change ends with "?". 0 or
 * -ENOMEM.
 */
int diff_add_rows(const struct diff *diff, struct table *table, enum diff_figure figure,
		  bool marks);

/* The same of the totals, a row for each figure that both have. */
int diff_add_totals(const struct diff *diff, struct table *table, bool marks);

#endif
