/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the running kernel knows, saved into the capture's kernel/ so that it can be read
 * anywhere: symbols, slab caches' aliases and objects, GFP names, tracepoint formats, CPUs, nodes.
 */
#ifndef TRACER_SNAPSHOT_H
#define TRACER_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/slabinfo.h"
#include "kernel/topology.h"
#include "capture/directory.h"

/*
 * Writes the code symbols of kallsyms to kernel/symbols (gzip). since 0: all of them, anew;
 * else the modules' only, added as seen from that time (ns). 0 or -errno with errmsg set.
 */
int snapshot_symbols(struct directory *directory, uint64_t since);

/* kernel/topology. */
int snapshot_topology(struct directory *directory, const struct topology *topology);

/*
 * kernel/gfp and kernel/formats, from tracefs wherever it is, mounted or not. -ENOENT: this
 * kernel has none, or does not let us.
 */
int snapshot_formats(struct directory *directory);

/* The aliases of merged caches, from /sys/kernel/slab. */
int snapshot_aliases(struct directory *directory);

/* Which caches kmalloc() has, from there or from /proc/slabinfo. */
int snapshot_kmalloc(struct directory *directory);

/*
 * Adds to kernel/slabinfo how many objects the caches have, as of the time. Called just before the
 * programs are attached, so that no object is both there and recorded: what is allocated between
 * the two is in neither, and what is freed between stays there. Then at the end, once they are
 * detached. A kernel that does not tell, or not in this form, is no failure: there is no file.
 */
int snapshot_slabinfo(struct directory *directory, uint64_t time);

/* The same for whoever keeps it; -ENODATA: the kernel does not tell, or not in this form. */
int snapshot_read_slabinfo(struct slabinfo_snapshot *moment, uint64_t time);

/* Does kallsyms show addresses to us? */
bool snapshot_has_addresses(void);

#endif
