/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sizes of each cache, and how many free objects the CPUs and nodes of this machine may hold.
 */
#ifndef TRACER_HOST_SLAB_LAYOUT_H
#define TRACER_HOST_SLAB_LAYOUT_H

#include "kernel/slabinfo.h"
#include "kernel/topology.h"

/* Both functions return 0, or -errno: a file that the kernel offers could not be read. */

/*
 * Sets `held` of each cache of the snapshot, from its folder in /sys/kernel/slab. It stays unknown
 * if there is no such folder: a cache that was destroyed, or another allocator than SLUB.
 */
int slab_layout_add_held(struct slabinfo_snapshot *snapshot, const struct topology *topology);

/* Sets both sizes of each cache, from the same folder, or leaves them unknown. */
int slab_layout_add_sizes(struct slabinfo_snapshot *snapshot);

#endif
