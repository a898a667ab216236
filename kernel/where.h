/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the memory of the machine is, by the kernel's own counters: each page of MemTotal has one
 * owner. What no counter has is unexplained: MemTotal - the sum of all owners.
 *
 * A counter is not exact: each CPU keeps up to a threshold of pages for itself before it adds them
 * (calculate_normal_threshold() in mm/vmstat.c), pages change hands while the files are read, and
 * some counters overlap. The error of an owner is the most bytes by which it can be wrong, if no
 * memory changes hands to and fro meanwhile.
 */
#ifndef KERNEL_WHERE_H
#define KERNEL_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct where_owner {
	char name[32]; /* "free", "slab_caches": see where_names.c */
	uint64_t bytes;
	uint64_t error; /* bytes */
};

struct where_reading {
	uint64_t time;	/* ns, the capture's clock */
	uint64_t total; /* bytes: MemTotal */
	struct where_owner *list;
	size_t count;
};

/* The first and the last reading of a capture; none or one if there are no more. */
struct where {
	struct where_reading list[2];
	size_t count;
};

/* The texts of the kernel's files; NULL: it could not be read. */
struct where_texts {
	/* read before all others, and after them */
	const char *meminfo, *meminfo_after, *zoneinfo, *zoneinfo_after, *vmstat, *vmstat_after;
	const char *slabinfo;
	const char *vmallocinfo;
	uint64_t page_size; /* bytes */
};

/* 0, -ENOMEM, or -EINVAL: /proc/meminfo has another form. */
int where_parse_proc(struct where_reading *reading, const struct where_texts *texts, uint64_t time);

/* 0 or -ENOMEM. */
int where_add(struct where_reading *reading, const char *name, uint64_t bytes, uint64_t error);

/* NULL: the reading does not have this owner. */
const struct where_owner *where_find(const struct where_reading *reading, const char *name);

/* MemTotal - all owners: below 0 if counters overlap. error: that of all owners together. */
int64_t where_unexplained(const struct where_reading *reading, uint64_t *error);

/* An owner in words: how its bytes are known, and the command that shows more. */
struct where_about {
	const char *name;
	const char *text; /* for people */
	const char *how;  /* the counters */
	const char *next; /* or NULL */
};

/* NULL: a later version knows it. */
const struct where_about *where_about(const char *name);

/*
 * Lines of kernel/where: "read TIME TOTAL", and "owner NAME BYTES ERROR" of this reading; numbers
 * are decimal. Lines with other keys are skipped. 0, -EINVAL or -ENOMEM.
 */
int where_write(FILE *file, const struct where_reading *reading);
int where_parse(struct where *where, const char *text);
void where_reading_deinit(struct where_reading *reading);
void where_deinit(struct where *where);

#endif
