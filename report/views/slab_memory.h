/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of the slabs of each cache at the end of the capture, by the slab allocator itself, or
 * without a reading of it by /proc/slabinfo: used objects and free ones. A slab returns to the
 * kernel only when all of its objects are free.
 */
#ifndef REPORT_VIEWS_SLAB_MEMORY_H
#define REPORT_VIEWS_SLAB_MEMORY_H

#include "report/views/view.h"

struct slab_memory {
	bool is_known;
	/*
	 * By the allocator: of the slabs; by slabinfo: of all objects of the slabs, and free ones
	 * at least, since slabinfo counts held objects as active.
	 */
	uint64_t bytes, free_bytes;
	double full_percent; /* of the objects; by slabinfo at most */
};

/*
 * Not known: of a window that ends before the capture; of a cache that has no name there; and
 * of a capture without a reading at its end. size: bytes from one object to the next; 0: unknown.
 */
bool slab_memory_is_known(const struct report *report); /* of any cache */
struct slab_memory slab_memory_find(const struct report *report, const char *cache, uint32_t size);

/* Adds a line about much memory in slabs that are nearly empty, if there is any. 0 or -ENOMEM. */
int slab_memory_add_line(const struct report *report, struct header *header);

#endif
