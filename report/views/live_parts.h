/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live objects of each pair of a group and a slab cache, now and when the live bytes of all
 * were highest; and those of each cache at the end of each time slice. Which of these figures are
 * upper bounds is known at the end only: see live_bounds.h.
 */
#ifndef REPORT_VIEWS_LIVE_PARTS_H
#define REPORT_VIEWS_LIVE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "report/views/live_bounds.h"
#include "report/views/slices.h"

struct live_objects {
	uint64_t objects, bytes; /* modulo 2^64 */
};

struct live_part {
	uint32_t group, cache;
	struct live_objects live, at_peak; /* at_peak: if live changed since */
	uint64_t peak;			   /* the peak of at_peak, by its number */
};

/* Changes of the number of live objects of a cache, by time slice. */
struct live_changes {
	int64_t objects[SLICES_MAX];
};

struct live_parts {
	struct hash_map index; /* of list, by group and cache */
	struct live_part *list;
	size_t count;
	uint64_t peaks;		      /* the number of new maxima */
	struct live_changes **caches; /* by index in analysis.caches, or NULL */
	size_t cache_space;
};

int live_parts_init(struct live_parts *parts); /* 0 or -ENOMEM */
void live_parts_deinit(struct live_parts *parts);

/* added: modulo 2^64. 0 or -ENOMEM, as the next. */
int live_parts_change(struct live_parts *parts, uint32_t group, uint32_t cache,
		      struct live_objects added);

/* The objects of the cache changed in the slice, too. */
int live_parts_change_slice(struct live_parts *parts, uint32_t cache, size_t slice,
			    uint64_t objects);

/* Each two neighbours of the slices become one. */
void live_parts_merge(struct live_parts *parts);

/* The live bytes of all are higher than ever. */
static inline void live_parts_new_peak(struct live_parts *parts)
{
	parts->peaks++;
}

static inline struct live_objects live_parts_at_peak(const struct live_parts *parts,
						     const struct live_part *part)
{
	return part->peak == parts->peaks ? part->at_peak : part->live;
}

/* The objects of a group at the peak. */
struct live_group {
	struct live_objects live;
	bool is_bound; /* live is an upper bound: see live_parts_find_bounds() */
};

/* Adds up the objects that are live at the peak. groups: by index in analysis.groups, 0 before. */
void live_parts_sum_groups(const struct live_parts *parts, const struct live_bounds *bounds,
			   struct live_group *groups);

/*
 * Sets slices: is the number of live objects at the end of each an upper bound? It is one if any of
 * these objects is in a cache whose frees are known to be missing.
 */
void live_parts_find_bounds(const struct live_parts *parts, const struct live_bounds *bounds,
			    bool slices[SLICES_MAX]);

#endif
