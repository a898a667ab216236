/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The size classes of kmalloc() on the kernel of a capture. */
#ifndef REPORT_VIEWS_KMALLOC_CLASSES_H
#define REPORT_VIEWS_KMALLOC_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model.h"

struct kmalloc_class {
	char name[80];
	uint64_t size;	 /* bytes of an object */
	uint64_t memory; /* bytes that it takes, with those of slab debugging */
};

/*
 * The next smaller class than that of objects of so many bytes in the cache, of the same type, such
 * as kmalloc-cg. The kernel's own list of its caches decides; if the capture has none, the caches
 * of its events. Below whole pages, it is half as many pages, or a slab cache. false: there is
 * none.
 */
bool kmalloc_class_below(const struct analysis *analysis, const struct analysis_cache *cache,
			 uint64_t size, struct kmalloc_class *below);

/* How the classes of a capture are known. */
enum kmalloc_guess {
	KMALLOC_LISTED,	      /* the kernel's list, or no kmalloc() */
	KMALLOC_GUESSED,      /* an import, which has no list: the size of an object decides */
	KMALLOC_PART_UNKNOWN, /* some sizes do not decide, without the page size */
	KMALLOC_UNKNOWN,      /* no size decides */
};

enum kmalloc_guess kmalloc_classes_guess(const struct analysis *analysis);

#endif
