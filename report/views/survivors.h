/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects that are live at the end of the window, by group. */
#ifndef REPORT_VIEWS_SURVIVORS_H
#define REPORT_VIEWS_SURVIVORS_H

#include <stddef.h>

#include "analysis/analysis.h"

struct survivors {
	const struct slab_object **list; /* the objects of one group follow each other */
	size_t *first; /* by group, and one more: index in list of its first object */
	size_t count;
};

int survivors_init(struct survivors *survivors, const struct analysis *analysis); /* or -ENOMEM */
void survivors_deinit(struct survivors *survivors);

static inline const struct slab_object *const *survivors_of(const struct survivors *survivors,
							    size_t group, size_t *count)
{
	*count = survivors->first[group + 1] - survivors->first[group];
	return survivors->list + survivors->first[group];
}

/* The same, the oldest first. */
const struct slab_object *const *survivors_sort(struct survivors *survivors, size_t group,
						size_t *count);

#endif
