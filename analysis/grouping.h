/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call sites by address, and the group for which an allocation counts. */
#ifndef ANALYSIS_GROUPING_H
#define ANALYSIS_GROUPING_H

#include "analysis/model.h"
#include "base/hash_map.h"

#define GROUPING_MEMO_BITS 12

/* The last site whose address has this hash: most calls come from few sites. */
struct grouping_memo {
	uint64_t address;
	uint32_t number;	 /* of the site, + 1; 0: empty */
	uint32_t fastpath_group; /* the result of grouping_fastpath_group(), + 1; 0: unknown */
};

struct grouping {
	struct analysis *analysis;
	struct hash_map sites, groups;
	uint32_t *same_task; /* by task: the first task with the same process and name */
	struct grouping_memo memos[1 << GROUPING_MEMO_BITS];
	uint64_t until; /* ns: the code at an address is the same until then */
	uint32_t epoch; /* the number of such times that were reached */
};

int grouping_init(struct grouping *grouping, struct analysis *analysis); /* 0 or -ENOMEM */
void grouping_deinit(struct grouping *grouping);

/*
 * Call it for an event at grouping->until or later: a module was loaded or unloaded, and a call
 * site of it may be another from now on.
 */
void grouping_advance(struct grouping *grouping, uint64_t time);

/* The index in analysis->sites of a call site, which is added if need be; or -ENOMEM. */
int64_t grouping_find_site(struct grouping *grouping, uint64_t address, uint64_t time);

static inline struct grouping_memo *grouping_memo(struct grouping *grouping, uint64_t address)
{
	uint64_t hash = address * 0x9e3779b97f4a7c15;

	return &grouping->memos[hash >> (64 - GROUPING_MEMO_BITS)];
}

static inline int64_t grouping_site(struct grouping *grouping, uint64_t address, uint64_t time)
{
	struct grouping_memo *memo = grouping_memo(grouping, address);
	int64_t site;

	if (memo->address == address && memo->number)
		return memo->number - 1;
	site = grouping_find_site(grouping, address, time);
	if (site >= 0)
		*memo = (struct grouping_memo){ address, (uint32_t)site + 1, 0 };
	return site;
}

/*
 * The group of every allocation of a call site, if the call site alone determines the group, and
 * the site is outside of kmalloc() and has allocated before; or GROUP_NONE.
 */
uint32_t grouping_find_fastpath_group(struct grouping *grouping, uint64_t address);

static inline uint32_t grouping_fastpath_group(struct grouping *grouping, uint64_t address)
{
	const struct grouping_memo *memo = grouping_memo(grouping, address);

	return memo->address == address && memo->fastpath_group
		       ? memo->fastpath_group - 1
		       : grouping_find_fastpath_group(grouping, address);
}

/* The index in analysis->groups for an allocation at that site from that cache; or -ENOMEM. */
int64_t grouping_find_group(struct grouping *grouping, const struct event *event, uint32_t site,
			    uint32_t cache);

static inline int64_t grouping_group(struct grouping *grouping, const struct event *event,
				     uint32_t site, uint32_t cache)
{
	uint32_t group = grouping->analysis->sites[site].group;

	return group != GROUP_NONE ? group : grouping_find_group(grouping, event, site, cache);
}

#endif
