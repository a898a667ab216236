/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of one key, such as call sites, over time: what each row counts now, counted at the
 * moment before, and at a mark; and its live bytes over the last minutes.
 */
#ifndef LIVE_TOP_TABLE_H
#define LIVE_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"
#include "base/hash_map.h"
#include "live/stats/details.h"

#define TABLE_POINTS 120	     /* of the live bytes of a row */
#define TABLE_POINT_NS 2000000000ULL /* between two of them */

/* Of a row of estimates. */
struct table_errors {
	uint64_t allocated, live; /* bytes: standard errors */
	uint64_t samples, live_samples;
};

struct table_row {
	char *key;  /* unique in the table */
	char *name; /* printable ASCII */
	struct details_counts now, before, mark;
	struct table_errors errors, errors_before;
	bool is_present; /* in the present moment */
	bool is_new;	 /* it was not there before, and may have been in the rest: no rates */
	uint32_t points; /* of its life[], up to TABLE_POINTS */
	float *life;	 /* live bytes, circular with table.next_point; NULL: none yet */
};

struct top_table {
	struct table_row *rows;
	size_t count;
	struct hash_map by_key;
	uint64_t time, before, mark; /* ns: of the counts; 0: none */
	uint64_t next_at;	     /* ns: of the next point */
	size_t next_point;
	bool has_rest;		   /* rows may come from the rest, and go there */
	struct estimates sampling; /* its intervals; 0: the rows are counted, not estimated */
};

/* The figures of a row: the difference of two moments is exact, for the time between them. */
struct row_figures {
	double allocations_s, frees_s, allocated_s, growth_s; /* in a second; bytes: last two */
	bool has_rates;
	uint64_t live_objects, live_bytes;
	int64_t since_mark, since_mark_objects;
	/* of estimates: the value is between these with a probability of about 95 % */
	struct estimate_range live_range, allocated_range, allocated_s_range; /* bytes */
	double error; /* half of live_range, in percent of live_bytes; NAN: not known */
};

int top_table_init(struct top_table *table); /* 0 or -ENOMEM */
void top_table_deinit(struct top_table *table);

/*
 * A new moment: the counts of each row are put after table_begin(), those with one key are added
 * up. table_end() removes the rows that were not put. A later begin (ns) than before: all counters
 * began again.
 */
void table_begin(struct top_table *table, uint64_t time, bool has_rest);
int table_put(struct top_table *table, const char *key, const char *name,
	      const struct details_counts *counts); /* 0 or -ENOMEM */
int table_end(struct top_table *table);		    /* 0 or -ENOMEM */

/* The same for a row of estimates, with a key of its own. */
int table_put_estimate(struct top_table *table, const char *name,
		       const struct details_counts *counts, const struct table_errors *errors);

/* The row has no rates in this moment, since it lost or got what other rows counted. */
void table_set_new(struct top_table *table, const char *key);

/* Differences are counted from now on. */
void table_set_mark(struct top_table *table);

/* Forgets all rows. 0 or -ENOMEM. */
int table_reset(struct top_table *table);

/* NULL: there is no such row. */
const struct table_row *table_find(const struct top_table *table, const char *key);

void table_figures(const struct top_table *table, const struct table_row *row,
		   struct row_figures *figures);

/* The i-th oldest point of a row, i below row->points. */
float table_point(const struct top_table *table, const struct table_row *row, size_t i);

/* All rows together. */
void table_total(const struct top_table *table, struct table_row *total);

#endif
