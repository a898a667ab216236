// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A path is there if the kernel has one of the functions that it had over the years. */
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
	const char *functions[3];  /* none: always there */
	enum hook_kind hook;	   /* that sees it; or NO_HOOK */
	const char *reason;	   /* without a hook: why it is unobserved; NULL: it is observed */
	const char *unless;	   /* where there is this function, the hook does not see it all, */
	const char *reason_unless; /* and why */
};

static const struct path paths[] = {
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
	  .unless = "__kfree_rcu_sheaf",
	  .reason_unless = "fires no tracepoint, and goes through sheaves that no hook sees" },
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

#define PATHS (sizeof(paths) / sizeof(paths[0]))

/* Marks what a function that the kernel has says of the paths. */
static void see_function(struct paths *seen, const char *name)
{
	for (size_t i = 0; i < PATHS; i++) {
		for (size_t j = 0; j < 3 && paths[i].functions[j]; j++)
			if (!strcmp(paths[i].functions[j], name))
				seen->there |= 1U << i;
		if (paths[i].unless && !strcmp(paths[i].unless, name))
			seen->unless |= 1U << i;
	}
}

static void look_at_btf(struct paths *seen, const struct btf *btf)
{
	for (size_t i = 0; i < PATHS; i++) {
		for (size_t j = 0; j < 3 && paths[i].functions[j]; j++)
			if (prototype_function(btf, paths[i].functions[j], NULL))
				see_function(seen, paths[i].functions[j]);
		if (prototype_function(btf, paths[i].unless, NULL))
			see_function(seen, paths[i].unless);
	}
}

/* Where nobody tells what there is, there may be anything. */
static void look_at_symbols(struct paths *seen)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	bool told = false;

	while (kallsyms && fgets(line, sizeof(line), kallsyms)) {
		if (sscanf(line, "%*x %*c %255s", name) != 1)
			continue;
		told |= !strcmp(name, "kfree");
		see_function(seen, name);
	}
	if (kallsyms)
		fclose(kallsyms);
	if (!told)
		seen->there = seen->unless = UINT32_MAX;
}

void paths_find(struct paths *seen, const struct btf *btf)
{
	*seen = (struct paths){ 0 };
	for (size_t i = 0; i < PATHS; i++)
		if (!paths[i].functions[0])
			seen->there |= 1U << i;
	if (btf)
		look_at_btf(seen, btf);
	else
		look_at_symbols(seen);
}

static int tell(struct status *status, const struct path *path, bool unless,
		const struct hooks *hooks)
{
	const char *reason = path->reason;
	uint64_t skipped;
	char text[160];

	if (path->hook != NO_HOOK) {
		skipped = hooks_skipped(hooks, path->hook);
		if (hooks->list[path->hook].reason[0]) {
			reason = hooks->list[path->hook].reason;
		} else if (unless) {
			reason = path->reason_unless;
		} else if (skipped) {
			snprintf(text, sizeof(text), "%" PRIu64 " calls were not recorded",
				 skipped);
			reason = text;
		}
	}
	return status_add_path(status, path->name, !reason, reason);
}

int paths_report(struct status *status, const struct paths *seen, const struct hooks *hooks)
{
	int err = 0;

	status->path_count = 0;
	for (size_t i = 0; i < PATHS && !err; i++)
		if (seen->there & 1U << i)
			err = tell(status, &paths[i], seen->unless & 1U << i, hooks);
	return err;
}
