/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Groups of the rows of summaries: by function, module or slab cache. */
#ifndef REPORT_SUMMARIES_GROUPS_H
#define REPORT_SUMMARIES_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/summaries/summaries.h"

#define SUMMARIES_NO_GROUP UINT32_MAX

enum summaries_by {
	SUMMARIES_BY_FUNCTION,
	SUMMARIES_BY_MODULE,
	SUMMARIES_BY_CACHE,
};

struct summaries_group {
	uint32_t cache; /* of all its objects: its group in by_cache; or SUMMARIES_NO_GROUP */
	bool is_bound;	/* live is an upper bound */
};

struct summaries_groups {
	enum summaries_by by;
	struct summary list; /* a row for each group */
	struct summaries_group *facts;
	uint32_t *of_row; /* the group of each row of the sum, or SUMMARIES_NO_GROUP */
};

/*
 * Groups the selected rows. by_cache: the groups by cache; NULL: they are made by this call. 0 or
 * -ENOMEM.
 */
int summaries_groups_init(struct summaries_groups *groups, const struct summaries *summaries,
			  enum summaries_by by, const struct summaries_groups *by_cache);
void summaries_groups_deinit(struct summaries_groups *groups); /* all zero is allowed */

/* The name of a group, or NULL: no memory. */
char *summaries_group_name(const struct summaries_groups *groups, size_t group);

/* Frees that had an event. */
static inline uint64_t summaries_frees(const struct summary_counts *counts)
{
	return counts->frees > counts->missed ? counts->frees - counts->missed : 0;
}

/* In percent: of the group's cache; of several, that of its own frees. */
double summaries_coverage(const struct summaries_groups *groups, size_t group,
			  const struct summaries_groups *by_cache);

#endif
