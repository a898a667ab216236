/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which live numbers are upper bounds: those of caches some of whose frees are known to be missing.
 * And by how many objects live may be wrong for reasons that are not lost or skipped events.
 */
#ifndef REPORT_VIEWS_LIVE_BOUNDS_H
#define REPORT_VIEWS_LIVE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/slab_growth.h"

struct live_bounds {
	bool *caches; /* by index in analysis.caches: are frees of this cache missing? */
	bool *groups; /* by index in analysis.groups: has it a live object of such a cache? */
	bool any;     /* is any live object of such a cache? */
	uint64_t
		missed; /* live objects of caches with missed frees or frees that were not traced */
	/*
	 * By slabinfo: objects allocated on unobserved paths; and those freed there, of caches that
	 * have no part in missed.
	 */
	uint64_t unobserved;
	/*
	 * Live objects that may be freed, by missed or unobserved frees: live may be too high by
	 * these.
	 */
	uint64_t maybe_freed, maybe_freed_bytes;
};

/* After the analysis. 0 or -ENOMEM. */
int live_bounds_init(struct live_bounds *bounds, const struct analysis *analysis,
		     const struct slab_growth *growth);
/* By how many objects live may be wrong, lost and skipped events included. */
uint64_t live_bounds_error(const struct live_bounds *bounds, const struct analysis *analysis);
void live_bounds_deinit(struct live_bounds *bounds);

#endif
