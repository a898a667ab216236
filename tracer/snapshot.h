/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the running kernel knows, saved into the capture's kernel/ so that it can be read
 * anywhere: symbols, aliases of slab caches, GFP names, tracepoint formats, CPUs and nodes.
 */
#ifndef TRACER_SNAPSHOT_H
#define TRACER_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"
#include "trace/directory.h"

/*
 * Writes the code symbols of kallsyms to kernel/symbols (gzip). since 0: all of them, anew;
 * else the modules' only, added as seen from that time (ns). 0 or -errno with why set.
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

/* Does kallsyms show addresses to us? */
bool snapshot_sees_symbols(void);

#endif
