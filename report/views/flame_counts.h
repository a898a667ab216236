/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes and objects of each group that the groups of the analysis do not have: at the peak of all,
 * of temporary objects, and of old ones.
 */
#ifndef REPORT_VIEWS_FLAME_COUNTS_H
#define REPORT_VIEWS_FLAME_COUNTS_H

#include "analysis/analysis.h"
#include "report/render/flame.h"
#include "report/views/live_parts.h"
#include "report/views/view.h"

/* The figures of a group that a flame shows. */
struct flame_count {
	struct flame_values live, temporary;
	struct flame_values at_peak; /* if the group changed since */
	uint64_t peak;		     /* the peak of at_peak, by its number */
};

struct flame_counts {
	struct flame_count *list; /* by group */
	size_t count;
	uint64_t live_bytes, peak_bytes, peaks; /* of all groups; number of new maxima */
	struct live_parts parts;		/* which caches the objects of the peak are in */
};

int flame_counts_init(struct flame_counts *counts); /* 0 or -ENOMEM */
void flame_counts_deinit(struct flame_counts *counts);

/* The figures of one object. */
struct flame_values flame_counts_weigh(const struct analysis *analysis,
				       const struct slab_object *object);

/* An observer: data is a struct flame_counts. */
int flame_counts_take(void *data, const struct analysis *analysis,
		      const struct transition *transition);

/* The live objects and bytes of the group when those of all groups were highest. */
struct flame_values flame_counts_at_peak(const struct flame_counts *counts, size_t group);

/* Marks the paths of groups with objects at the peak that may have been freed by then. */
void flame_counts_bound_peak(const struct flame_counts *counts, const struct report *report);

#define FLAME_SITE_KEYS 2 /* the hidden keys of the query, if the flame shows old objects */

/*
 * Adds the old live objects of each group, as the view leaks defines old for call sites, to the
 * values that its path shows. The hidden keys are those of the call site. report->flame has a path
 * for each group, in their order. 0 or -ENOMEM.
 */
int flame_add_old(const struct report *report);

#endif
