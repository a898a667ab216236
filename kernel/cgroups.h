/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cgroups of one hierarchy, and the tasks in them, by time. A task without a line before a time
 * is in an unknown cgroup.
 */
#ifndef KERNEL_CGROUPS_H
#define KERNEL_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cgroup {
	uint64_t id;	/* the kernel's: never used again */
	uint64_t since; /* ns: from when on it has this path; 0: since before the capture */
	char *path;	/* from the root of the hierarchy, "/" */
	size_t order;	/* of its line; used in cgroups.c only */
};

/* From a time on, a thread, or all threads of a process, are in a cgroup. */
struct cgroup_member {
	uint32_t number; /* tid, or tgid */
	bool is_process;
	uint64_t since; /* ns; 0: since before the capture */
	uint64_t id;	/* of the cgroup; 0: not known */
	size_t order;
};

struct cgroups {
	struct cgroup *list; /* by id, then since */
	size_t count;
	struct cgroup_member *members; /* threads, then processes; by number, then since */
	size_t member_count;
	bool is_uncharged; /* no cgroup but the root has a memory controller */
};

/*
 * Lines of kernel/cgroups:
 *	cgroup ID SINCE PATH
 *	gone ID TIME
 *	member TID SINCE ID
 *	process PID SINCE ID
 *	uncharged
 * Numbers are decimal, the path is escaped as in caches.h. Lines may be in any order, but of two
 * with equal keys and times the last one counts. A cgroup that is gone keeps its path. 0 or -errno.
 */
int cgroups_parse(struct cgroups *cgroups, const char *text);
void cgroups_deinit(struct cgroups *cgroups);

/* Write one line each. 0 or -errno. */
int cgroups_write_cgroup(FILE *file, uint64_t id, uint64_t since, const char *path);
int cgroups_write_gone(FILE *file, uint64_t id, uint64_t time);
int cgroups_write_member(FILE *file, const struct cgroup_member *member);
int cgroups_write_uncharged(FILE *file);

/* The path of a task's cgroup, and the range of time in which it holds. */
struct cgroup_span {
	const char *path;      /* NULL: not known */
	uint64_t since, until; /* ns; until is outside */
};

/* tgid: the process of the thread, if has_tgid. */
void cgroups_find(const struct cgroups *cgroups, uint32_t tid, bool has_tgid, uint32_t tgid,
		  uint64_t time, struct cgroup_span *span);

#endif
