// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The names change with the kernel. A function that only creates slab caches, as
 * kmem_cache_create(), is not here: it works for its caller, who may leak caches.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "kernel/bookkeeping.h"

static const char *const functions[] = {
	/* the memory cgroups of the objects of a slab; since 6.10 also their code tags */
	"memcg_alloc_page_obj_cgroups", /* Linux 5.9 to 5.16 */
	"memcg_alloc_slab_cgroups",	/* 5.17 to 6.9 */
	"alloc_slab_obj_exts",		/* since 6.10 */
	/* callers of the latter, where the compiler inlines it */
	"allocate_slab", "new_slab", "___slab_alloc",
	"__memcg_slab_post_alloc_hook", /* since 6.10 */
	/* free objects of a CPU, in an array: a sheaf */
	"alloc_empty_sheaf",	    /* since 6.18 */
	"__alloc_empty_sheaf",	    /* since 7.0 */
	"kmem_cache_prefill_sheaf", /* since 6.18: one for more objects than usual */
	/* the free objects of a slab of CONFIG_SLAB, until 6.7 */
	"alloc_slabmgmt", "cache_grow_begin", /* its caller, as above */
};

bool bookkeeping_has(const char *function)
{
	/* the compiler adds .isra.0, .constprop.0 or .part.0 to the name of a copy */
	size_t length = strcspn(function, ".");

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strncmp(functions[i], function, length) && !functions[i][length])
			return true;
	return false;
}
