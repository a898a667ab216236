/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trace/tally.c and trace/type_stats_types.c share. */
#ifndef STATS_TYPE_STATS_INTERNAL_H
#define STATS_TYPE_STATS_INTERNAL_H

#include "kernel/symbols.h"
#include "base/hash_map.h"
#include "stats/type_stats.h"

/* Which type something counts for: its index + 1, or one of these. */
#define TYPE_STATS_NOT_LOOKED_AT 0
#define TYPE_STATS_NO_TYPE UINT32_MAX
#define TYPE_STATS_LEFT_OUT (UINT32_MAX - 1) /* there was no room for its type */

/* A cache of the analysis. */
struct type_stats_cache {
	uint32_t type;
	bool is_kmalloc; /* the events that tell it are calls of kmalloc() */
	uint64_t class_bit;
};

struct type_stats_parts {
	struct type_stats_cache *caches; /* by index in analysis.caches */
	uint32_t *groups;		 /* by index in analysis.groups: which type */
	size_t cache_count, group_count;
	int *nodes; /* by CPU; -1: not known */
	size_t node_count;
	struct hash_map by_name;
	size_t kinds[TYPE_STATS_KINDS]; /* types of each */
	struct symbols_names symbols;
	struct slabinfo_snapshot base, now;
};

/* 0 or -ENOMEM. */
int type_stats_classes(struct type_stats *type_stats);

/* The type of what the analysis counts at the index, or one of the above; or -ENOMEM. */
int64_t type_stats_cache_type(struct type_stats *type_stats, const struct analysis_cache *cache);
int64_t type_stats_group_type(struct type_stats *type_stats, const struct group *group);

/* The bit of kmalloc()'s size class for objects of so many bytes; 0: none. */
uint64_t type_stats_class_bit(const struct type_stats *type_stats, uint32_t bytes);

#endif
