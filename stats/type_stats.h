/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folds what becomes of events into memory types, in all and by CPU: slab caches, and the
 * functions that call kmalloc(). It watches an analysis whose groups are by function.
 */
#ifndef STATS_TYPE_STATS_H
#define STATS_TYPE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/slabinfo.h"
#include "analysis/analysis.h"

#define TYPE_STATS_CLASSES_MAX 64 /* bits of a sizemask */

enum type_stats_kind {
	TYPE_STATS_FUNCTION,
	TYPE_STATS_CACHE,
	TYPE_STATS_KINDS
};

/*
 * What one CPU allocated, and what it freed, whoever allocated it. A free that no record told is
 * no CPU's, nor is a part of a base.
 */
struct type_stats_cpu {
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* bytes allocated; of a function: a cache's follow */
	uint64_t sizemask;	       /* of a function */
};

/*
 * None of the figures ever gets less. numfrees, of objects whose allocation was counted, has
 * those too that must have been freed unseen, since their address was allocated again; no CPU has
 * those. Where it turns out that another event freed an object than was told
 * (OUTCOME_FREE_REASSIGNED), the CPU of the first stays its CPU.
 *
 * A function is "function" or "function [module]", in every place where that module ever was;
 * several of one name in one module are "function#1", "function#2", … by address. A call from no
 * known function is "0xADDRESS". Caches of one name are one; but where their object sizes differ,
 * the later one is "name#2", and so on. A size that is not known is no other.
 */
struct type_stats_type {
	enum type_stats_kind kind;
	char *name;		       /* unique among its kind, and stable: never changes */
	const char *aliases;	       /* of a cache, with commas between; or NULL */
	uint32_t object_size, size;    /* bytes, of a cache: to use, and to the next object */
	uint64_t numallocs, numfrees;  /* objects */
	uint64_t memalloced, memfreed; /* bytes allocated; of a function */
	uint64_t sizemask;	       /* of a function: the classes of its objects */
	uint64_t failures, xdomain;    /* xdomain: frees on another node than allocated */
	uint64_t frees_unmatched;      /* that named the cache, of objects not counted */
	uint64_t base;		       /* of a cache: objects that were there at the start */
	uint64_t kegfree;	       /* of a cache: free ones in its slabs; may get less */
	struct type_stats_cpu *cpus;   /* by CPU number */
	size_t cpu_count;	       /* of them: the highest CPU seen, + 1 */
	uint64_t changed;	       /* tally.generation when something last changed */
};

/*
 * A step that has no type for want of room is in no figure of that type: it counts in left_out,
 * and twice if both its function and its cache have none. So no figure, and no sum of figures, is
 * off by more.
 */
struct type_stats_settings {
	size_t types_max[TYPE_STATS_KINDS]; /* 0: no limit */
};

struct type_stats {
	struct type_stats_settings settings;
	const struct capture *capture;
	struct type_stats_type
		*types; /* in order of first appearance; pointers do not stay valid */
	size_t count;
	size_t class_count;
	size_t class_bytes[TYPE_STATS_CLASSES_MAX]; /* kmalloc's, smallest first */
	uint64_t generation; /* the user's to step: what is changed gets this number */
	uint64_t left_out;   /* events of types for which there was no room */
	/* the rest is tally.c's own */
	struct type_stats_parts *parts;
};

/* The capture's tables must stay. settings NULL: no limits. 0 or -ENOMEM. */
int type_stats_init(struct type_stats *type_stats, const struct capture *capture,
		    const struct type_stats_settings *settings);
void type_stats_deinit(struct type_stats *type_stats);

/* For struct observer: data is the tally. The analysis groups by function. */
int type_stats_on_transition(void *type_stats, const struct analysis *analysis,
			     const struct transition *transition);

/* The capture's symbols are others now: names to come are made of them. 0 or -ENOMEM. */
int type_stats_renew_symbols(struct type_stats *type_stats);

/*
 * What the kernel told of its caches: base from the first call that knows the cache, kegfree from
 * the last. It is applied to types that come later too. kmalloc's caches have no base, for frees
 * of their objects tell no cache. 0 or -ENOMEM.
 */
int type_stats_slabinfo(struct type_stats *type_stats, const struct slabinfo_snapshot *base,
			const struct slabinfo_snapshot *now);

#endif
