// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the types of functions, tracepoints and parameters in BTF. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "tracer/load/prototype.h"

static bool is_named(const struct btf *btf, const struct btf_type *type, const char *name)
{
	return !strcmp(btf__name_by_offset(btf, type->name_off), name);
}

const struct btf_type *prototype_function(const struct btf *btf, const char *name, int *id)
{
	int found = name ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -1;

	if (id)
		*id = found;
	if (found < 0)
		return NULL;
	return btf__type_by_id(btf, btf__type_by_id(btf, found)->type);
}

const struct btf_type *prototype_tracepoint(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char typedef_name[64];
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	if (!btf_is_ptr(type))
		return NULL;
	type = btf__type_by_id(btf, type->type);
	return btf_is_func_proto(type) ? type : NULL;
}

bool prototype_is_gfp(const struct btf *btf, const struct btf_param *parameter)
{
	const struct btf_type *type = btf__type_by_id(btf, parameter->type);

	return btf_is_typedef(type) && is_named(btf, type, "gfp_t");
}

/* The type behind typedefs and qualifiers; NULL: void. */
static const struct btf_type *resolve_type(const struct btf *btf, uint32_t id)
{
	int resolved = btf__resolve_type(btf, id);

	return resolved > 0 ? btf__type_by_id(btf, resolved) : NULL;
}

bool prototype_returns_bool(const struct btf *btf, const struct btf_type *prototype)
{
	const struct btf_type *type = resolve_type(btf, prototype->type);

	return type && btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL;
}

static bool fits_argument(const struct btf *btf, const struct btf_param *parameter,
			  enum arg_kind arg_kind)
{
	const struct btf_type *type = resolve_type(btf, parameter->type);
	bool is_pointer = type && btf_is_ptr(type);

	if (!type)
		return false;
	if (arg_kind == ARG_GFP)
		return prototype_is_gfp(btf, parameter);
	if (arg_kind == ARG_NODE)
		return btf_is_int(type) && type->size == sizeof(int);
	if (arg_kind == ARG_NUMBER)
		return btf_is_int(type);
	if (!is_pointer || arg_kind == ARG_POINTER)
		return is_pointer;
	type = resolve_type(btf, type->type);
	if (!type)
		return false;
	if (arg_kind == ARG_CACHE)
		return btf_is_struct(type) && is_named(btf, type, "kmem_cache");
	return btf_is_int(type) && type->size == 1;
}

bool prototype_matches(const struct btf *btf, const struct btf_type *prototype, unsigned int first,
		       const enum arg_kind *list, bool all)
{
	unsigned int count = 0;

	for (; list[count] != ARG_END; count++)
		if (first + count >= btf_vlen(prototype) ||
		    !fits_argument(btf, &btf_params(prototype)[first + count], list[count]))
			return false;
	return !all || first + count == btf_vlen(prototype);
}
