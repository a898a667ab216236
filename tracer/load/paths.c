// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A path exists if the kernel has one of the functions that have implemented it over the years. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracer/load/paths.h"
#include "tracer/load/prototype.h"

#define NO_HOOK HOOK_KINDS
#define NO_TRACEPOINT "fires no tracepoint"

struct path {
	const char *name;
	const char *functions[3]; /* none: every kernel has the path */
	enum hook_kind hook;	  /* the hook that observes it, or NO_HOOK */
	const char *reason;	  /* without a hook: why it is unobserved; NULL: it is observed */
	const char *partial;	  /* a kernel with this function has calls that no hook observes; */
	const char *partial_reason; /* and why */
};

static const struct path table[] = {
	{ .name = "kmalloc", .hook = NO_HOOK },
	{ .name = "kfree", .hook = NO_HOOK },
	{ .name = "kmem_cache_alloc", .hook = NO_HOOK },
	{ .name = "kmem_cache_free", .hook = NO_HOOK },
	{ .name = "kmem_cache_alloc_bulk",
	  .functions = { "kmem_cache_alloc_bulk", "kmem_cache_alloc_bulk_noprof" },
	  .hook = HOOK_BULK_ALLOC },
	/* kfree_bulk() is an inline that calls it without a cache */
	{ .name = "kmem_cache_free_bulk",
	  .functions = { "kmem_cache_free_bulk" },
	  .hook = HOOK_BULK_FREE },
	{ .name = "kfree_rcu-batched",
	  .functions = { "kvfree_call_rcu", "kfree_call_rcu" },
	  .hook = HOOK_BULK_FREE,
	  .partial = "__kfree_rcu_sheaf",
	  .partial_reason = "fires no tracepoint, and uses sheaves, which no hook observes" },
	{ .name = "krealloc-in-place",
	  .functions = { "krealloc", "krealloc_noprof", "krealloc_node_align_noprof" },
	  .hook = HOOK_REALLOC },
	{ .name = "sheaf-prefill",
	  .functions = { "kmem_cache_prefill_sheaf" },
	  .hook = NO_HOOK,
	  .reason = NO_TRACEPOINT },
	{ .name = "sheaf-return",
	  .functions = { "kmem_cache_return_sheaf" },
	  .hook = NO_HOOK,
	  .reason = NO_TRACEPOINT },
	{ .name = "kmalloc_nolock",
	  .functions = { "kmalloc_nolock_noprof" },
	  .hook = NO_HOOK,
	  .reason = NO_TRACEPOINT },
	{ .name = "kfree_nolock",
	  .functions = { "kfree_nolock" },
	  .hook = NO_HOOK,
	  .reason = NO_TRACEPOINT },
};

#define TABLE_SIZE (sizeof(table) / sizeof(table[0]))

/* The kernel has this function: marks the paths that it shows to exist or to be partial. */
static void mark_function(struct paths *paths, const char *name)
{
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		for (size_t j = 0; j < 3 && table[i].functions[j]; j++)
			if (!strcmp(table[i].functions[j], name))
				paths->exists |= 1U << i;
		if (table[i].partial && !strcmp(table[i].partial, name))
			paths->partial |= 1U << i;
	}
}

static void find_in_btf(struct paths *paths, const struct btf *btf)
{
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		for (size_t j = 0; j < 3 && table[i].functions[j]; j++)
			if (prototype_function(btf, table[i].functions[j], NULL))
				mark_function(paths, table[i].functions[j]);
		if (prototype_function(btf, table[i].partial, NULL))
			mark_function(paths, table[i].partial);
	}
}

/* If kallsyms cannot be read, any path may exist. */
static void find_in_kallsyms(struct paths *paths)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	bool readable = false;

	while (kallsyms && fgets(line, sizeof(line), kallsyms)) {
		if (sscanf(line, "%*x %*c %255s", name) != 1)
			continue;
		readable |= !strcmp(name, "kfree");
		mark_function(paths, name);
	}
	if (kallsyms)
		fclose(kallsyms);
	if (!readable)
		paths->exists = paths->partial = UINT32_MAX;
}

void paths_find(struct paths *paths, const struct btf *btf)
{
	*paths = (struct paths){ 0 };
	for (size_t i = 0; i < TABLE_SIZE; i++)
		if (!table[i].functions[0])
			paths->exists |= 1U << i;
	if (btf)
		find_in_btf(paths, btf);
	else
		find_in_kallsyms(paths);
}

static int report_path(struct status *status, const struct path *path, bool partial,
		       const struct hooks *hooks)
{
	const char *reason = path->reason;
	uint64_t skipped;
	char text[160];

	if (path->hook != NO_HOOK) {
		skipped = hooks_skipped(hooks, path->hook);
		if (hooks->list[path->hook].reason[0]) {
			reason = hooks->list[path->hook].reason;
		} else if (partial) {
			reason = path->partial_reason;
		} else if (skipped) {
			snprintf(text, sizeof(text), "%" PRIu64 " calls were not recorded",
				 skipped);
			reason = text;
		}
	}
	return status_add_path(status, path->name, !reason, reason);
}

int paths_report(struct status *status, const struct paths *paths, const struct hooks *hooks)
{
	int err = 0;

	status->path_count = 0;
	for (size_t i = 0; i < TABLE_SIZE && !err; i++)
		if (paths->exists & 1U << i)
			err = report_path(status, &table[i], paths->partial & 1U << i, hooks);
	return err;
}
