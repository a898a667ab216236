/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects of kmalloc() by size class, from the heap sizes of the analysis. */
#ifndef REPORT_VIEWS_SIZE_CLASSES_H
#define REPORT_VIEWS_SIZE_CLASSES_H

#include "report/views/view.h"

/* The objects of one call site with one requested size. */
struct size_request {
	uint32_t cache, group, requested;
	uint64_t size;	 /* of the class: bytes that its objects can hold */
	uint64_t memory; /* bytes that one takes, with those of slab debugging */
	struct heap_bytes flow, live, peak;
};

/* A size class. Large requests of the same number of pages are one class. */
struct size_class {
	const struct size_request *requests; /* by requested size, then by call site */
	size_t count;
	uint32_t cache;
	uint64_t size, memory; /* as of a request */
};

struct size_classes {
	struct size_request *requests; /* by class */
	size_t request_count;
	struct size_class *list;
	size_t count;
};

/* 0 or -ENOMEM. */
int size_classes_init(struct size_classes *classes, const struct analysis *analysis,
		      const struct heap_sizes *sizes);
void size_classes_deinit(struct size_classes *classes);

/* "class_sites": the call sites of each class, by waste, and what would waste less. 0 or -ENOMEM.
 */
int class_sites_table(struct report *report, const struct size_classes *classes);

#endif
