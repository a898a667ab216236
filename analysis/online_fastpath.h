/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path of an online analysis: takes records from a packet as they are, makes no events of
 * them, and counts them in tallies. It takes the same allocations and frees as fastpath.h, except
 * the last record of a packet, the first allocation of a tally, and allocations of a cache whose
 * address belongs to different caches over time; and, if analysis_settings.mark_sampled, sampled
 * allocations and the frees of their objects. A free is fast even if the name of its cache is
 * not known yet, since its object is.
 */
#ifndef ANALYSIS_ONLINE_FASTPATH_H
#define ANALYSIS_ONLINE_FASTPATH_H

#include "analysis/cache_timeline.h"
#include "analysis/matcher_state.h"
#include "analysis/online_packet.h"
#include "analysis/tallies.h"
#include "analysis/task_tallies.h"

#define ONLINE_FASTPATH_MEMO_BITS 11

/* The last allocation of a call site: the group, the cache and the sizes of its objects. */
struct online_fastpath_memo {
	uint64_t call_site;
	uint64_t source;     /* the cache's address; of kmalloc() its size and GFP flags */
	uint32_t generation; /* of the cache timeline; 0: empty */
	uint32_t epoch;	     /* of struct grouping */
	uint32_t group, cache, tally;
	uint32_t requested, allocated; /* bytes; not of kmalloc() */
	bool is_kmalloc;
} __attribute__((aligned(64))); /* a line of the processor's cache */

struct online_fastpath {
	struct matcher *matcher;
	struct cache_timeline *timeline;
	struct tallies *tallies;
	struct task_tallies *tasks; /* NULL: not used */
	uint64_t last;		    /* ns: time of the last event */
	struct online_fastpath_memo memos[1 << ONLINE_FASTPATH_MEMO_BITS];
};

void online_fastpath_init(struct online_fastpath *fastpath, struct matcher *matcher,
			  struct cache_timeline *timeline, struct tallies *tallies,
			  struct task_tallies *tasks);

/*
 * Takes records of the packet up to the first that is not fast, not before the time (ns), or has
 * the time of the next one. All earlier events are matched; no free is delayed and no second report
 * is waited for. Returns their number, or -ENOMEM.
 */
long online_fastpath_run(struct online_fastpath *fastpath, struct online_packet *packet,
			 uint64_t before);

#endif
