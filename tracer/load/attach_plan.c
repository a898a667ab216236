// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The signatures that the tracepoints have had, and the program in bpf/slab.bpf.h for each. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "base/files.h"
#include "tracer/load/formats.h"
#include "tracer/load/attach_plan.h"
#include "tracer/load/probe.h"
#include "tracer/load/prototype.h"

#define NUMBER ARG_NUMBER
#define POINTER ARG_POINTER
#define CACHE ARG_CACHE
#define TEXT ARG_TEXT
#define GFP ARG_GFP
#define NODE ARG_NODE

static const struct {
	const char *name;
	bool needed;
} tracepoints[ATTACH_TRACEPOINTS] = {
	[ATTACH_KFREE] = { "kfree", true },
	[ATTACH_CACHE_FREE] = { "kmem_cache_free", true },
	[ATTACH_KMALLOC] = { "kmalloc", true },
	[ATTACH_CACHE_ALLOC] = { "kmem_cache_alloc", true },
	[ATTACH_KMALLOC_NODE] = { "kmalloc_node", false },
	[ATTACH_CACHE_ALLOC_NODE] = { "kmem_cache_alloc_node", false },
};

/* The first two arguments are always the call site and the object. */
static const struct signature {
	enum tracepoint_id id;
	const char *program;
	enum arg_kind arg_kinds[8];
} signatures[] = {
	{ ATTACH_KFREE, "kfree", { NUMBER, POINTER } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free", { NUMBER, POINTER, CACHE } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free_name", { NUMBER, POINTER, TEXT } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free_anonymous", { NUMBER, POINTER } },
	{ ATTACH_KMALLOC, "kmalloc", { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ ATTACH_KMALLOC, "kmalloc_sizes", { NUMBER, POINTER, NUMBER, NUMBER, GFP } },
	{ ATTACH_KMALLOC, "kmalloc_both", { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP } },
	{ ATTACH_KMALLOC_NODE,
	  "kmalloc_node_sizes",
	  { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ ATTACH_KMALLOC_NODE,
	  "kmalloc_node_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP, NODE } },
	{ ATTACH_CACHE_ALLOC, "kmem_cache_alloc", { NUMBER, POINTER, CACHE, GFP, NODE } },
	{ ATTACH_CACHE_ALLOC, "kmem_cache_alloc_sizes", { NUMBER, POINTER, NUMBER, NUMBER, GFP } },
	{ ATTACH_CACHE_ALLOC,
	  "kmem_cache_alloc_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP } },
	{ ATTACH_CACHE_ALLOC_NODE,
	  "kmem_cache_alloc_node_sizes",
	  { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ ATTACH_CACHE_ALLOC_NODE,
	  "kmem_cache_alloc_node_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP, NODE } },
};

#define SIGNATURES (sizeof(signatures) / sizeof(signatures[0]))

const char *attach_plan_tracepoint_name(enum tracepoint_id id)
{
	return tracepoints[id].name;
}

static bool has_argument(const struct signature *signature, enum arg_kind arg_kind)
{
	for (size_t i = 0; signature->arg_kinds[i] != ARG_END; i++)
		if (signature->arg_kinds[i] == arg_kind)
			return true;
	return false;
}

static void choose_program(struct attach_plan *plan, const struct signature *signature)
{
	plan->programs[signature->id] = signature->program;
	if (signature->id == ATTACH_CACHE_FREE)
		plan->frees_have_name = has_argument(signature, TEXT);
	if (signature->id == ATTACH_CACHE_ALLOC)
		plan->allocations_have_cache = has_argument(signature, CACHE);
}

static int fail_tracepoint(struct attach_plan *plan, enum tracepoint_id id, bool exists)
{
	if (exists)
		snprintf(
			plan->errmsg, sizeof(plan->errmsg),
			"this kernel's tracepoint %s passes arguments that this kmemtraced does not know: try a newer kmemtraced",
			tracepoints[id].name);
	else
		snprintf(
			plan->errmsg, sizeof(plan->errmsg),
			"this kernel has no tracepoint %s: kmemtraced needs CONFIG_TRACEPOINTS and a slab allocator with this tracepoint",
			tracepoints[id].name);
	return -ENOTSUP;
}

int attach_plan_from_btf(struct attach_plan *plan, const struct btf *btf)
{
	for (unsigned int id = 0; id < ATTACH_TRACEPOINTS; id++) {
		const char *name = tracepoints[id].name;
		const struct btf_type *type = prototype_tracepoint(btf, name);

		/* the first parameter is the tracepoint's own data */
		for (size_t i = 0; i < SIGNATURES && type && !plan->programs[id]; i++)
			if (signatures[i].id == id &&
			    prototype_matches(btf, type, 1, signatures[i].arg_kinds, true))
				choose_program(plan, &signatures[i]);
		if (!plan->programs[id] && (type || tracepoints[id].needed))
			return fail_tracepoint(plan, id, type);
	}
	return 0;
}

static bool matches_info(const struct attach_plan *plan, const struct signature *signature,
			 const struct tracepoint_info *info)
{
	struct kmt_field_position position;
	int count = 0;

	while (signature->arg_kinds[count] != ARG_END)
		count++;
	if (count != info->arguments ||
	    has_argument(signature, NODE) != formats_find(info->format, "node", &position))
		return false;
	/* 6.1 changed both: allocations pass the cache without sizes, frees pass the cache itself
	 */
	if (has_argument(signature, TEXT) ||
	    (signature->id == ATTACH_CACHE_FREE && has_argument(signature, CACHE)))
		return has_argument(signature, CACHE) ==
		       !strcmp(plan->programs[ATTACH_CACHE_ALLOC], "kmem_cache_alloc");
	return true;
}

int attach_plan_from_formats(struct attach_plan *plan,
			     const struct tracepoint_info list[ATTACH_TRACEPOINTS])
{
	/* allocations first: their arguments decide how to read the third argument of frees */
	static const enum tracepoint_id order[ATTACH_TRACEPOINTS] = {
		ATTACH_CACHE_ALLOC, ATTACH_CACHE_FREE,	 ATTACH_KFREE,
		ATTACH_KMALLOC,	    ATTACH_KMALLOC_NODE, ATTACH_CACHE_ALLOC_NODE,
	};

	for (size_t at = 0; at < ATTACH_TRACEPOINTS; at++) {
		enum tracepoint_id id = order[at];
		const struct tracepoint_info *info = &list[id];

		for (size_t i = 0; i < SIGNATURES && info->format && !plan->programs[id]; i++)
			if (signatures[i].id == id && matches_info(plan, &signatures[i], info))
				choose_program(plan, &signatures[i]);
		if (!plan->programs[id] && (info->format || tracepoints[id].needed))
			return fail_tracepoint(plan, id, info->format);
	}
	return 0;
}

static int fail_shortage(struct attach_plan *plan, int err)
{
	snprintf(plan->errmsg, sizeof(plan->errmsg), "the formats of the tracepoints: %s",
		 strerror(-err));
	return err;
}

static int plan_from_tracefs(struct attach_plan *plan)
{
	struct tracepoint_info info[ATTACH_TRACEPOINTS] = { 0 };
	char *formats[ATTACH_TRACEPOINTS] = { 0 };
	int tracefs = formats_open(), err, read_err = 0;
	char name[64];

	if (tracefs < 0) {
		snprintf(
			plan->errmsg, sizeof(plan->errmsg),
			"this kernel has no BTF (/sys/kernel/btf/vmlinux), and tracefs, which is needed instead, cannot be read: %s%s",
			strerror(-tracefs),
			tracefs == -EPERM || tracefs == -EACCES ? ": run as root" : "");
		return -ENOTSUP;
	}
	for (unsigned int i = 0; i < ATTACH_TRACEPOINTS; i++) {
		snprintf(name, sizeof(name), "kmem/%s", tracepoints[i].name);
		read_err = formats_read(tracefs, name, &formats[i]);
		if (error_is_shortage(read_err))
			break;
		info[i].format = formats[i];
		if (formats[i])
			info[i].arguments = probe_arguments(tracepoints[i].name);
	}
	close(tracefs);
	err = error_is_shortage(read_err) ? fail_shortage(plan, read_err)
					  : attach_plan_from_formats(plan, info);
	for (unsigned int i = 0; i < ATTACH_TRACEPOINTS; i++)
		free(formats[i]);
	return err;
}

/* KMEMTRACED_WITHOUT lists features to treat as missing, so that tests can imitate other kernels.
 */
static bool is_disabled(const char *feature)
{
	const char *list = getenv("KMEMTRACED_WITHOUT");

	return list && strstr(list, feature);
}

static bool is_environment_valid(void)
{
	static const char *const known[] = {
		"", "btf", "fetch", "btf,fetch", "fetch,btf", "context"
	};
	const char *list = getenv("KMEMTRACED_WITHOUT");

	for (size_t i = 0; list && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(list, known[i]))
			return true;
	return !list;
}

/* With CONFIG_PREEMPT_RT, softirqs run in tasks, and the preempt count does not show them. */
static bool has_softirq_tasks(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);

	for (unsigned int i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off),
			    "softirq_disable_cnt"))
			return true;
	return false;
}

static enum kmt_context_source find_context_source(const struct attach_plan *plan, bool has_count)
{
	if (is_disabled("context") || (plan->btf && has_softirq_tasks(plan->btf)))
		return KMT_CONTEXT_UNKNOWN;
	return has_count && !plan->missing_features.fetch ? KMT_CONTEXT_FROM_COUNT
							  : KMT_CONTEXT_FROM_SOFTIRQS;
}

int attach_plan_make(struct attach_plan *plan)
{
	bool has_count = false;

	memset(plan, 0, sizeof(*plan));
	if (!is_environment_valid()) {
		snprintf(plan->errmsg, sizeof(plan->errmsg),
			 "KMEMTRACED_WITHOUT=%s: must be btf, fetch, btf,fetch, or context",
			 getenv("KMEMTRACED_WITHOUT"));
		return -EINVAL;
	}
	if (!is_disabled("btf"))
		plan->btf = btf__load_vmlinux_btf();
	plan->missing_features.btf = !plan->btf;
	plan->missing_features.fetch = is_disabled("fetch") || !probe_fetch();
	if (plan->btf)
		plan->preemption = preemption_probe(plan->btf, &has_count);
	plan->missing_features.preempt_count = !has_count;
	plan->context_source = find_context_source(plan, has_count);
	return plan->btf ? attach_plan_from_btf(plan, plan->btf) : plan_from_tracefs(plan);
}

void attach_plan_deinit(struct attach_plan *plan)
{
	btf__free(plan->btf);
	plan->btf = NULL;
}
