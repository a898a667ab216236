/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs the analysis of a capture: reads it once, pairs frees with allocations, and counts by group
 * (call site, …), by cache and in total. Observers see each transition.
 *
 * Objects that kmemtraced itself allocated are not counted, nor are their frees, unless the capture
 * says to include them; the same holds for objects that are not selected.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/lifetimes.h"
#include "analysis/model.h"
#include "analysis/select.h"

/* Runs the analysis. 0 or -errno, with capture->error set. */
int analysis_run(struct analysis *analysis, struct capture *capture,
		 const struct analysis_settings *settings);
void analysis_deinit(struct analysis *analysis);

/*
 * While it runs: the end of the window, if the capture says when it ended; else UINT64_MAX. Some
 * programs record events until shortly after that.
 */
uint64_t analysis_known_end(const struct analysis *analysis);

/* The next counted object that is live at the end, or NULL; *next is 0 at the start. */
const struct slab_object *analysis_next_live(const struct analysis *analysis, size_t *next);

/*
 * The observed share of the frees of a cache or group, percent: frees / (frees + missed_frees);
 * 100 if there were none.
 */
double analysis_coverage(uint64_t frees, uint64_t missed_frees);

/* wasted / allocated * 100; 0 if allocated is 0. */
double analysis_fragmentation(uint64_t wasted, uint64_t allocated);

/*
 * The same of all: an allocation that got less than it requested wastes nothing, and the bytes for
 * slab debugging do not count as waste.
 */
static inline double analysis_total_fragmentation(const struct analysis_totals *totals)
{
	return analysis_fragmentation(totals->bytes_allocated - totals->bytes_debug -
					      totals->bytes_requested + totals->bytes_short,
				      totals->bytes_allocated);
}

#endif
