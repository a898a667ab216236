// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses hooks by the kernel's own description of its functions, never by its version: their
 * names move, and so may their parameters.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/ring.h"
#include "tracer/hooks.h"
#include "bpf/kmemtrace.skel.h"

/* What a parameter or a result must be. */
enum takes {
	TAKES_END,
	TAKES_CACHE, /* struct kmem_cache * */
	TAKES_POINTER,
	TAKES_NUMBER,
	TAKES_GFP, /* gfp_t */
};

static const struct {
	const char *functions[4]; /* that it was called over the years */
	enum takes parameters[5]; /* the first ones */
	bool whole;		  /* there are no more */
} wishes[HOOK_KINDS] = {
	[HOOK_BULK_FREE] = { { "kmem_cache_free_bulk" },
			     { TAKES_CACHE, TAKES_NUMBER, TAKES_POINTER },
			     true },
	[HOOK_REALLOC] = { { "krealloc", "krealloc_noprof", "krealloc_node_align_noprof" },
			   { TAKES_POINTER, TAKES_NUMBER },
			   false },
	[HOOK_BULK_ALLOC] = { { "kmem_cache_alloc_bulk", "kmem_cache_alloc_bulk_noprof" },
			      { TAKES_CACHE, TAKES_GFP, TAKES_NUMBER, TAKES_POINTER },
			      true },
};

__attribute__((format(printf, 2, 3))) static void refuse(struct hook *hook, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(hook->why, sizeof(hook->why), format, arguments);
	va_end(arguments);
}

static bool is_gfp(const struct btf *btf, const struct btf_param *parameter)
{
	const struct btf_type *type = btf__type_by_id(btf, parameter->type);

	return btf_is_typedef(type) && !strcmp(btf__name_by_offset(btf, type->name_off), "gfp_t");
}

static bool fits(const struct btf *btf, const struct btf_param *parameter, enum takes takes)
{
	const struct btf_type *type = btf__type_by_id(btf, btf__resolve_type(btf, parameter->type));

	switch (takes) {
	case TAKES_GFP:
		return is_gfp(btf, parameter);
	case TAKES_NUMBER:
		return btf_is_int(type);
	case TAKES_CACHE:
		if (!btf_is_ptr(type))
			return false;
		type = btf__type_by_id(btf, btf__resolve_type(btf, type->type));
		return btf_is_struct(type) &&
		       !strcmp(btf__name_by_offset(btf, type->name_off), "kmem_cache");
	default:
		return btf_is_ptr(type);
	}
}

/* The type of a function, and its BTF id; or NULL. */
static const struct btf_type *find_function(const struct btf *btf, const char *name, int *id)
{
	const struct btf_type *type;

	*id = name ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -ENOENT;
	if (*id < 0)
		return NULL;
	type = btf__type_by_id(btf, *id);
	return btf__type_by_id(btf, type->type);
}

static bool takes_as_wished(const struct btf *btf, const struct btf_type *type, enum hook_kind kind)
{
	unsigned int count = 0;

	for (; wishes[kind].parameters[count]; count++)
		if (count >= btf_vlen(type) ||
		    !fits(btf, &btf_params(type)[count], wishes[kind].parameters[count]))
			return false;
	return !wishes[kind].whole || count == btf_vlen(type);
}

/* Does the kernel know a helper, by the name that it has in enum bpf_func_id? */
static bool has_helper(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *type;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, id);
	for (unsigned int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), name))
			return true;
	return false;
}

/* Really hooks a function, for a moment, with a program that does nothing. 0 or -errno. */
static int try_hook(int function)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = function);
	int program, link, err = 0;

	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", "Dual BSD/GPL", nothing,
				sizeof(nothing) / sizeof(nothing[0]), &options);
	if (program < 0)
		return -errno;
	link = bpf_raw_tracepoint_open(NULL, program);
	if (link < 0)
		err = -errno;
	else
		close(link);
	close(program);
	return err;
}

/* What every hook needs. NULL, or why there can be none. */
static const char *look_at_kernel(const struct btf *btf, int function, char *why, size_t why_size)
{
	static const char *const helpers[] = { "BPF_FUNC_loop", "BPF_FUNC_get_func_arg",
					       "BPF_FUNC_get_func_ret", "BPF_FUNC_get_func_ip" };
	int err;

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (!has_helper(btf, helpers[i])) {
			snprintf(why, why_size, "fires no tracepoint, and this kernel has no %s",
				 helpers[i]);
			return why;
		}
	err = try_hook(function);
	if (!err)
		return NULL;
	/* ENOTSUPP, 524, is the kernel's own and has no text */
	snprintf(why, why_size, "fires no tracepoint, and this kernel refuses fentry hooks: %s",
		 err == -524 ? "not supported" : strerror(-err));
	return why;
}

static void list_programs(struct hooks *hooks, struct kmemtrace_bpf *skeleton)
{
	hooks->list[HOOK_BULK_FREE].programs[0] = skeleton->progs.bulk_free;
	hooks->list[HOOK_REALLOC].programs[0] = skeleton->progs.reallocation;
	hooks->list[HOOK_BULK_ALLOC].programs[0] = skeleton->progs.bulk_alloc;
	hooks->list[HOOK_BULK_ALLOC].programs[1] = skeleton->progs.bulk_alloc_begin;
}

/* The name of the function that a hook goes to, and its id; NULL, and why, if there is none. */
static const char *choose_function(struct hook *hook, enum hook_kind kind, const struct btf *btf,
				   struct kmemtrace_bpf *skeleton, int *id)
{
	const struct btf_type *type = NULL;
	const char *name = NULL;

	for (size_t i = 0; i < 4 && wishes[kind].functions[i] && !type; i++) {
		name = wishes[kind].functions[i];
		type = find_function(btf, name, id);
	}
	if (!type) {
		refuse(hook, "fires no tracepoint, and BTF does not describe its function");
		return NULL;
	}
	if (takes_as_wished(btf, type, kind)) {
		if (kind != HOOK_REALLOC)
			return name;
		for (unsigned int i = 2; i < btf_vlen(type); i++)
			if (is_gfp(btf, &btf_params(type)[i])) {
				skeleton->rodata->realloc_gfp = i;
				return name;
			}
	}
	refuse(hook, "fires no tracepoint, and %s has parameters that no program here reads", name);
	return NULL;
}

void hooks_choose(struct hooks *hooks, struct kmemtrace_bpf *skeleton, const struct btf *btf,
		  const char *unwanted)
{
	const char *name, *why = unwanted;
	bool looked = unwanted;
	char text[160];
	int id;

	memset(hooks, 0, sizeof(*hooks));
	hooks->skeleton = skeleton;
	list_programs(hooks, skeleton);
	for (unsigned int kind = 0; kind < HOOK_KINDS; kind++) {
		struct hook *hook = &hooks->list[kind];

		name = choose_function(hook, kind, btf, skeleton, &id);
		if (name && !looked) {
			why = look_at_kernel(btf, id, text, sizeof(text));
			looked = true;
		}
		if (name && why)
			refuse(hook, "%s", why);
		for (size_t i = 0; i < 2 && hook->programs[i]; i++) {
			bpf_program__set_autoload(hook->programs[i], !hook->why[0]);
			if (!hook->why[0])
				bpf_program__set_attach_target(hook->programs[i], 0, name);
		}
	}
}

void hooks_attach(struct hooks *hooks, enum hook_kind kind)
{
	struct hook *hook = &hooks->list[kind];

	for (size_t i = 2; i-- > 0 && !hook->why[0];) {
		if (!hook->programs[i])
			continue;
		hook->links[i] = bpf_program__attach(hook->programs[i]);
		if (!hook->links[i])
			refuse(hook, "fires no tracepoint, and cannot be hooked: %s",
			       errno == 524 ? "not supported" : strerror(errno));
	}
	if (hook->why[0])
		hooks_detach(hooks, kind);
}

void hooks_detach(struct hooks *hooks, enum hook_kind kind)
{
	struct hook *hook = &hooks->list[kind];

	for (size_t i = 0; i < 2; i++) {
		bpf_link__destroy(hook->links[i]);
		hook->links[i] = NULL;
	}
}

uint64_t hooks_skipped(const struct hooks *hooks, enum hook_kind kind)
{
	const struct hook *hook = &hooks->list[kind];
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	/* refused: it may not even be loaded */
	if (hook->why[0] ||
	    bpf_obj_get_info_by_fd(bpf_program__fd(hook->programs[0]), &info, &size))
		return 0;
	/* whose frees these were is a guess: they count as not seen */
	return info.recursion_misses +
	       (kind == HOOK_BULK_FREE ? hooks->skeleton->bss->totals.given_back : 0);
}
