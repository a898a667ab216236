/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways by which this kernel allocates and frees slab objects, and which of them are seen. */
#ifndef TRACER_LOAD_PATHS_H
#define TRACER_LOAD_PATHS_H

#include "capture/status.h"
#include "tracer/load/hooks.h"

/* What this kernel has, a bit each. */
struct paths {
	uint32_t there;
	uint32_t unless; /* and its hook does not see all of it */
};

/* Looks at its functions: in BTF or, where it has none (NULL), in kallsyms. */
void paths_find(struct paths *paths, const struct btf *btf);

/*
 * Tells status every path that this kernel has, in place of those that it named before: those
 * that the programs observe, by tracepoints or by hooks as they are now, and those that nothing
 * sees. 0 or -errno.
 */
int paths_report(struct status *status, const struct paths *paths, const struct hooks *hooks);

#endif
