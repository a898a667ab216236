/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live bytes of a trigger by who holds them and who made them grow: by pair of a call site
 * and a slab cache, now and at a few times before. For the publishing thread.
 */
#ifndef TRACER_PUBLISH_FIGURES_PAIRS_H
#define TRACER_PUBLISH_FIGURES_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/tallies.h"
#include "tracer/triggers/trigger.h"

#define FIGURES_HOLDERS 3
#define FIGURES_NAME 64 /* bytes; a longer name is cut off */

struct figures_holder {
	char name[FIGURES_NAME]; /* "": there are fewer */
	uint64_t bytes;
	bool is_bound; /* upper bound: frees of its caches were missed */
};

/* Puts the holder among those with the most bytes, in their order. */
void figures_holder_add(struct figures_holder *holders, const char *name, uint64_t bytes,
			bool is_bound);

/* Of the objects of one trigger. */
struct figures_culprits {
	struct figures_holder holders[FIGURES_HOLDERS];	  /* functions, by live bytes */
	struct figures_holder growers[FIGURES_HOLDERS];	  /* functions, by growth */
	uint64_t growth_ns;				  /* of growers: from then until now */
	struct figures_holder processes[FIGURES_HOLDERS]; /* by live bytes */
	uint64_t processes_time; /* ns: when the live objects were looked at; 0: never */
};

#define FIGURES_SNAPSHOTS 16

struct figures_snapshot {
	uint64_t time;
	uint64_t *live; /* bytes, by index of the tally */
	size_t count;
};

/* The times in the window of a trigger, at an equal distance; the first is the oldest. */
struct figures_past {
	struct figures_snapshot list[FIGURES_SNAPSHOTS];
	size_t count;
};

struct figures_pairs {
	struct tallies *tallies; /* the pairs, in this order; NULL: they are not counted */
	uint64_t *live;		 /* bytes, by index of the tally */
	size_t count;		 /* elements; there may be fewer tallies, or more */
	bool *missed;		 /* by index of the cache: a free of its objects was missed */
	size_t missed_count;
	struct figures_past past[TRIGGERS_MAX];
};

void figures_pairs_deinit(struct figures_pairs *pairs); /* all zero is allowed */

/* Adds a transition, or the counts of a tally. 0 or -ENOMEM. */
int figures_pairs_take(struct figures_pairs *pairs, const struct analysis *analysis,
		       const struct transition *transition);
int figures_pairs_add(struct figures_pairs *pairs, const struct tally *tally,
		      const struct tally_count *count);

static inline bool figures_pairs_is_bound(const struct figures_pairs *pairs, uint32_t cache)
{
	return cache < pairs->missed_count && pairs->missed[cache];
}

/*
 * The live bytes at the begin of a window that ends now, for a trigger with growth; or NULL: now is
 * the first time. It remembers the present ones for later calls. -ENOMEM in *err.
 */
const struct figures_snapshot *figures_pairs_then(struct figures_pairs *pairs, size_t trigger,
						  uint64_t window_ns, uint64_t now, int *err);

/* Other triggers have these numbers from now on. */
void figures_pairs_forget(struct figures_pairs *pairs);

static inline uint64_t figures_snapshot_live(const struct figures_snapshot *snapshot, size_t pair)
{
	return pair < snapshot->count ? snapshot->live[pair] : 0;
}

#endif
