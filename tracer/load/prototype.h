/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a function or a tracepoint of the kernel takes, as BTF tells it. */
#ifndef TRACER_LOAD_PROTOTYPE_H
#define TRACER_LOAD_PROTOTYPE_H

#include <stdbool.h>

struct btf;
struct btf_param;
struct btf_type;

/* What a parameter must be. */
enum arg_kind {
	ARG_END,
	ARG_NUMBER,
	ARG_POINTER,
	ARG_CACHE, /* struct kmem_cache * */
	ARG_TEXT,  /* char * */
	ARG_GFP,   /* gfp_t */
	ARG_NODE,  /* int */
};

/* The prototypes; NULL: there is no such function, no such tracepoint. id, if not NULL, gets its.
 */
const struct btf_type *prototype_function(const struct btf *btf, const char *name, int *id);
const struct btf_type *prototype_tracepoint(const struct btf *btf, const char *name);

/*
 * Are the parameters from first on those of the list, which ends with ARG_END; and, if whole,
 * no others?
 */
bool prototype_takes(const struct btf *btf, const struct btf_type *prototype, unsigned int first,
		     const enum arg_kind *list, bool whole);

bool prototype_is_gfp(const struct btf *btf, const struct btf_param *parameter);

#endif
