/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of a function or a tracepoint of the kernel, from BTF. */
#ifndef TRACER_LOAD_PROTOTYPE_H
#define TRACER_LOAD_PROTOTYPE_H

#include <stdbool.h>

struct btf;
struct btf_param;
struct btf_type;

/* The type that a parameter must have. */
enum arg_kind {
	ARG_END,
	ARG_NUMBER,
	ARG_POINTER,
	ARG_CACHE, /* struct kmem_cache * */
	ARG_TEXT,  /* char * */
	ARG_GFP,   /* gfp_t */
	ARG_NODE,  /* int */
};

/*
 * The prototype of a function or a tracepoint; NULL: the kernel does not have it. id: NULL, or set
 * to the function's BTF id.
 */
const struct btf_type *prototype_function(const struct btf *btf, const char *name, int *id);
const struct btf_type *prototype_tracepoint(const struct btf *btf, const char *name);

/*
 * Do the parameters, from number first on, match the list, which ends with ARG_END? all: there must
 * be no other parameters.
 */
bool prototype_matches(const struct btf *btf, const struct btf_type *prototype, unsigned int first,
		       const enum arg_kind *list, bool all);

bool prototype_returns_bool(const struct btf *btf, const struct btf_type *prototype);
bool prototype_is_gfp(const struct btf *btf, const struct btf_param *parameter);

#endif
