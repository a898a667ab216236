/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts allocations and frees in time slices, for each pair of a group and a slab cache. Only
 * slices with events of the pair need memory.
 */
#ifndef REPORT_VIEWS_SPAN_COUNTS_H
#define REPORT_VIEWS_SPAN_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/hash_map.h"
#include "report/views/slices.h"

#define SPAN_SLICES_MAX 200

struct span_change {
	uint32_t slice;
	uint64_t allocations, frees, missed; /* missed: frees that were not recorded */
	uint64_t allocated, freed;	     /* bytes; freed: missed ones, too */
};

struct span_pair {
	uint32_t group, cache;
	uint64_t initial_objects, initial_bytes;
	uint64_t live_most, allocated; /* bytes: live at the end of any slice; in all slices */
	struct span_change *changes;   /* by slice */
	size_t count;
};

struct span_slice {
	uint64_t allocations, frees, unmatched, missed, failed; /* frees: unmatched ones, too */
};

struct span_counts {
	struct slices slices;
	unsigned int merged;   /* slices.doublings that pairs and totals have applied */
	struct hash_map index; /* of pairs, by group and cache */
	struct span_pair *pairs;
	size_t pair_count;
	struct span_slice totals[SPAN_SLICES_MAX];
};

int span_counts_init(struct span_counts *counts); /* 0 or -ENOMEM */
void span_counts_deinit(struct span_counts *counts);

/* An observer: data is a struct span_counts. */
int span_counts_take(void *data, const struct analysis *analysis,
		     const struct transition *transition);

/* Applies slices.doublings. */
void span_counts_merge(struct span_counts *counts);

/*
 * Moves up to most pairs to the front and returns their number: those with the most live bytes, up
 * to by_live, then those with the most allocated bytes.
 */
size_t span_counts_choose(struct span_counts *counts, size_t by_live, size_t most);

/* Adds one pair to another, which owns its changes. 0 or -ENOMEM. */
int span_pair_add(struct span_pair *sum, const struct span_pair *pair);

#endif
