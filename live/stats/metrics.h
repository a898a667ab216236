/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the transitions of an analysis for a monitoring system: in total, by slab cache and by the
 * function that allocated. A monitoring system stores a time series for each row that it sees, so
 * only some rows are shown, and one row has all others. The analysis must group by function.
 *
 * No shown counter ever decreases. A row counts for itself while it is shown, and for the others
 * while it is not: a row that is shown again goes on where it stopped. So in any time, the
 * increases of all rows add up to those of the total. Live numbers are always those of the row.
 *
 * The shown rows are the `top` ones with the most live bytes, and as many of those that were among
 * them before: again the ones with the most live bytes.
 */
#ifndef LIVE_STATS_METRICS_H
#define LIVE_STATS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/missing.h"
#include "analysis/tallies.h"
#include "base/hash_map.h"
#include "kernel/census.h"
#include "kernel/symbols.h"

#define METRICS_ROWS_MAX 8192 /* of a table; names beyond have no row */

#define METRICS_REST "(other)" /* in place of the name: all rows that are not shown */

enum metrics_kind {
	METRICS_CACHE,
	METRICS_FUNCTION,
	METRICS_KINDS
};

struct metrics_counts {
	uint64_t allocations, frees; /* objects */
	uint64_t allocated, freed;   /* bytes */
	uint64_t missed;	     /* part of frees: they were not recorded; may decrease */
};

struct metrics_row {
	char *name;		     /* "(unknown)": no symbol; addresses are not published */
	char *module;		     /* of a function; "kernel": none; of a cache: "" */
	struct metrics_counts total; /* since the begin */
	struct metrics_counts last;  /* the total at the last choice of rows */
	struct metrics_counts shown; /* counted while the row was shown */
	bool is_shown;
	double variance; /* of the estimate of its live bytes */
};

struct metrics_table {
	struct metrics_row *rows; /* the first has all names that found no room; it has no name */
	size_t count;
	uint32_t *row_of; /* by index in the analysis: the row + 1; 0: not known yet */
	size_t row_of_count;
	struct hash_map by_name;
	struct metrics_counts rest; /* counted while the row was not shown */
	uint64_t replaced;	    /* rows that were shown, and are not any more */
};

struct metrics {
	const struct capture *capture;
	size_t top;
	struct symbols_names symbols;
	struct metrics_table tables[METRICS_KINDS];
	struct metrics_counts total;
	struct census census; /* of the last reading of the slab allocator; all 0: none */
	uint64_t failed;      /* allocations */
	uint64_t unmatched;   /* frees of objects that were not counted */
};

/* The capture must outlive the metrics. 0 or -ENOMEM. */
int metrics_init(struct metrics *metrics, const struct capture *capture, size_t top);
void metrics_deinit(struct metrics *metrics); /* all zero is allowed */

/* For struct observer: data is the struct metrics. */
int metrics_on_transition(void *metrics, const struct analysis *analysis,
			  const struct transition *transition);

/* Adds what the analysis counted in a tally. 0 or -ENOMEM. */
int metrics_add_tally(struct metrics *metrics, const struct analysis *analysis,
		      const struct tally *tally, const struct tally_count *count);

/* The slab allocator was read. 0 or -ENOMEM. */
int metrics_take_reading(struct metrics *metrics, const struct heap_reading *reading);

/* Writes what the last reading shows, if there was one. 0 or -ENOMEM. */
int metrics_census_write(const struct metrics *metrics, FILE *file);

/* The symbols of the capture were replaced. 0 or -ENOMEM. */
int metrics_reload_symbols(struct metrics *metrics);

/* Chooses the rows that are shown from now on. 0 or -ENOMEM. */
int metrics_choose(struct metrics *metrics, const struct analysis *analysis);

static inline void metrics_counts_add(struct metrics_counts *sum,
				      const struct metrics_counts *counts)
{
	sum->allocations += counts->allocations;
	sum->frees += counts->frees;
	sum->allocated += counts->allocated;
	sum->freed += counts->freed;
	sum->missed += counts->missed;
}

static inline uint64_t metrics_live_objects(const struct metrics_counts *counts)
{
	return counts->allocations - counts->frees;
}

static inline uint64_t metrics_live_bytes(const struct metrics_counts *counts)
{
	return counts->allocated - counts->freed;
}

/* Of the program that counts. */
struct metrics_facts {
	const char *version, *kernel_release;
	double begin, update; /* seconds since 1970: of the first event, and of the last */
	double audit;	      /* the same, of the last reading of the slab allocator; 0: none */
	struct missing missing;
	double cpu_seconds; /* CPU time of the program */
	uint64_t resident;  /* bytes: its memory */
	uint64_t capture;   /* bytes that it wrote */
};

/*
 * Writes the chosen rows in the text format of Prometheus. 0 or -ENOMEM; errors of the file are the
 * file's.
 */
int metrics_write(const struct metrics *metrics, const struct analysis *analysis,
		  const struct metrics_facts *facts, FILE *file);

/* Writes a value of a label: escaped, and in ASCII. */
void metrics_write_label(FILE *file, const char *value);

#endif
