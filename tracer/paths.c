// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A path is there if BTF knows one of the functions that it had over the years. */
#include "config.h"

#include <errno.h>

#include <bpf/btf.h>

#include "tracer/paths.h"

#define NO_TRACEPOINT "fires no tracepoint"

struct path {
	const char *name;
	const char *why;	  /* NULL: observed */
	const char *functions[3]; /* none: always there */
};

static const struct path paths[] = {
	{ "kmalloc", NULL, { NULL } },
	{ "kfree", NULL, { NULL } },
	{ "kmem_cache_alloc", NULL, { NULL } },
	{ "kmem_cache_free", NULL, { NULL } },
	{ "kmem_cache_alloc_bulk",
	  NO_TRACEPOINT,
	  { "kmem_cache_alloc_bulk", "kmem_cache_alloc_bulk_noprof" } },
	/* kfree_bulk() is an inline that calls it without a cache */
	{ "kmem_cache_free_bulk", NO_TRACEPOINT, { "kmem_cache_free_bulk" } },
	{ "kfree_rcu-batched", NO_TRACEPOINT, { "kvfree_call_rcu", "kfree_call_rcu" } },
	{ "krealloc-in-place",
	  NO_TRACEPOINT,
	  { "krealloc", "krealloc_noprof", "krealloc_node_align_noprof" } },
	{ "sheaf-prefill", NO_TRACEPOINT, { "kmem_cache_prefill_sheaf" } },
	{ "sheaf-return", NO_TRACEPOINT, { "kmem_cache_return_sheaf" } },
	{ "kmalloc_nolock", NO_TRACEPOINT, { "kmalloc_nolock_noprof" } },
	{ "kfree_nolock", NO_TRACEPOINT, { "kfree_nolock" } },
};

static bool is_there(const struct btf *btf, const struct path *path)
{
	if (!path->functions[0])
		return true;
	for (size_t i = 0; i < 3 && path->functions[i]; i++)
		if (btf__find_by_name_kind(btf, path->functions[i], BTF_KIND_FUNC) > 0)
			return true;
	return false;
}

int paths_add(struct status *status)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = 0;

	if (!btf)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !err; i++)
		if (is_there(btf, &paths[i]))
			err = status_add_path(status, paths[i].name, !paths[i].why,
					      paths[i].why ? paths[i].why : "");
	btf__free(btf);
	return err;
}
