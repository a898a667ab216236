/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The summaries of a file, for reports: their sum, the totals of each interval, and what each
 * interval added to each row.
 */
#ifndef REPORT_SUMMARIES_SUMMARIES_H
#define REPORT_SUMMARIES_SUMMARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/select.h"
#include "base/hash_map.h"
#include "fleet/summary/summary.h"
#include "report/summaries/window.h"

/* All summaries that end at one time. */
struct summaries_interval {
	struct summary sum; /* it has one row: the total of the selected rows */
	uint64_t covered;   /* ns: of its time, the part that no earlier interval has */
	double host_time;   /* ns: of all hosts together */
	bool is_bound;	    /* its live figures are upper bounds: see summaries_set_bounds() */
};

/* Of a row, in one interval. */
struct summaries_growth {
	uint32_t row, interval;	       /* the row of the sum; the interval as it was read */
	double allocations, allocated; /* objects, bytes */
	double objects, bytes;	       /* allocated - freed */
};

struct summaries {
	struct summary sum;   /* its live figures are those of the last end that most hosts reach */
	struct summary known; /* no rows: the sum, and what is before the window */
	struct summaries_window window;
	struct summaries_interval *intervals; /* in order of their ends */
	size_t interval_count;
	struct hash_map by_end; /* of intervals, as they were read */
	uint32_t *order;	/* the place of an interval, by its number as it was read */
	struct summaries_growth *growth;
	size_t growth_count;
	bool *selected; /* by row of the sum; of other kinds than SUMMARY_CODE: false */
	size_t hosts;	/* of all sources */
	uint64_t summaries, missing; /* missing: gaps in the numbers of a source */
	uint64_t missing_before;     /* summaries before the first of each source, not known */
	uint64_t damaged;	     /* blocks of the file that are skipped */
	uint64_t overlapping;	     /* summaries that have a part of others */
	uint64_t live_until;	     /* ns since 1970: live figures after it are not in the sum */
	bool lost_before;	     /* events, before the window */
	bool is_quiet;		     /* the messages about the file are printed already */
};

/*
 * Reads all summaries of a file, and once more if the live figures of their last end are those of
 * few hosts: then the sum has those of an earlier end. select: has_site and has_cache choose rows,
 * its times choose summaries; or NULL. wants_growth: fill growth. Says on stderr which parts of the
 * file are skipped. 0, or -errno after a message.
 */
int summaries_read(struct summaries *summaries, const char *path, const struct select *select,
		   bool wants_growth);
void summaries_deinit(struct summaries *summaries); /* all zero is allowed */

/* "function [module]", or "[module]" or "kernel" of the module alone. NULL: no memory. */
char *summaries_function_text(const char *function, const char *module);
char *summaries_module_text(const char *module);

/* Of how many summaries it is the sum. */
uint64_t summaries_count(const struct summary *summary);

/* The total of the selected rows. */
struct summary_counts summaries_total(const struct summaries *summaries);

#endif
