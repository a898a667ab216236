/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the transitions of an analysis by memory type, in total and by CPU. Memory types are slab
 * caches and functions that call kmalloc(). The analysis must group by function.
 */
#ifndef LIVE_STATS_TYPE_STATS_H
#define LIVE_STATS_TYPE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/slabinfo.h"
#include "analysis/analysis.h"
#include "analysis/tallies.h"

#define TYPE_STATS_UNKNOWN UINT64_MAX /* missed_frees that a statistics file does not have */
#define TYPE_STATS_CLASSES_MAX 64     /* bits of a sizemask */

enum type_stats_kind {
	TYPE_STATS_FUNCTION,
	TYPE_STATS_CACHE,
	TYPE_STATS_KINDS
};

/*
 * The words of FreeBSD's libmemstat(3), as used for kernel memory here:
 *
 *   numallocs   objects allocated so far
 *   numfrees    objects freed so far
 *   memalloced  bytes allocated so far
 *   memfreed    bytes freed so far
 *   sizemask    bit n is set if an object of type_stats.class_bytes[n] was allocated
 *   xdomain     frees on another NUMA node ("domain") than that of the allocation
 *   kegfree     free objects in the slabs of a cache (a "keg" has the slabs of a FreeBSD zone)
 */

/*
 * The counters of one CPU. It may have freed objects that another CPU allocated. A free without a
 * record, and the initial count, belong to no CPU.
 */
struct type_stats_cpu {
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* bytes, of a function; of a cache: objects * object_size */
	uint64_t sizemask;	       /* of a function */
};

/*
 * No counter but kegfree and missed_frees ever decreases. numfrees counts the frees of objects
 * whose allocation was counted; it includes frees that no record reported but must have happened,
 * since the address was allocated again (no CPU counts these). If a free is reassigned to another
 * object later (OUTCOME_FREE_REASSIGNED), the counters of the CPUs do not change.
 *
 * A function is named "function" or "function [module]", at every address where that module ever
 * was; several of one name in one module are "function#1", "function#2", ... by address. A call
 * from an unknown function is named "0xADDRESS". Caches of one name are one type, unless their
 * object sizes differ: then the later one is "name#2", and so on. An unknown size equals any size.
 */
struct type_stats_type {
	enum type_stats_kind kind;
	char *name;		       /* unique within its kind; never changes */
	const char *aliases;	       /* of a cache, separated by commas; or NULL */
	uint32_t object_size, size;    /* bytes, of a cache: to use, and to the next object */
	uint64_t numallocs, numfrees;  /* objects */
	uint64_t memalloced, memfreed; /* bytes allocated; of a function */
	uint64_t sizemask;	       /* of a function: the size classes of its objects */
	uint64_t failures;
	uint64_t xdomain;	     /* frees on another NUMA node than the allocation */
	uint64_t missed_frees;	     /* part of numfrees: no record reported them; may decrease */
	uint64_t frees_unmatched;    /* that name the cache, of objects not counted */
	uint64_t initial_count;	     /* of a cache: objects that existed when tracing began */
	uint64_t kegfree;	     /* of a cache: free objects in its slabs; may decrease */
	struct type_stats_cpu *cpus; /* by CPU number */
	size_t cpu_count;	     /* the highest CPU seen, + 1 */
	uint64_t changed;	     /* type_stats.generation of the last change */
};

/*
 * A transition whose type was omitted, since there are types_max already, is counted in
 * omitted_events: once for each of its function and its cache that was omitted. So no counter, and
 * no sum of counters, is off by more than omitted_events.
 */
struct type_stats_settings {
	size_t types_max[TYPE_STATS_KINDS]; /* 0: no limit */
};

struct type_stats {
	struct type_stats_settings settings;
	const struct capture *capture;
	/* in order of first appearance; pointers into it do not stay valid */
	struct type_stats_type *types;
	size_t count;
	size_t class_count;
	size_t class_bytes[TYPE_STATS_CLASSES_MAX]; /* of kmalloc(), smallest first */
	uint64_t generation; /* incremented by the user; changed types get this number */
	uint64_t omitted_events;
	struct type_stats_parts *parts; /* private */
};

/* The capture must outlive the type_stats. settings NULL: no limits. 0 or -ENOMEM. */
int type_stats_init(struct type_stats *type_stats, const struct capture *capture,
		    const struct type_stats_settings *settings);
void type_stats_deinit(struct type_stats *type_stats);

/* For struct observer: data is the struct type_stats. */
int type_stats_on_transition(void *type_stats, const struct analysis *analysis,
			     const struct transition *transition);

/* Adds what the analysis counted in a tally instead of passing it on. 0 or -ENOMEM. */
int type_stats_add_tally(struct type_stats *type_stats, const struct analysis *analysis,
			 const struct tally *tally, unsigned int cpu,
			 const struct tally_count *count);

/* The symbols of the capture were replaced: later types get names from the new ones. 0 or -ENOMEM.
 */
int type_stats_reload_symbols(struct type_stats *type_stats);

/*
 * Adds a type for each cache of /proc/slabinfo, and sets the counters that come from there:
 * initial_count from the first call that knows the cache, kegfree from the last. kmalloc's caches
 * have no initial_count, since frees of their objects name no cache; nor has any cache of a kernel
 * with anonymous caches. Each argument may be NULL. 0 or -ENOMEM.
 */
int type_stats_slabinfo(struct type_stats *type_stats, const struct slabinfo_snapshot *initial,
			const struct slabinfo_snapshot *latest);

#endif
