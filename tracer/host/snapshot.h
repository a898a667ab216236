/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves facts about the running kernel in the capture's kernel/, so that the capture can be read on
 * any machine: symbols, aliases and objects of slab caches, GFP names, tracepoint formats, CPUs and
 * nodes.
 */
#ifndef TRACER_HOST_SNAPSHOT_H
#define TRACER_HOST_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/directory.h"
#include "kernel/slabinfo.h"
#include "kernel/topology.h"

/*
 * Writes the code symbols of kallsyms to kernel/symbols (gzip). modules_at: see kallsyms_copy(). 0
 * or -errno with errmsg set.
 */
int snapshot_symbols(struct directory *directory, off_t *modules_at);

/*
 * Writes kernel/topology. As all functions below with a directory, 0, or -errno with
 * directory->errmsg set.
 */
int snapshot_topology(struct directory *directory, const struct topology *topology);

/*
 * Writes kernel/gfp and kernel/formats, from tracefs, mounted or not. 1: the kernel does not offer
 * them to this user; directory->errmsg says why.
 */
int snapshot_formats(struct directory *directory);

/*
 * Appends, from /sys/kernel/slab, the aliases of merged caches, the slab debugging of each cache,
 * and whether it is reclaimable.
 */
int snapshot_aliases(struct directory *directory);

/* Appends the names of kmalloc()'s caches, from /sys/kernel/slab, with their sizes, or
 * /proc/slabinfo. */
int snapshot_kmalloc(struct directory *directory);

/*
 * Appends the number of objects of each cache at this time to kernel/slabinfo. Called just before
 * the programs are attached, so that no object is both counted and recorded. An object allocated
 * between the two is neither counted nor recorded; an object freed between the two stays counted.
 * Called again after the programs are attached: from there to the last reading, before the programs
 * are detached, the growth of a cache and its records are of the same time. If the kernel has no
 * slabinfo, or one in another format, writes nothing and returns 0.
 */
int snapshot_slabinfo(struct directory *directory, uint64_t time);

/*
 * The same in two steps. Reading is fast, and a snapshot without caches is not written. -ENODATA:
 * the kernel has no slabinfo, or has it in another format.
 */
int snapshot_read_slabinfo(struct slabinfo_snapshot *snapshot, uint64_t time);
int snapshot_write_slabinfo(struct directory *directory, const struct slabinfo_snapshot *snapshot);

/*
 * Appends the sizes of the caches in /proc/slabinfo to kernel/slabinfo, if the kernel has it. It
 * reads two files a cache, so it is called before the readings, which it would delay.
 */
int snapshot_slab_sizes(struct directory *directory);

/* Does kallsyms show addresses to this process? */
bool snapshot_has_addresses(void);

/* The sizes of each cache, and how many free objects the CPUs and nodes of this machine may hold.
 */

/*
 * Sets `held` of each cache of the snapshot, from its folder in /sys/kernel/slab. It stays unknown
 * if there is no such folder: a cache that was destroyed, or another allocator than SLUB. 0, or
 * -errno: a file that the kernel offers could not be read.
 */
int slab_layout_add_held(struct slabinfo_snapshot *snapshot, const struct topology *topology);

/*
 * Writes the lines of kmalloc()'s caches, or of slab debugging, for kernel/caches. 0 or -errno;
 * -ENOENT and its like: the kernel has no such folder. The first call must come before kmemtraced
 * is confined.
 */
int slab_layout_write_kmalloc(FILE *file);
int slab_layout_write_debug(FILE *file);

/* Whether each cache is reclaimable: no line if the kernel has no such folder. 0 or -errno. */
int slab_layout_write_reclaim(FILE *file);

/* Sets both sizes of each cache, from the same folder, as slab_layout_add_held(). */
int slab_layout_add_sizes(struct slabinfo_snapshot *snapshot);

#endif
