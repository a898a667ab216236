/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs to attach to this kernel's tracepoints. The tracepoints have had several signatures
 * over the years. The plan finds the signatures from the types in the kernel's BTF or, without BTF,
 * from the format files and the number of arguments; never from the kernel's version.
 */
#ifndef TRACER_LOAD_ATTACH_PLAN_H
#define TRACER_LOAD_ATTACH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tracer/load/bpf_objects.h"
#include "tracer/load/preemption.h"

struct btf;

/* The tracepoints: the frees, and then the allocations. */
enum tracepoint_id {
	ATTACH_KFREE,
	ATTACH_CACHE_FREE,
	ATTACH_FREES, /* the number of frees */
	ATTACH_KMALLOC = ATTACH_FREES,
	ATTACH_CACHE_ALLOC,
	ATTACH_KMALLOC_NODE,	 /* until 6.0 */
	ATTACH_CACHE_ALLOC_NODE, /* until 6.0 */
	ATTACH_TRACEPOINTS,
};

struct attach_plan {
	struct missing_features missing_features;
	struct btf *btf; /* of the kernel; NULL: it has none */
	enum preemption preemption;
	enum kmt_context_source context_source;
	const char *programs[ATTACH_TRACEPOINTS]; /* NULL: the kernel has no such tracepoint */
	bool allocations_have_cache;		  /* kmem_cache_alloc passes the cache's address */
	bool frees_have_name; /* kmem_cache_free passes the cache's name, not its address */
	char errmsg[300];
};

/* Makes the plan for the running kernel. 0, or -errno with errmsg set: no capture is possible. */
int attach_plan_make(struct attach_plan *plan);
void attach_plan_deinit(struct attach_plan *plan);

/* Chooses the programs from BTF alone. 0, or -ENOTSUP with errmsg set. */
int attach_plan_from_btf(struct attach_plan *plan, const struct btf *btf);

/* A tracepoint: the text of its format file, or NULL, and the number of its arguments. */
struct tracepoint_info {
	const char *format;
	int arguments;
};

/* Chooses the programs without BTF. 0, or -ENOTSUP with errmsg set. */
int attach_plan_from_formats(struct attach_plan *plan,
			     const struct tracepoint_info list[ATTACH_TRACEPOINTS]);

const char *attach_plan_tracepoint_name(enum tracepoint_id id);

#endif
