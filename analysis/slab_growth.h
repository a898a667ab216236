/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares the growth of each slab cache in /proc/slabinfo with its events between the same two
 * readings. The difference is the work of unobserved paths, unless the error of slabinfo and of
 * the events explains it.
 */
#ifndef ANALYSIS_SLAB_GROWTH_H
#define ANALYSIS_SLAB_GROWTH_H

#include "analysis/model.h"

#define SLAB_GROWTH_UNKNOWN INT64_MIN

/* All numbers are objects, unless the name has another unit. */
struct slab_growth_cache {
	const char *name; /* of the capture's slabinfo */
	uint64_t size;	  /* bytes from one object to the next; 0: unknown */
	int64_t growth;	  /* active objects at the end - those at the begin */
	uint64_t allocations, frees, missed_frees; /* recorded between the two readings */
	/* Are the events of this cache known? Not if events of other caches may be among them. */
	bool compared;
	int64_t observed;   /* allocations - frees; or SLAB_GROWTH_UNKNOWN */
	int64_t difference; /* growth - observed; or SLAB_GROWTH_UNKNOWN */
	/* The error: a difference from low to high needs no unobserved event. Or unknown. */
	int64_t low, high;
	/* The difference, if it is not from low to high; else 0. Or SLAB_GROWTH_UNKNOWN. */
	int64_t unobserved;
};

enum slab_growth_state {
	SLAB_GROWTH_COMPARED,
	SLAB_GROWTH_SELECTED,  /* the report is of a part of the capture */
	SLAB_GROWTH_FILTERED,  /* only some processes were traced */
	SLAB_GROWTH_NO_NUMBERS /* the capture has no two readings */
};

struct slab_growth {
	enum slab_growth_state state;
	struct slab_growth_cache *list; /* by name; empty unless state is SLAB_GROWTH_COMPARED */
	size_t count;
	uint64_t begin, end;	     /* ns: the two readings */
	uint64_t allocations, frees; /* unobserved, the sums of all caches */
	size_t known;		     /* caches whose unobserved is known */
	size_t caches;		     /* those that have unobserved events */
};

/*
 * The first reading of /proc/slabinfo: at the begin of the capture. Of a piece with a checkpoint,
 * it is the one at the begin of tracing, which the checkpoint has. NULL: there is none.
 */
const struct slabinfo_snapshot *slab_growth_first_snapshot(const struct capture *capture);

/* The reading at the end of the capture. NULL: there is none, or it is the first one. */
const struct slabinfo_snapshot *slab_growth_last_snapshot(const struct capture *capture);

/* Before the analysis: requests the counts at the times of the readings. */
void slab_growth_request(struct analysis_settings *settings, const struct capture *capture);

/* After the analysis. 0 or -ENOMEM. The capture must outlive it. */
int slab_growth_init(struct slab_growth *growth, const struct analysis *analysis);
void slab_growth_deinit(struct slab_growth *growth);

/* NULL: no such cache. */
const struct slab_growth_cache *slab_growth_find(const struct slab_growth *growth,
						 const char *name);

#endif
