/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One pass over a capture: pairs frees with allocations and adds up, by group (call site, …), by
 * cache and in all. Whoever wants more of it watches the steps go by.
 *
 * An object that kmemtraced itself allocated is left out of everything, with its free, unless
 * the capture says to include it; so is one that is not selected.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "analysis/object_table.h"
#include "capture/loss.h"
#include "analysis/select.h"

enum group_by {
	GROUP_BY_SITE,	   /* key: the address of the call */
	GROUP_BY_FUNCTION, /* key: the function's address; the site's own if it has no symbol */
	GROUP_BY_MODULE,   /* key: symbols_string() of it; GROUP_KEY_UNKNOWN: no symbol */
	GROUP_BY_CACHE,	   /* key: index in analysis.caches */
	GROUP_BY_SIZE,	   /* key: bytes requested */
	GROUP_BY_TASK,	   /* key: index in tasks.list; GROUP_KEY_UNKNOWN + tid: no such task */
	GROUP_BY_CPU,	   /* key: CPU */
	GROUP_BY_NODE,	   /* key: node of the allocating CPU; GROUP_KEY_UNKNOWN: not known */
	GROUP_BY_GFP,	   /* key: flags */
};

#define GROUP_KEY_UNKNOWN ((uint64_t)1 << 32)
#define GROUP_NONE UINT32_MAX	 /* no group */
#define CACHE_NONE UINT32_MAX	 /* no cache, or not known */
#define CACHE_SEVERAL 0xfffffffe /* more than one */

/*
 * Lifetimes: 8 buckets for each power of two of nanoseconds, so that a bucket is at most 12.5 %
 * wide. The last takes all that is longer.
 */
#define LIFETIME_BUCKETS 376
#define LIFETIME_SUB_BITS 3

struct lifetimes {
	uint64_t counts[LIFETIME_BUCKETS];
};

static inline unsigned int lifetime_bucket(uint64_t ns)
{
	unsigned int shift = ns >> LIFETIME_SUB_BITS
				     ? 63 - LIFETIME_SUB_BITS - (unsigned int)__builtin_clzll(ns)
				     : 0; /* below 8 ns each has its own */
	uint64_t bucket = ((uint64_t)shift << LIFETIME_SUB_BITS) + (ns >> shift);

	return bucket < LIFETIME_BUCKETS ? (unsigned int)bucket : LIFETIME_BUCKETS - 1;
}

uint64_t lifetime_first(unsigned int bucket); /* the shortest of the bucket, ns */
uint64_t lifetime_last(unsigned int bucket);  /* the longest */

/* The lifetime, ns, that percent of those counted do not exceed, rounded up to its bucket's last.
 */
uint64_t lifetimes_percentile(const struct lifetimes *lifetimes, double percent);

/* What the pass has yet to add to a group's sums, to its cache's and to the totals. */
struct pending_counters {
	uint64_t allocations, frees;
	uint64_t requested, allocated, freed; /* bytes */
	uint32_t cache;			      /* of all of it */
};

/* live_objects = allocations - frees - missed_frees. */
struct group {
	uint64_t key;
	uint64_t first_time;   /* ns: tells which module had an address */
	uint64_t allocations;  /* that succeeded */
	uint64_t frees;	       /* of its own objects, wherever they were freed */
	uint64_t missed_frees; /* proven: an address was allocated again while live */
	uint64_t failed;
	uint64_t bytes_requested, bytes_allocated; /* of the allocations */
	uint64_t live_objects, live_bytes;	   /* at the end; bytes allocated */
	uint64_t peak_bytes;			   /* the highest live_bytes that ever was */
	struct pending_counters pending;	   /* nothing, once the pass is over */
	uint64_t temporary; /* freed by the same task on the same CPU with no allocation between */
	uint64_t cross_cpu_frees;    /* of its objects, on another CPU than allocated them */
	struct lifetimes *lifetimes; /* of those freed; NULL: none, or not asked for */
	uint32_t cache;		     /* of all its objects: index, or CACHE_SEVERAL */
};

/*
 * A slab cache; or one of kmalloc's, told apart by size and GFP flags; or those that the kernel
 * does not tell, by sizes. As struct group: an object counts where its allocation told, whatever
 * its free names.
 */
struct analysis_cache {
	const struct cache *cache; /* NULL: one of kmalloc's, or of no known name */
	char name[80]; /* "kmalloc-64", "kmalloc-cg-1k", "kmalloc-large", …; "0x…" */
	bool is_kmalloc, is_large; /* large: whole pages, no slab */
	bool is_anonymous; /* all caches of these sizes that the kernel does not tell apart */
	bool selected;
	uint32_t object_size, size; /* bytes to use, and from one object to the next; 0: unknown */
	uint64_t allocations, frees, missed_frees, failed;
	uint64_t bytes_requested, bytes_allocated;
	uint64_t live_objects, live_bytes;
	uint64_t frees_unmatched; /* that named this cache */
};

struct analysis_site {
	uint64_t address, first_time;
	uint32_t group; /* GROUP_NONE: allocated nothing so far, or groups are not by place */
	bool selected;
	bool in_allocator; /* it lies inside kmalloc() itself */
};

/*
 * allocations + failed + frees + null_frees + resizes + repeated + left_out + own_allocations
 * + own_frees + untracked + unknown = recorded. live_objects = allocations - (frees -
 * frees_unmatched) - missed_frees.
 */
struct analysis_totals {
	uint64_t allocations, failed;
	uint64_t frees;		  /* of objects, frees_unmatched among them */
	uint64_t frees_unmatched; /* of objects whose allocation was not recorded, or not in time */
	uint64_t null_frees;	  /* of NULL or of what kmalloc(0) gave: no object */
	uint64_t resizes;	  /* calls of krealloc(), whether in place or not */
	uint64_t repeated;	  /* allocations that the kernel told twice: once counted */
	uint64_t missed_frees;	  /* proven: the address was allocated again while live */
	uint64_t bytes_requested, bytes_allocated;
	uint64_t cross_cpu_frees, temporary;
	uint64_t live_objects, live_bytes, peak_bytes, peak_time;
	uint64_t own_allocations, own_frees; /* of kmemtraced's own objects, left out above */
	uint64_t left_out;		     /* events that were not selected */
	uint64_t untracked;		     /* allocations when heap.limit was reached: unseen */
	uint64_t rescued;		     /* records of second programs */
	uint64_t unknown;		     /* records of ids that this version does not know */
};

/* The same numbers as in status, from the streams themselves. */
struct analysis_loss {
	uint64_t seen, recorded, lost, skipped, own;
	uint64_t cut_off;     /* of lost: those that status tells and no stream holds */
	bool skipped_partial; /* cut off: skips after the last packet are not known */
	bool own_known;	      /* else own is 0, and own objects count as any */
};

/* One CPU's part of it; skips are told for all CPUs together. */
struct analysis_cpu {
	unsigned int cpu;
	uint64_t recorded, lost, own;
	uint64_t time_last; /* ns: of what there is of its stream */
};

/* What became of an event. */
enum outcome {
	OUTCOME_ALLOCATED, /* block: the new object */
	OUTCOME_FAILED,
	OUTCOME_FREED,	   /* block: the object */
	OUTCOME_UNMATCHED, /* a free of no live object; block: NULL */
	OUTCOME_NO_OBJECT, /* a free of NULL or of what kmalloc(0) gave */
	OUTCOME_RESIZED,   /* block: the object, as it was */
	OUTCOME_MISSED,	   /* no event of its own: block went unseen, event got its address */
	OUTCOME_MISSED_FREE_MATCHED, /* no event of its own: block, told missed at event's time, was
					freed by it */
	OUTCOME_FREE_REASSIGNED,     /* block was freed by event, and not by the one that is told */
};

struct transition {
	enum outcome outcome;
	const struct event *event;
	const struct slab_object *object;
	uint32_t group; /* of the object, or of the allocation that failed; else GROUP_NONE */
	uint32_t cache; /* index: the object's; else of the one that the event names, or CACHE_NONE
			 */
	const struct event
		*told; /* of OUTCOME_FREE_REASSIGNED: that of its OUTCOME_FREED; else NULL */
};

struct analysis;

/*
 * Called for each selected event, before the figures of its group and cache change. With
 * select.older an object is told only once it is known to have lived that long: its
 * OUTCOME_ALLOCATED comes just before its OUTCOME_FREED or OUTCOME_MISSED, or at the end, with the
 * event NULL if it still lives. OUTCOME_MISSED_FREE_MATCHED and OUTCOME_FREE_REASSIGNED (see
 * late.h) put right whose free was whose; what was live when is not told anew. 0, or -errno to
 * stop.
 */
struct observer {
	int (*on_transition)(void *data, const struct analysis *analysis,
			     const struct transition *transition);
	void *data;
};

#define OBSERVERS_MAX 2

struct analysis_settings {
	enum group_by by;
	bool lifetimes;		     /* count them for each group */
	bool findings;		     /* look for what is wrong: groups must be by site */
	const struct select *select; /* NULL: everything */
	struct observer observers[OBSERVERS_MAX];
	size_t observer_count;
	/* that read ahead, and the caller's own; 0: as many as CPUs. The figures are the same. */
	unsigned int threads;
	/* Told now and then how many of the streams' bytes are done; or NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t bytes);
	void *progress_data;
};

struct heap_findings;

struct analysis {
	struct analysis_settings settings;
	const struct capture *capture;
	struct group *groups; /* in order of first appearance */
	size_t group_count;
	struct analysis_cache *caches; /* in order of first appearance */
	size_t cache_count;
	struct analysis_site *sites; /* all call sites seen, of frees too */
	size_t site_count;
	struct object_table objects;	/* what is live at the end; freed blocks too */
	struct heap_findings *findings; /* NULL: not asked for */
	struct analysis_totals totals;
	struct analysis_loss loss;
	struct analysis_cpu *cpus; /* of each stream, by cpu */
	size_t cpu_count;
	uint64_t begin, end;		   /* ns: what the capture covers */
	uint64_t window_begin, window_end; /* the part of it that was selected */
	uint64_t damaged_bytes;
	uint64_t cut_bytes;	 /* of them: at the end of a stream, with no whole packet behind */
	uint64_t caches_unknown; /* events of caches without a name: of 0 bytes */
	uint64_t cache_not_traced; /* allocations whose cache the kernel does not tell */
};

/* Runs the pass. 0 or -errno, with capture->errmsg set. */
int analysis_run(struct analysis *analysis, struct capture *capture,
		 const struct analysis_settings *settings);
void analysis_deinit(struct analysis *analysis);

/* Does the capture tell all that the kernel kept from the programs, to its end? */
bool analysis_knows_skips(const struct capture *capture);

/* The next live object at the end that counts, or NULL; *next is 0 at the start. */
const struct slab_object *analysis_next_live(const struct analysis *analysis, size_t *next);

/*
 * Which share of a cache's or group's frees was observed, percent: frees / (frees +
 * missed_frees); 100 if there were none.
 */
double analysis_coverage(uint64_t frees, uint64_t missed_frees);

/* (allocated - requested) / allocated * 100; 0 if nothing was allocated. As perf kmem has it. */
double analysis_fragmentation(uint64_t requested, uint64_t allocated);

#endif
