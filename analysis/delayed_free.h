/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frees that are told late. Before Linux 5.16 kmem_cache_free() tells of an object that is back in
 * its slab already: another CPU may be given the address, and tell that first. So of allocation,
 * allocation, free, free at one address the first free is the first object's, and nothing was
 * missed. A capture does not tell such kernels from those up to 5.19, but they all tell no cache
 * of an allocation.
 *
 * Until the second free comes, the first object counts as missed, and the first free as the
 * second object's; what was live meanwhile stays as it was counted.
 */
#ifndef ANALYSIS_DELAYED_FREE_H
#define ANALYSIS_DELAYED_FREE_H

#include "capture/event.h"
#include "analysis/object_table.h"

struct matcher;
struct delayed_free_case;

struct delayed_frees {
	struct object_table addresses; /* group: index in list */
	struct delayed_free_case *list;
	size_t count;
};

int delayed_free_init(struct delayed_frees *delayed); /* 0 or -ENOMEM */
void delayed_free_deinit(struct delayed_frees *delayed);

/*
 * An allocation that was given a live object's address, if neither tells its cache. judged: tell
 * the finding that the object's free was missed, unless it comes yet. 0 or -ENOMEM.
 */
int delayed_free_replaced(struct matcher *matcher, const struct event *event,
			  const struct slab_object *old, bool checked);

/* Is the event the second free of such a case? */
bool delayed_free_expects(const struct delayed_frees *delayed, const struct event *event);

/* Each event of an object before it is taken. 1: it is such a free, and is taken; 0; or -errno. */
int delayed_free_take(struct matcher *matcher, const struct event *event);

/* No more will come. 0 or -ENOMEM. */
int delayed_free_end(struct matcher *matcher);

#endif
