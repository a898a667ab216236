/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The workloads: each does something a number of times, in a directory, on chosen CPUs. */
#ifndef BENCH_WORKS_H
#define BENCH_WORKS_H

#include <stddef.h>

struct work {
	const char *name, *about;
	long warm; /* repetitions before the measurement, to fill the slab caches */
	/* 0 or -errno. Only mixed uses the tree. */
	int (*run)(const char *folder, const char *tree, long times);
};

extern const struct work works[];
extern const size_t work_count;

const struct work *work_find(const char *name); /* or NULL */

#endif
