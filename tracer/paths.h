/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways by which this kernel allocates and frees slab objects, and which of them are seen. */
#ifndef TRACER_PATHS_H
#define TRACER_PATHS_H

#include "trace/status.h"

/*
 * Adds every path that this kernel has to status, from its BTF: those that the programs observe,
 * and those that fire no tracepoint. 0 or -errno.
 */
int paths_add(struct status *status);

#endif
