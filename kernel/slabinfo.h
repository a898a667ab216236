/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The number of objects of each slab cache, from /proc/slabinfo. SLUB counts the free objects of
 * the slabs that a CPU holds, and from about Linux 6.18 those in its sheaves, as active. So active
 * is mostly higher than the number of objects in use. From about Linux 6.10 it is an estimate: the
 * kernel counts only a part of a long list of partial slabs (count_partial_free_approx()), so it
 * may be a little lower, too.
 *
 * The free objects in active are held: by a CPU (in its slab, its partial slabs and its sheaves) or
 * by a node (in full sheaves). A cache cannot hold more than a number that follows from
 * /sys/kernel/slab/NAME: see slabinfo_held_max().
 */
#ifndef KERNEL_SLABINFO_H
#define KERNEL_SLABINFO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SLABINFO_UNKNOWN UINT64_MAX

struct slabinfo_cache {
	char name[64];		    /* cut as in struct cache */
	uint64_t active, total;	    /* objects */
	uint64_t held;		    /* the most free objects in active; or SLABINFO_UNKNOWN */
	uint32_t object_size, size; /* bytes, as in struct cache; 0: unknown */
};

/* All caches at one time, by name. The counters of caches of the same name are added up. */
struct slabinfo_snapshot {
	uint64_t time;	/* ns, the capture's clock */
	uint64_t until; /* when it was read to the end; the same as time if that is not known */
	struct slabinfo_cache *list;
	size_t count;
};

/* All snapshots of a capture, by time. */
struct slabinfo {
	struct slabinfo_snapshot *snapshots;
	size_t count;
};

/* Parses /proc/slabinfo, which was read at time. 0, -ENOMEM, or -EINVAL: an unknown format. */
int slabinfo_parse_proc(struct slabinfo_snapshot *snapshot, const char *text, uint64_t time);

/* The layout of one cache, from the files of /sys/kernel/slab/NAME; 0: there is no such file. */
struct slabinfo_layout {
	uint64_t per_slab;	 /* objs_per_slab */
	uint64_t cpu_partial;	 /* objects in the partial slabs of a CPU */
	uint64_t sheaf_capacity; /* objects in a sheaf */
};

/* The most free objects that the CPUs and nodes may hold of a cache. */
uint64_t slabinfo_held_max(const struct slabinfo_layout *layout, uint64_t cpus, uint64_t nodes);

void slabinfo_snapshot_deinit(struct slabinfo_snapshot *snapshot);

/* Returns NULL if the snapshot does not have that cache. */
const struct slabinfo_cache *slabinfo_find(const struct slabinfo_snapshot *snapshot,
					   const char *name);

/*
 * Lines of kernel/slabinfo: "slab TIME NAME ACTIVE TOTAL [HELD]", "read TIME UNTIL" and "sizes NAME
 * OBJECT_SIZE SIZE", which is of all times; numbers are decimal, NAME is as in kernel/caches. Lines
 * with other keys are skipped. 0 or -errno.
 */
int slabinfo_write(FILE *file, const struct slabinfo_snapshot *snapshot);
int slabinfo_write_sizes(FILE *file, const struct slabinfo_snapshot *snapshot);
int slabinfo_parse(struct slabinfo *slabinfo, const char *text);
void slabinfo_deinit(struct slabinfo *slabinfo);

/* Returns the last snapshot at or before time; NULL: all are later. */
const struct slabinfo_snapshot *slabinfo_at(const struct slabinfo *slabinfo, uint64_t time);

#endif
