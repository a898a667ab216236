// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses hooks from BTF, the kernel's own description of its functions, never from its version:
 * the names of the functions change, and their parameters may change too.
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
#include "tracer/load/hooks.h"
#include "tracer/load/probe.h"
#include "tracer/load/prototype.h"
#include "tracer/load/refusal.h"

static const struct {
	const char *functions[4];    /* the names that it has had over the years */
	enum arg_kind parameters[5]; /* its first parameters */
	bool all;		     /* it has no others */
} targets[HOOK_KINDS] = {
	[HOOK_BULK_FREE] = { { "kmem_cache_free_bulk" },
			     { ARG_CACHE, ARG_NUMBER, ARG_POINTER },
			     true },
	[HOOK_REALLOC] = { { "krealloc", "krealloc_noprof", "krealloc_node_align_noprof" },
			   { ARG_POINTER, ARG_NUMBER },
			   false },
	[HOOK_BULK_ALLOC] = { { "kmem_cache_alloc_bulk", "kmem_cache_alloc_bulk_noprof" },
			      { ARG_CACHE, ARG_GFP, ARG_NUMBER, ARG_POINTER },
			      true },
};

__attribute__((format(printf, 2, 3))) static void set_reason(struct hook *hook, const char *format,
							     ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(hook->reason, sizeof(hook->reason), format, arguments);
	va_end(arguments);
}

/* Does the kernel have this BPF helper? The name is as in enum bpf_func_id. */
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

/* Does the kernel have what every hook needs? NULL, or the reason why no hook is possible. */
static const char *probe_kernel(const struct btf *btf, int function, char *reason,
				size_t reason_size)
{
	static const char *const helpers[] = { "BPF_FUNC_loop", "BPF_FUNC_get_func_arg",
					       "BPF_FUNC_get_func_ret", "BPF_FUNC_get_func_ip" };
	int err;

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (!has_helper(btf, helpers[i])) {
			snprintf(reason, reason_size,
				 "fires no tracepoint, and hooks need %s, which this kernel lacks",
				 helpers[i]);
			return reason;
		}
	err = probe_hook(function);
	if (!err)
		return NULL;
	snprintf(reason, reason_size,
		 "fires no tracepoint, and this kernel refuses fentry hooks: %s%s",
		 refusal_text(-err),
		 err == -ENOMEM ? " (hooks need the kernel's BPF JIT compiler)" : "");
	return reason;
}

static void list_programs(struct hooks *hooks, const struct bpf_variant *variant)
{
	hooks->list[HOOK_BULK_FREE].programs[0] = bpf_variant_program(variant, "bulk_free");
	hooks->list[HOOK_REALLOC].programs[0] = bpf_variant_program(variant, "reallocation");
	hooks->list[HOOK_BULK_ALLOC].programs[0] = bpf_variant_program(variant, "bulk_alloc");
	hooks->list[HOOK_BULK_ALLOC].programs[1] = bpf_variant_program(variant, "bulk_alloc_begin");
}

/* The name and the BTF id of the function to hook; NULL, and the hook's reason set: none. */
static const char *choose_function(struct hook *hook, enum hook_kind kind, const struct btf *btf,
				   struct bpf_variant *variant, int *id)
{
	const struct btf_type *type = NULL;
	const char *name = NULL;
	bool returns_bool;

	if (!btf) {
		set_reason(hook,
			   "fires no tracepoint, and hooks need BTF, which this kernel lacks");
		return NULL;
	}
	for (size_t i = 0; i < 4 && targets[kind].functions[i] && !type; i++) {
		name = targets[kind].functions[i];
		type = prototype_function(btf, name, id);
	}
	if (!type) {
		set_reason(hook, "fires no tracepoint, and BTF does not describe its function");
		return NULL;
	}
	if (prototype_matches(btf, type, 0, targets[kind].parameters, targets[kind].all)) {
		returns_bool = prototype_returns_bool(btf, type);
		if (kind == HOOK_BULK_ALLOC)
			bpf_variant_set(variant, "bulk_alloc_returns_bool", &returns_bool,
					sizeof(returns_bool));
		if (kind != HOOK_REALLOC)
			return name;
		for (unsigned int i = 2; i < btf_vlen(type); i++)
			if (prototype_is_gfp(btf, &btf_params(type)[i])) {
				bpf_variant_set(variant, "realloc_gfp", &i, sizeof(i));
				return name;
			}
	}
	set_reason(hook,
		   "fires no tracepoint, and %s has parameters that this kmemtraced does not know",
		   name);
	return NULL;
}

void hooks_choose(struct hooks *hooks, struct bpf_variant *variant, const struct btf *btf,
		  const char *disabled_reason)
{
	const char *name, *reason = disabled_reason;
	bool probed = disabled_reason;
	char text[160];
	int id;

	memset(hooks, 0, sizeof(*hooks));
	hooks->variant = variant;
	list_programs(hooks, variant);
	for (unsigned int kind = 0; kind < HOOK_KINDS; kind++) {
		struct hook *hook = &hooks->list[kind];

		name = choose_function(hook, kind, btf, variant, &id);
		if (name && !probed) {
			reason = probe_kernel(btf, id, text, sizeof(text));
			probed = true;
		}
		if (name && reason)
			set_reason(hook, "%s", reason);
		for (size_t i = 0; i < 2 && hook->programs[i]; i++) {
			bpf_program__set_autoload(hook->programs[i], !hook->reason[0]);
			if (!hook->reason[0])
				bpf_program__set_attach_target(hook->programs[i], 0, name);
		}
	}
}

void hooks_attach(struct hooks *hooks, enum hook_kind kind)
{
	struct hook *hook = &hooks->list[kind];

	for (size_t i = 2; i-- > 0 && !hook->reason[0];) {
		if (!hook->programs[i])
			continue;
		hook->links[i] = bpf_program__attach(hook->programs[i]);
		if (!hook->links[i])
			set_reason(hook, "fires no tracepoint, and cannot be hooked: %s",
				   refusal_text(errno));
	}
	if (hook->reason[0])
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

	/* a hook that was refused may not be loaded */
	if (hook->reason[0] ||
	    bpf_obj_get_info_by_fd(bpf_program__fd(hook->programs[0]), &info, &size))
		return 0;
	/* rollback frees are recognized by a guess, so count them as not recorded */
	return info.recursion_misses +
	       (kind == HOOK_BULK_FREE ? hooks->variant->totals->rollback_frees : 0);
}
