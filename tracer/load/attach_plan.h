/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which programs read this kernel's tracepoints. Their arguments had several forms over the
 * years; which one a kernel has is told by the types in its BTF or, where it has none, by its
 * format files and by how many arguments there are; never by its version.
 */
#ifndef TRACER_LOAD_ATTACH_PLAN_H
#define TRACER_LOAD_ATTACH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tracer/load/bpf_objects.h"

struct btf;

/* The tracepoints; the frees come first. */
enum attach_plan_event {
	ATTACH_KFREE,
	ATTACH_CACHE_FREE,
	ATTACH_FREES, /* how many these are */
	ATTACH_KMALLOC = ATTACH_FREES,
	ATTACH_CACHE_ALLOC,
	ATTACH_KMALLOC_NODE,	 /* until 6.0 */
	ATTACH_CACHE_ALLOC_NODE, /* until 6.0 */
	ATTACH_EVENTS,
};

struct attach_plan {
	struct missing_features missing_features;
	struct btf *btf;		     /* the kernel's; NULL if it lacks that */
	const char *programs[ATTACH_EVENTS]; /* NULL: the kernel has no such tracepoint */
	bool allocations_have_cache;
	bool frees_have_name; /* they tell the name of a cache only */
	char errmsg[300];
};

/* Looks at the running kernel. 0, or -errno with errmsg set: no capture is possible. */
int attach_plan_make(struct attach_plan *plan);
void attach_plan_deinit(struct attach_plan *plan);

/* The choice by BTF alone. */
int attach_plan_from_btf(struct attach_plan *plan, const struct btf *btf);

/* What a tracepoint's format file says, or NULL, and how many arguments it passes. */
struct attach_plan_clue {
	const char *format;
	int arguments;
};

/* The choice without BTF. */
int attach_plan_from_formats(struct attach_plan *plan,
			     const struct attach_plan_clue clues[ATTACH_EVENTS]);

const char *attach_plan_tracepoint(enum attach_plan_event event);

#endif
