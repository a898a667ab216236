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
#ifndef TRACE_LATE_H
#define TRACE_LATE_H

#include "trace/event.h"
#include "trace/heap.h"

struct pass;
struct late_case;

struct late {
	struct heap addresses; /* group: index in list */
	struct late_case *list;
	size_t count;
};

int late_init(struct late *late); /* 0 or -ENOMEM */
void late_deinit(struct late *late);

/*
 * An allocation that was given a live object's address, if neither tells its cache. judged: tell
 * the finding that the object's free was missed, unless it comes yet. 0 or -ENOMEM.
 */
int late_replaced(struct pass *pass, const struct event *event, const struct heap_block *old,
		  bool judged);

/* Is the event the second free of such a case? */
bool late_expects(const struct late *late, const struct event *event);

/* Each event of an object before it is taken. 1: it is such a free, and is taken; 0; or -errno. */
int late_take(struct pass *pass, const struct event *event);

/* No more will come. 0 or -ENOMEM. */
int late_end(struct pass *pass);

#endif
