/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The workloads: what each does a number of times, in a folder, and on which CPU. */
#ifndef BENCH_WORKS_H
#define BENCH_WORKS_H

#include <stddef.h>

struct work {
	const char *name, *about;
	long warm; /* times before it is measured: the caches of slab are then filled */
	/* 0 or -errno. mixed packs the tree; the others have no use for it. */
	int (*run)(const char *folder, const char *tree, long times);
};

extern const struct work works[];
extern const size_t work_count;

const struct work *work_find(const char *name); /* NULL: there is none */

#endif
