/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways in which this kernel allocates and frees slab objects, and which of them are observed.
 */
#ifndef TRACER_LOAD_PATHS_H
#define TRACER_LOAD_PATHS_H

#include "capture/status.h"
#include "tracer/load/hooks.h"

/* A bit for each path, by its index in the table of paths.c. */
struct paths {
	uint32_t exists;
	uint32_t partial; /* its hook does not observe all of it */
};

/* Finds the paths by the kernel's functions: in BTF or, if btf is NULL, in kallsyms. */
void paths_find(struct paths *paths, const struct btf *btf);

/*
 * Replaces the paths in status by those of this kernel, each with whether the programs observe it,
 * by tracepoints or by hooks in their present state. 0 or -errno.
 */
int paths_report(struct status *status, const struct paths *paths, const struct hooks *hooks);

#endif
