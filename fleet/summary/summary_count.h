/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the transitions of an analysis into rows of a summary, interval by interval. The analysis
 * must group by function.
 *
 * A free that was first counted as missed, and is recorded after all (see delayed_free.h), lowers
 * the missed frees of the interval in which this is known. A count that would become negative by
 * this is 0 in that summary, and the rest lowers the next ones.
 */
#ifndef FLEET_SUMMARY_SUMMARY_COUNT_H
#define FLEET_SUMMARY_SUMMARY_COUNT_H

#include "analysis/analysis.h"
#include "analysis/tallies.h"
#include "base/hash_map.h"
#include "fleet/summary/summary.h"
#include "kernel/symbols.h"

struct summary_counter {
	const struct capture *capture;
	struct symbols_names symbols;
	/* The rows so far: flows since the last summary, live figures of now. The caller may count
	 * in rows of other kinds. */
	struct summary counting;
	struct hash_map row_of; /* by group and cache: the row */
	uint64_t recorded;	/* transitions that are recorded events, since the last summary */
};

/* The capture must outlive the counter. 0 or -ENOMEM. */
int summary_counter_init(struct summary_counter *counter, const struct capture *capture);
void summary_counter_deinit(struct summary_counter *counter); /* all zero is allowed */

/* For struct observer: data is the struct summary_counter. */
int summary_count_transition(void *counter, const struct analysis *analysis,
			     const struct transition *transition);

/* Adds what the analysis counted in a tally. 0 or -ENOMEM. */
int summary_count_tally(struct summary_counter *counter, const struct analysis *analysis,
			const struct tally *tally, const struct tally_count *count);

/* The symbols of the capture were replaced. 0 or -ENOMEM. */
int summary_count_reload_symbols(struct summary_counter *counter);

/*
 * Makes a summary with the rows of the interval since the last call, in order, and begins the next
 * interval. The caller sets all else, and deinits it. 0 or -ENOMEM.
 */
int summary_count_take(struct summary_counter *counter, struct summary *summary);

#endif
