/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by type_stats_count.c and type_stats_names.c. */
#ifndef LIVE_STATS_TYPE_STATS_INTERNAL_H
#define LIVE_STATS_TYPE_STATS_INTERNAL_H

#include "base/hash_map.h"
#include "kernel/symbols.h"
#include "live/stats/type_stats.h"

/* A number of a type: its index in type_stats.types + 1, or one of these. */
#define TYPE_STATS_UNRESOLVED 0
#define TYPE_STATS_NO_TYPE UINT32_MAX
#define TYPE_STATS_OMITTED (UINT32_MAX - 1) /* there are types_max types already */

/* The type for which a cache of the analysis counts. */
struct type_stats_cache {
	uint32_t type;
	bool is_kmalloc; /* events of this cache are calls of kmalloc() */
	uint64_t class_bit;
};

struct type_stats_parts {
	struct type_stats_cache *caches; /* by index in analysis.caches */
	uint32_t *groups;		 /* by index in analysis.groups: the type number */
	size_t cache_count, group_count;
	int *nodes; /* by CPU; -1: unknown */
	size_t node_count;
	struct hash_map by_name;
	size_t kinds[TYPE_STATS_KINDS]; /* number of types of each kind */
	struct symbols_names symbols;
	struct slabinfo_snapshot initial, latest;
	bool is_anonymous; /* the kernel does not name the caches of its events */
};

/* Fills in the size classes of kmalloc(). 0 or -ENOMEM. */
int type_stats_classes(struct type_stats *type_stats);

/* The type number of a cache or group of the analysis, created if need be; or -ENOMEM. */
int64_t type_stats_cache_type(struct type_stats *type_stats, const struct analysis_cache *cache);
int64_t type_stats_group_type(struct type_stats *type_stats, const struct group *group);

/*
 * The kernel has anonymous caches: events do not reduce the number of objects that a cache had at
 * the begin, so that no type keeps an initial_count.
 */
void type_stats_set_anonymous(struct type_stats *type_stats);

/* The bit of kmalloc()'s size class for objects of so many bytes; 0: there is none. */
uint64_t type_stats_class_bit(const struct type_stats *type_stats, uint32_t bytes);

#endif
