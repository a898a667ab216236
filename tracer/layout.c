// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The forms of the tracepoints' arguments, and the program in bpf/slab.bpf.h for each. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "tracer/formats.h"
#include "tracer/layout.h"
#include "tracer/probe.h"
#include "tracer/prototype.h"

#define NUMBER TAKES_NUMBER
#define POINTER TAKES_POINTER
#define CACHE TAKES_CACHE
#define TEXT TAKES_TEXT
#define GFP TAKES_GFP
#define NODE TAKES_NODE

static const struct {
	const char *name;
	bool needed;
} tracepoints[LAYOUT_EVENTS] = {
	[LAYOUT_KFREE] = { "kfree", true },
	[LAYOUT_CACHE_FREE] = { "kmem_cache_free", true },
	[LAYOUT_KMALLOC] = { "kmalloc", true },
	[LAYOUT_CACHE_ALLOC] = { "kmem_cache_alloc", true },
	[LAYOUT_KMALLOC_NODE] = { "kmalloc_node", false },
	[LAYOUT_CACHE_ALLOC_NODE] = { "kmem_cache_alloc_node", false },
};

/* All begin with the call site and the object. */
static const struct form {
	enum layout_event event;
	const char *program;
	enum takes takes[8];
} forms[] = {
	{ LAYOUT_KFREE, "kfree", { NUMBER, POINTER } },
	{ LAYOUT_CACHE_FREE, "kmem_cache_free", { NUMBER, POINTER, CACHE } },
	{ LAYOUT_CACHE_FREE, "kmem_cache_free_name", { NUMBER, POINTER, TEXT } },
	{ LAYOUT_CACHE_FREE, "kmem_cache_free_bare", { NUMBER, POINTER } },
	{ LAYOUT_KMALLOC, "kmalloc", { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ LAYOUT_KMALLOC, "kmalloc_sizes", { NUMBER, POINTER, NUMBER, NUMBER, GFP } },
	{ LAYOUT_KMALLOC, "kmalloc_both", { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP } },
	{ LAYOUT_KMALLOC_NODE,
	  "kmalloc_node_sizes",
	  { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ LAYOUT_KMALLOC_NODE,
	  "kmalloc_node_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP, NODE } },
	{ LAYOUT_CACHE_ALLOC, "kmem_cache_alloc", { NUMBER, POINTER, CACHE, GFP, NODE } },
	{ LAYOUT_CACHE_ALLOC, "kmem_cache_alloc_sizes", { NUMBER, POINTER, NUMBER, NUMBER, GFP } },
	{ LAYOUT_CACHE_ALLOC,
	  "kmem_cache_alloc_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP } },
	{ LAYOUT_CACHE_ALLOC_NODE,
	  "kmem_cache_alloc_node_sizes",
	  { NUMBER, POINTER, NUMBER, NUMBER, GFP, NODE } },
	{ LAYOUT_CACHE_ALLOC_NODE,
	  "kmem_cache_alloc_node_both",
	  { NUMBER, POINTER, CACHE, NUMBER, NUMBER, GFP, NODE } },
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

const char *layout_tracepoint(enum layout_event event)
{
	return tracepoints[event].name;
}

static bool has(const struct form *form, enum takes what)
{
	for (size_t i = 0; form->takes[i] != TAKES_END; i++)
		if (form->takes[i] == what)
			return true;
	return false;
}

static void choose(struct layout *layout, const struct form *form)
{
	layout->programs[form->event] = form->program;
	if (form->event == LAYOUT_CACHE_FREE)
		layout->frees_name = has(form, TEXT);
	if (form->event == LAYOUT_CACHE_ALLOC)
		layout->allocations_tell_caches = has(form, CACHE);
}

static int lack(struct layout *layout, enum layout_event event, bool is_there)
{
	if (is_there)
		snprintf(layout->why, sizeof(layout->why),
			 "this kernel's tracepoint %s passes its arguments in a form that no "
			 "program here reads: a newer kmemtraced may",
			 tracepoints[event].name);
	else
		snprintf(layout->why, sizeof(layout->why),
			 "this kernel has no tracepoint %s: it needs CONFIG_TRACEPOINTS and a "
			 "slab allocator that has it",
			 tracepoints[event].name);
	return -ENOTSUP;
}

int layout_from_btf(struct layout *layout, const struct btf *btf)
{
	for (unsigned int event = 0; event < LAYOUT_EVENTS; event++) {
		const char *name = tracepoints[event].name;
		const struct btf_type *type = prototype_tracepoint(btf, name);

		/* the first parameter is the tracepoint's own data */
		for (size_t i = 0; i < FORMS && type && !layout->programs[event]; i++)
			if (forms[i].event == event &&
			    prototype_takes(btf, type, 1, forms[i].takes, true))
				choose(layout, &forms[i]);
		if (!layout->programs[event] && (type || tracepoints[event].needed))
			return lack(layout, event, type);
	}
	return 0;
}

static bool agrees(const struct layout *layout, const struct form *form,
		   const struct layout_clue *clue)
{
	struct kmt_place place;
	int count = 0;

	while (form->takes[count] != TAKES_END)
		count++;
	if (count != clue->arguments ||
	    has(form, NODE) != formats_find(clue->format, "node", &place))
		return false;
	/* frees tell the cache since allocations tell the cache and no sizes: 6.1 */
	if (has(form, TEXT) || (form->event == LAYOUT_CACHE_FREE && has(form, CACHE)))
		return has(form, CACHE) ==
		       !strcmp(layout->programs[LAYOUT_CACHE_ALLOC], "kmem_cache_alloc");
	return true;
}

int layout_from_formats(struct layout *layout, const struct layout_clue clues[LAYOUT_EVENTS])
{
	/* what frees tell is known by what allocations do */
	static const enum layout_event order[LAYOUT_EVENTS] = {
		LAYOUT_CACHE_ALLOC, LAYOUT_CACHE_FREE,	 LAYOUT_KFREE,
		LAYOUT_KMALLOC,	    LAYOUT_KMALLOC_NODE, LAYOUT_CACHE_ALLOC_NODE,
	};

	for (size_t at = 0; at < LAYOUT_EVENTS; at++) {
		enum layout_event event = order[at];
		const struct layout_clue *clue = &clues[event];

		for (size_t i = 0; i < FORMS && clue->format && !layout->programs[event]; i++)
			if (forms[i].event == event && agrees(layout, &forms[i], clue))
				choose(layout, &forms[i]);
		if (!layout->programs[event] && (clue->format || tracepoints[event].needed))
			return lack(layout, event, clue->format);
	}
	return 0;
}

static int look_at_formats(struct layout *layout)
{
	struct layout_clue clues[LAYOUT_EVENTS] = { 0 };
	char *formats[LAYOUT_EVENTS] = { 0 };
	int tracefs = formats_open(), err;
	char name[64];

	if (tracefs < 0) {
		snprintf(layout->why, sizeof(layout->why),
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux), and tracefs, which "
			 "would tell as much as is needed, cannot be read: %s%s",
			 strerror(-tracefs),
			 tracefs == -EPERM || tracefs == -EACCES ? ": run as root" : "");
		return -ENOTSUP;
	}
	for (unsigned int i = 0; i < LAYOUT_EVENTS; i++) {
		snprintf(name, sizeof(name), "kmem/%s", tracepoints[i].name);
		clues[i].format = formats[i] = formats_read(tracefs, name);
		if (formats[i])
			clues[i].arguments = probe_arguments(tracepoints[i].name);
	}
	close(tracefs);
	err = layout_from_formats(layout, clues);
	for (unsigned int i = 0; i < LAYOUT_EVENTS; i++)
		free(formats[i]);
	return err;
}

/* So that what other kernels get can be tried on this one. */
static bool is_to_do_without(const char *what)
{
	const char *list = getenv("KMEMTRACED_WITHOUT");

	return list && strstr(list, what);
}

static bool knows_what_to_do_without(void)
{
	static const char *const known[] = { "", "btf", "fetch", "btf,fetch", "fetch,btf" };
	const char *list = getenv("KMEMTRACED_WITHOUT");

	for (size_t i = 0; list && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(list, known[i]))
			return true;
	return !list;
}

int layout_look(struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	if (!knows_what_to_do_without()) {
		snprintf(layout->why, sizeof(layout->why),
			 "KMEMTRACED_WITHOUT=%s: it is btf, fetch, or both with a comma",
			 getenv("KMEMTRACED_WITHOUT"));
		return -EINVAL;
	}
	if (!is_to_do_without("btf"))
		layout->btf = btf__load_vmlinux_btf();
	layout->lacks.btf = !layout->btf;
	layout->lacks.fetch = is_to_do_without("fetch") || !probe_fetch();
	return layout->btf ? layout_from_btf(layout, layout->btf) : look_at_formats(layout);
}

void layout_deinit(struct layout *layout)
{
	btf__free(layout->btf);
	layout->btf = NULL;
}
