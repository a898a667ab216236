/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trace/tally.c and trace/tally_types.c share. */
#ifndef TRACE_TALLY_PARTS_H
#define TRACE_TALLY_PARTS_H

#include "kernel/symbols.h"
#include "trace/index.h"
#include "trace/tally.h"

/* Which type something counts for: its index + 1, or one of these. */
#define TALLY_NOT_LOOKED_AT 0
#define TALLY_NO_TYPE UINT32_MAX
#define TALLY_LEFT_OUT (UINT32_MAX - 1) /* there was no room for its type */

/* A cache of the analysis. */
struct tally_cache {
	uint32_t type;
	bool is_kmalloc; /* the events that tell it are calls of kmalloc() */
	uint64_t class_bit;
};

struct tally_parts {
	struct tally_cache *caches; /* by index in analysis.caches */
	uint32_t *groups;	    /* by index in analysis.groups: which type */
	size_t cache_count, group_count;
	int *nodes; /* by CPU; -1: not known */
	size_t node_count;
	struct index by_name;
	size_t kinds[TALLY_KINDS]; /* types of each */
	struct symbols_names symbols;
	struct slabinfo_moment base, now;
};

/* 0 or -ENOMEM. */
int tally_classes(struct tally *tally);

/* The type of what the analysis counts at the index, or one of the above; or -ENOMEM. */
int64_t tally_cache_type(struct tally *tally, const struct analysis_cache *cache);
int64_t tally_group_type(struct tally *tally, const struct group *group);

/* The bit of kmalloc()'s size class for objects of so many bytes; 0: none. */
uint64_t tally_class_bit(const struct tally *tally, uint32_t bytes);

#endif
