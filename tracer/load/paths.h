/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths: the ways in which this kernel allocates and frees slab objects, and whether the programs
 * observe them.
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
 * Replaces the paths in status by the paths of this kernel. Each is marked as observed or not, with
 * the tracepoints and with the hooks in their present state. 0 or -errno.
 */
int paths_report(struct status *status, const struct paths *paths, const struct hooks *hooks);

#endif
