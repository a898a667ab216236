/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The number of objects of each slab cache, from /proc/slabinfo. SLUB counts the free objects of a
 * CPU's own slabs as active: active is an upper bound of the objects in use.
 */
#ifndef KERNEL_SLABINFO_H
#define KERNEL_SLABINFO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct slabinfo_cache {
	char name[64];		/* cut as in struct cache */
	uint64_t active, total; /* objects */
};

/* All caches at one time, by name. The counters of caches of the same name are added up. */
struct slabinfo_snapshot {
	uint64_t time; /* ns, the capture's clock */
	struct slabinfo_cache *list;
	size_t count;
};

/* All snapshots of a capture, by time. */
struct slabinfo {
	struct slabinfo_snapshot *snapshots;
	size_t count;
};

/* Parses /proc/slabinfo as read at time. 0, -ENOMEM, or -EINVAL: the format is another. */
int slabinfo_parse_proc(struct slabinfo_snapshot *snapshot, const char *text, uint64_t time);
void slabinfo_snapshot_deinit(struct slabinfo_snapshot *snapshot);

/* NULL: the snapshot does not have the cache. */
const struct slabinfo_cache *slabinfo_find(const struct slabinfo_snapshot *snapshot,
					   const char *name);

/*
 * Lines of kernel/slabinfo: "slab TIME NAME ACTIVE TOTAL"; numbers are decimal, NAME is as
 * in kernel/caches. Lines with other keys are skipped. 0 or -errno.
 */
int slabinfo_write(FILE *file, const struct slabinfo_snapshot *snapshot);
int slabinfo_parse(struct slabinfo *slabinfo, const char *text);
void slabinfo_deinit(struct slabinfo *slabinfo);

/* The last snapshot at or before time; or NULL. */
const struct slabinfo_snapshot *slabinfo_at(const struct slabinfo *slabinfo, uint64_t time);

#endif
