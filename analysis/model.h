/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The heap model's data: groups, caches, sites, totals, transitions and their observers. Only
 * structs and enums: each part of the analysis includes this file, and this file includes none of
 * them.
 */
#ifndef ANALYSIS_MODEL_H
#define ANALYSIS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/object_table.h"
#include "capture/capture.h"
#include "capture/event.h"

/* The stack of a sampled allocation: ids of kernel/stacks, 0: none. */
struct stack_sample {
	uint64_t pointer, kernel_stack, user_stack;
	uint32_t sequence; /* of the allocation, on its CPU */
	uint32_t interval; /* bytes: see analysis/estimate.h */
};

enum group_by {
	GROUP_BY_SITE, /* key: the address of the call, or GROUP_KEY_BOOKKEEPING */
	/* key: the function's address; the site's address if it has no symbol; as above */
	GROUP_BY_FUNCTION,
	GROUP_BY_MODULE, /* key: symbols_string() of its name; GROUP_KEY_UNKNOWN: no symbol */
	GROUP_BY_CACHE,	 /* key: index in analysis.caches */
	GROUP_BY_SIZE,	 /* key: bytes requested */
	/*
	 * key: index in tasks.list; GROUP_KEY_UNKNOWN + tid: task not recorded;
	 * GROUP_KEY_INTERRUPT + enum kmt_context: work of an interrupt, in any task
	 */
	GROUP_BY_TASK,
	GROUP_BY_CPU,	 /* key: CPU */
	GROUP_BY_NODE,	 /* key: node of the allocating CPU; GROUP_KEY_UNKNOWN: node unknown */
	GROUP_BY_GFP,	 /* key: flags */
	GROUP_BY_CALLER, /* key: of analysis_settings.choice */
};

#define GROUP_KEY_UNKNOWN ((uint64_t)1 << 32)
#define GROUP_KEY_INTERRUPT ((uint64_t)2 << 32)
/* with analysis_settings.merge_bookkeeping: no code is there */
#define GROUP_KEY_BOOKKEEPING (UINT64_MAX - 1)
#define GROUP_NONE UINT32_MAX	  /* no group */
#define CACHE_NONE UINT32_MAX	  /* no cache, or cache unknown */
#define CACHE_SEVERAL 0xfffffffe  /* more than one cache */
#define THREAD_SEVERAL UINT32_MAX /* more than one thread */

/* Counts that are not yet added to those of a group, its cache and the totals: see counters.h. */
struct pending_counters {
	uint64_t allocations, frees;
	uint64_t requested, allocated, freed; /* bytes */
	uint32_t cache;			      /* the cache of all these objects */
};

struct lifetimes;

/* live_objects = initial_objects + allocations - frees - missed_frees. */
struct group {
	uint64_t key;
	uint64_t first_time;   /* ns: selects the module that had the key's address at that time */
	uint64_t allocations;  /* that succeeded */
	uint64_t frees;	       /* of the group's own objects, from any call site */
	uint64_t missed_frees; /* proven: an address was allocated again while live */
	uint64_t failed;
	uint64_t bytes_requested, bytes_allocated; /* of the allocations */
	uint64_t bytes_debug;			   /* of the allocated: for slab debugging */
	uint64_t initial_objects, initial_bytes;   /* live at the begin of a piece of a set */
	uint64_t live_objects, live_bytes;	   /* at the end; bytes allocated */
	uint64_t peak_bytes;			   /* the maximum of live_bytes */
	struct pending_counters pending;	   /* all 0 when the analysis is complete */
	uint64_t temporary; /* freed by the same task on the same CPU with no allocation between */
	uint64_t cross_cpu_frees;    /* freed on another CPU than the one that allocated */
	struct lifetimes *lifetimes; /* of freed objects; NULL: none freed, or not requested */
	uint32_t cache;		     /* of all its objects: index, CACHE_NONE or CACHE_SEVERAL */
	uint32_t thread;     /* GROUP_BY_TASK: id of the thread that allocated, or THREAD_SEVERAL */
	bool is_bookkeeping; /* GROUP_BY_SITE, GROUP_BY_FUNCTION: for the slab allocator itself */
};

/*
 * A slab cache; or a kmalloc cache, identified by size and GFP flags; or all anonymous caches with
 * the same sizes. As in struct group, an object counts for the cache that its allocation named,
 * even if its free names another.
 */
struct analysis_cache {
	const struct cache *cache; /* NULL: a kmalloc cache, or a cache without a known name */
	char name[80]; /* "kmalloc-64", "kmalloc-cg-1k", "kmalloc-large", ...; "0x..." */
	bool is_kmalloc, is_large; /* large: whole pages, no slab */
	bool is_anonymous;	   /* all caches with these sizes that the kernel does not name */
	bool selected;
	enum cache_reclaim reclaim;
	uint32_t object_size, size; /* usable bytes, and bytes between two objects; 0: unknown */
	uint32_t debug;		    /* bytes of size for slab debugging */
	uint64_t allocations, frees, missed_frees, failed;
	uint64_t bytes_requested, bytes_allocated, bytes_debug; /* debug: of the allocated */
	uint64_t initial_objects, initial_bytes;		/* as in struct group */
	uint64_t live_objects, live_bytes;
	uint64_t frees_unmatched;	     /* frees that named this cache */
	uint64_t own_allocations, own_frees; /* as in struct analysis_totals */
	/*
	 * By the audit (see audit.h): live objects that it could not judge; and those that can be
	 * other objects, if a free of this cache was missed.
	 */
	uint64_t unjudged, maybe_others;
	bool has_unseen; /* at the last reading, it has objects that no event allocated: see audit.c
			  */
};

/* The events of a cache before a time, kmemtraced's own and frees of unknown objects included. */
struct cache_count {
	uint64_t allocations, frees, missed_frees;
};

/* The events of all caches before a time. */
struct cache_mark {
	struct cache_count *list; /* by index in analysis.caches; later caches have no events yet */
	size_t count;
	uint64_t nameless_frees; /* frees of unknown objects that name no cache */
};

#define CACHE_MARKS_MAX 4

#define LIVE_CURVE_POINTS 256

/* Live bytes, each at width ns after the one before, from begin + width on. See live_curve.h. */
struct live_curve {
	uint64_t begin, width;
	uint64_t bytes[LIVE_CURVE_POINTS];
	size_t count;
};

struct analysis_site {
	uint64_t address, first_time;
	uint64_t code;	/* a hash of the names of its function and module */
	uint32_t epoch; /* of struct grouping: this code was still at the address then */
	uint32_t group; /* GROUP_NONE: no allocation yet, or the group depends on more than the site
			 */
	bool selected;
	bool in_allocator;   /* the call site lies inside kmalloc() itself */
	bool is_bookkeeping; /* it allocates for the slab allocator: see kernel/bookkeeping.h */
};

/*
 * allocations + failed + frees + null_frees + resizes + repeated + left_out + own_allocations
 * + own_frees + process_events + own_process_events + stacks + untracked + unknown = recorded.
 * live_objects = initial_objects + allocations - (frees - frees_unmatched) - missed_frees.
 */
struct analysis_totals {
	uint64_t allocations, failed;
	uint64_t frees;		  /* of objects, including frees_unmatched */
	uint64_t frees_unmatched; /* of objects whose allocation was not recorded in the window */
	uint64_t null_frees;	  /* of NULL or of the pointer that kmalloc(0) returns */
	uint64_t resizes;  /* calls of krealloc(); if it moves the object, its kmalloc() and kfree()
			      count too */
	uint64_t repeated; /* second reports of one allocation: not counted */
	uint64_t missed_frees; /* proven: the address was allocated again while live */
	uint64_t bytes_requested, bytes_allocated;
	uint64_t bytes_debug; /* of the allocated: for slab debugging */
	uint64_t bytes_short; /* of these, requested by allocations that got less than that */
	uint64_t cross_cpu_frees, temporary;
	uint64_t initial_objects, initial_bytes; /* live at the begin of a piece of a set */
	uint64_t live_objects, live_bytes, peak_bytes, peak_time;
	/* allocations by kmemtraced, and frees of these objects by any task; not in the counts
	 * above */
	uint64_t own_allocations, own_frees;
	uint64_t own_frees_by_others;	      /* part of own_frees: not by kmemtraced */
	uint64_t process_events;	      /* events that are not about slab objects */
	uint64_t by_process_kind[KMT_ID_END]; /* the same by kind: their sum is process_events */
	uint64_t own_process_events;	      /* by kmemtraced; not in the counts above */
	uint64_t stacks;		      /* stacks of allocations; not in the counts above */
	uint64_t left_out;		      /* events outside of the selection or the window */
	uint64_t untracked;		      /* allocations after objects.limit was reached */
	uint64_t from_backup; /* records of the backup programs; each is in another counter too */
	uint64_t unknown;     /* records of kinds that this version does not know */
};

/* The counters of the status file, computed from the streams. */
struct analysis_loss {
	uint64_t seen, recorded, lost, skipped, own;
	uint64_t lost_after_end; /* part of lost: in the status file, but in no stream */
	bool skipped_partial;	 /* the status file has no final number: skips after the last packet
				    are unknown */
	bool own_known;		 /* false: own is 0, and kmemtraced's own objects count as others */
};

/*
 * The same for one CPU. The skips of each CPU are in status.cpus only: the header of a packet has
 * the sum of all CPUs.
 */
struct analysis_cpu {
	unsigned int cpu;
	uint64_t recorded, lost, own;
	uint64_t in_stream; /* records of the CPU's own stream; a piece may get others, see
			     * struct stream_counters */
	uint64_t time_last; /* ns: the last time of its packets, by their headers */
};

/* Events that a CPU lost, or that were skipped, between two times. */
struct analysis_gap {
	uint64_t after, before; /* ns; before UINT64_MAX: by the end */
	/* Of a CPU with more than 2^16 gaps, a merged gap counts the recorded events between, too.
	 */
	uint64_t count;
	unsigned int cpu;
	bool is_skip; /* of all CPUs */
};

/*
 * The effect of an event on the model. OUTCOME_MISSED_FREE_MATCHED and OUTCOME_FREE_REASSIGNED
 * follow a delayed report of a free (see delayed_free.h), in the sequence allocation A, allocation
 * B, free 1, free 2 of one address. Allocation B causes OUTCOME_MISSED for object A, and free 1
 * OUTCOME_FREED for object B. Free 2 then shows that free 1 freed object A: it causes
 * OUTCOME_MISSED_FREE_MATCHED for A and OUTCOME_FREE_REASSIGNED for B.
 */
enum outcome {
	OUTCOME_ALLOCATED, /* event allocated object */
	OUTCOME_INITIAL,   /* object was live at the begin of a piece, by its checkpoint */
	OUTCOME_FAILED,	   /* event is an allocation that failed; object: NULL */
	OUTCOME_FREED,	   /* event freed object */
	OUTCOME_UNMATCHED, /* event is a free of no live object; object: NULL */
	OUTCOME_NO_OBJECT, /* event is a free of NULL or of the pointer that kmalloc(0) returns */
	OUTCOME_RESIZED,   /* event resized object, which is as before; NULL: not known */
	OUTCOME_MISSED,	   /* event allocated the address of the live object: its free was missed */
	OUTCOME_MISSED_FREE_MATCHED, /* event is free 1, at the time of allocation B; it freed
				      * object A */
	OUTCOME_FREE_REASSIGNED,     /* event is free 2; it freed object B, not earlier_free,
				      * which is free 1 */
	OUTCOME_OTHER,		     /* event_is_other(): not about a slab object */
};

struct transition {
	enum outcome outcome;
	const struct event *event;
	const struct slab_object *object;
	uint32_t group; /* of the object, or of the failed allocation; else GROUP_NONE */
	uint32_t cache; /* index: of the object; else of the event's cache, or CACHE_NONE */
	const struct event *earlier_free; /* of OUTCOME_FREE_REASSIGNED; else NULL */
	/* Was nothing else allocated on the free's CPU since the object was? For the event, and for
	 * earlier_free. */
	bool no_allocation_between, earlier_no_allocation_between;
};

struct analysis;

/*
 * Called for each selected event, before the counters of its group and cache change. With
 * select.older an object is reported when it is known to have lived that long: OUTCOME_ALLOCATED
 * comes directly before OUTCOME_FREED or OUTCOME_MISSED, or at the end, with event NULL, if the
 * object is still live. OUTCOME_MISSED_FREE_MATCHED and OUTCOME_FREE_REASSIGNED (see
 * delayed_free.h) correct which free belongs to which object; they do not change the live counters.
 * Returns 0, or -errno to stop the analysis.
 */
struct observer {
	int (*on_transition)(void *data, const struct analysis *analysis,
			     const struct transition *transition);
	void *data;
};

#define OBSERVERS_MAX 2

/*
 * The caller of the analysis selects or groups allocations by values that it computes. A transition
 * is of an allocation before it has an object, of a free of an unknown object, or of an event that
 * is not about slab objects. NULL: not used.
 */
struct analysis_choice {
	bool (*takes)(void *data, const struct analysis *analysis,
		      const struct transition *transition);
	/* The key of GROUP_BY_CALLER, below 2^32; or -ENOMEM. */
	int64_t (*key)(void *data, const struct analysis *analysis,
		       const struct transition *transition);
	void *data;
};

struct select;

struct analysis_settings {
	enum group_by by;
	bool lifetimes;		       /* count lifetimes for each group */
	bool findings;		       /* check the heap rules: groups must be by site */
	bool merge_bookkeeping;	       /* all its sites are one group; not with findings */
	bool peak_heap;		       /* know the objects of the peak: see peak_heap.h */
	bool live_curve;	       /* the live bytes over time: see live_curve.h */
	const struct select *select;   /* NULL: everything */
	struct analysis_choice choice; /* choice.takes: only if select is not NULL */
	struct observer observers[OBSERVERS_MAX];
	size_t observer_count;
	/* Only the observers count: the counters of groups and caches stay 0, and of the totals
	 * those that add them up. */
	bool observers_only;
	/* Only sampled allocations count, each with the number of those that it stands for: see
	 * estimate.h. There is no fast path then. */
	bool estimate;
	bool mark_sampled; /* without estimate: sampled objects get OBJECT_SAMPLED */
	bool live_stacks;  /* keep the stacks of sampled objects: see live_stacks.h */
	/* ns: later events are left out, as if the capture ended; 0: all count */
	uint64_t end;
	/* for each possible CPU (UINT16_MAX + 1), gets the address of its last allocation; or NULL
	 */
	uint64_t *last_allocation;
	/* ns, ascending: count the events of each cache before these times, in analysis.marks */
	uint64_t mark_times[CACHE_MARKS_MAX];
	size_t mark_count;
	/* Threads that read ahead, including the caller's; 0: one per CPU. Results do not depend
	 * on it. */
	unsigned int threads;
	/* Called now and then with the number of bytes read; or NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t bytes);
	void *progress_data;
};

/* The live objects by the last reading of the slab allocator: see audit.h. */
struct audit {
	uint64_t time; /* ns: of the reading; 0: there was no audit */
	/* objects that are not live, so that their frees were missed; only those that are counted
	 */
	uint64_t dead, dead_bytes;
	uint64_t allocated; /* objects that are live, by the reading too */
	/*
	 * Objects that were allocated between the two readings without an event, of all caches,
	 * whatever is selected: those that are allocated at the last one, and those that an event
	 * freed.
	 */
	uint64_t unseen, unseen_bytes;
	uint64_t unseen_freed;
	/*
	 * Objects that were allocated at the first reading, and still are at the last one: at most,
	 * as an address can have another object now, without an event.
	 */
	uint64_t older, older_bytes;
	bool has_unseen;      /* there were two readings: these are known */
	uint64_t *unseen_of;  /* by cache of the last reading: see unseen_freed */
	size_t recent_cache;  /* of unseen_of */
	uint64_t *late_frees; /* addresses that were freed from the begin of the reading on */
	size_t late_free_count;
};

struct heap_findings;
struct peak_heap;
struct estimates;
struct live_stacks;

struct analysis {
	struct analysis_settings settings;
	const struct capture *capture;
	struct group *groups; /* in order of first appearance */
	size_t group_count;
	struct analysis_cache *caches; /* in order of first appearance */
	size_t cache_count;
	struct cache_mark marks[CACHE_MARKS_MAX]; /* of settings.mark_times */
	size_t mark_count;
	struct analysis_site *sites; /* all call sites, of frees too */
	size_t site_count;
	struct object_table objects; /* live objects; with findings, recently freed ones too */
	const struct stack_sample *sample; /* of the allocation that is being matched, or NULL */
	struct heap_findings *findings;	   /* NULL: not requested */
	struct peak_heap *peak_heap;	   /* NULL: not requested */
	struct estimates *estimates;	   /* NULL: each object counts once */
	struct live_stacks *live_stacks;   /* NULL: not requested, or there are no samples */
	struct analysis_totals totals;
	struct audit audit;
	struct live_curve live_curve;
	struct analysis_loss loss;
	struct analysis_cpu *cpus; /* of each stream, by cpu */
	size_t cpu_count;
	struct analysis_gap *gaps; /* by CPU, each in order of time; then the skips with a time */
	size_t gap_count;
	uint64_t begin, end;		   /* ns: the time that the capture covers */
	uint64_t window_begin, window_end; /* ns: the selected part of it */
	uint64_t damaged_bytes;
	uint64_t cut_bytes;		/* part of it: after the last whole packet of a stream */
	uint64_t caches_unknown;	/* events of caches without a name: they have 0 bytes */
	uint64_t anonymous_allocations; /* of objects in anonymous caches */
	uint64_t initial_missing;	/* objects of the checkpoint whose records are damaged */
};

#endif
