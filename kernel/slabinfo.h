/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many objects the slab caches have, as /proc/slabinfo tells it. SLUB counts the free objects
 * of slabs that are a CPU's own as active: active is therefore the most that can be in use.
 */
#ifndef KERNEL_SLABINFO_H
#define KERNEL_SLABINFO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct slabinfo_cache {
	char name[64];		/* cut, as struct cache has it */
	uint64_t active, total; /* objects */
};

/* The caches at one time, by name: those of one name are one, their figures added up. */
struct slabinfo_snapshot {
	uint64_t time; /* ns, the capture's clock */
	struct slabinfo_cache *list;
	size_t count;
};

/* All that a capture tells, by time. */
struct slabinfo {
	struct slabinfo_snapshot *snapshots;
	size_t count;
};

/* The text of /proc/slabinfo, as of time. 0, -ENOMEM, or -EINVAL: it is of another form. */
int slabinfo_parse_proc(struct slabinfo_snapshot *snapshot, const char *text, uint64_t time);
void slabinfo_snapshot_deinit(struct slabinfo_snapshot *snapshot);

/* NULL: it does not tell that cache. */
const struct slabinfo_cache *slabinfo_find(const struct slabinfo_snapshot *snapshot,
					   const char *name);

/*
 * Lines of kernel/slabinfo: "slab TIME NAME ACTIVE TOTAL"; numbers in decimal, NAME as in
 * kernel/caches. Lines of other keys are skipped. 0 or -errno.
 */
int slabinfo_write(FILE *file, const struct slabinfo_snapshot *snapshot);
int slabinfo_parse(struct slabinfo *slabinfo, const char *text);
void slabinfo_deinit(struct slabinfo *slabinfo);

/* The last moment not after time; else NULL. */
const struct slabinfo_snapshot *slabinfo_at(const struct slabinfo *slabinfo, uint64_t time);

#endif
