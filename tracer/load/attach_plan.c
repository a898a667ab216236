// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The forms of the tracepoints' arguments, and the program in bpf/slab.bpf.h for each. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

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
} tracepoints[ATTACH_EVENTS] = {
	[ATTACH_KFREE] = { "kfree", true },
	[ATTACH_CACHE_FREE] = { "kmem_cache_free", true },
	[ATTACH_KMALLOC] = { "kmalloc", true },
	[ATTACH_CACHE_ALLOC] = { "kmem_cache_alloc", true },
	[ATTACH_KMALLOC_NODE] = { "kmalloc_node", false },
	[ATTACH_CACHE_ALLOC_NODE] = { "kmem_cache_alloc_node", false },
};

/* All begin with the call site and the object. */
static const struct form {
	enum attach_plan_event event;
	const char *program;
	enum arg_kind arg_kind[8];
} forms[] = {
	{ ATTACH_KFREE, "kfree", { NUMBER, POINTER } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free", { NUMBER, POINTER, CACHE } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free_name", { NUMBER, POINTER, TEXT } },
	{ ATTACH_CACHE_FREE, "kmem_cache_free_bare", { NUMBER, POINTER } },
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

#define FORMS (sizeof(forms) / sizeof(forms[0]))

const char *attach_plan_tracepoint(enum attach_plan_event event)
{
	return tracepoints[event].name;
}

static bool has(const struct form *form, enum arg_kind what)
{
	for (size_t i = 0; form->arg_kind[i] != ARG_END; i++)
		if (form->arg_kind[i] == what)
			return true;
	return false;
}

static void choose(struct attach_plan *plan, const struct form *form)
{
	plan->programs[form->event] = form->program;
	if (form->event == ATTACH_CACHE_FREE)
		plan->frees_have_name = has(form, TEXT);
	if (form->event == ATTACH_CACHE_ALLOC)
		plan->allocations_have_cache = has(form, CACHE);
}

static int lack(struct attach_plan *plan, enum attach_plan_event event, bool is_there)
{
	if (is_there)
		snprintf(plan->errmsg, sizeof(plan->errmsg),
			 "this kernel's tracepoint %s passes its arguments in a form that no "
			 "program here reads: a newer kmemtraced may",
			 tracepoints[event].name);
	else
		snprintf(plan->errmsg, sizeof(plan->errmsg),
			 "this kernel has no tracepoint %s: it needs CONFIG_TRACEPOINTS and a "
			 "slab allocator that has it",
			 tracepoints[event].name);
	return -ENOTSUP;
}

int attach_plan_from_btf(struct attach_plan *plan, const struct btf *btf)
{
	for (unsigned int event = 0; event < ATTACH_EVENTS; event++) {
		const char *name = tracepoints[event].name;
		const struct btf_type *type = prototype_tracepoint(btf, name);

		/* the first parameter is the tracepoint's own data */
		for (size_t i = 0; i < FORMS && type && !plan->programs[event]; i++)
			if (forms[i].event == event &&
			    prototype_takes(btf, type, 1, forms[i].arg_kind, true))
				choose(plan, &forms[i]);
		if (!plan->programs[event] && (type || tracepoints[event].needed))
			return lack(plan, event, type);
	}
	return 0;
}

static bool agrees(const struct attach_plan *plan, const struct form *form,
		   const struct attach_plan_clue *clue)
{
	struct kmt_field_position place;
	int count = 0;

	while (form->arg_kind[count] != ARG_END)
		count++;
	if (count != clue->arguments ||
	    has(form, NODE) != formats_find(clue->format, "node", &place))
		return false;
	/* frees tell the cache since allocations tell the cache and no sizes: 6.1 */
	if (has(form, TEXT) || (form->event == ATTACH_CACHE_FREE && has(form, CACHE)))
		return has(form, CACHE) ==
		       !strcmp(plan->programs[ATTACH_CACHE_ALLOC], "kmem_cache_alloc");
	return true;
}

int attach_plan_from_formats(struct attach_plan *plan,
			     const struct attach_plan_clue clues[ATTACH_EVENTS])
{
	/* what frees tell is known by what allocations do */
	static const enum attach_plan_event order[ATTACH_EVENTS] = {
		ATTACH_CACHE_ALLOC, ATTACH_CACHE_FREE,	 ATTACH_KFREE,
		ATTACH_KMALLOC,	    ATTACH_KMALLOC_NODE, ATTACH_CACHE_ALLOC_NODE,
	};

	for (size_t at = 0; at < ATTACH_EVENTS; at++) {
		enum attach_plan_event event = order[at];
		const struct attach_plan_clue *clue = &clues[event];

		for (size_t i = 0; i < FORMS && clue->format && !plan->programs[event]; i++)
			if (forms[i].event == event && agrees(plan, &forms[i], clue))
				choose(plan, &forms[i]);
		if (!plan->programs[event] && (clue->format || tracepoints[event].needed))
			return lack(plan, event, clue->format);
	}
	return 0;
}

static int look_at_formats(struct attach_plan *plan)
{
	struct attach_plan_clue clues[ATTACH_EVENTS] = { 0 };
	char *formats[ATTACH_EVENTS] = { 0 };
	int tracefs = formats_open(), err;
	char name[64];

	if (tracefs < 0) {
		snprintf(plan->errmsg, sizeof(plan->errmsg),
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux), and tracefs, which "
			 "would tell as much as is needed, cannot be read: %s%s",
			 strerror(-tracefs),
			 tracefs == -EPERM || tracefs == -EACCES ? ": run as root" : "");
		return -ENOTSUP;
	}
	for (unsigned int i = 0; i < ATTACH_EVENTS; i++) {
		snprintf(name, sizeof(name), "kmem/%s", tracepoints[i].name);
		clues[i].format = formats[i] = formats_read(tracefs, name);
		if (formats[i])
			clues[i].arguments = probe_arguments(tracepoints[i].name);
	}
	close(tracefs);
	err = attach_plan_from_formats(plan, clues);
	for (unsigned int i = 0; i < ATTACH_EVENTS; i++)
		free(formats[i]);
	return err;
}

/* So that what other kernels get can be tried on this one. */
static bool is_disabled(const char *what)
{
	const char *list = getenv("KMEMTRACED_WITHOUT");

	return list && strstr(list, what);
}

static bool is_environment_valid(void)
{
	static const char *const known[] = { "", "btf", "fetch", "btf,fetch", "fetch,btf" };
	const char *list = getenv("KMEMTRACED_WITHOUT");

	for (size_t i = 0; list && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(list, known[i]))
			return true;
	return !list;
}

int attach_plan_make(struct attach_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	if (!is_environment_valid()) {
		snprintf(plan->errmsg, sizeof(plan->errmsg),
			 "KMEMTRACED_WITHOUT=%s: it is btf, fetch, or both with a comma",
			 getenv("KMEMTRACED_WITHOUT"));
		return -EINVAL;
	}
	if (!is_disabled("btf"))
		plan->btf = btf__load_vmlinux_btf();
	plan->missing_features.btf = !plan->btf;
	plan->missing_features.fetch = is_disabled("fetch") || !probe_fetch();
	return plan->btf ? attach_plan_from_btf(plan, plan->btf) : look_at_formats(plan);
}

void attach_plan_deinit(struct attach_plan *plan)
{
	btf__free(plan->btf);
	plan->btf = NULL;
}
