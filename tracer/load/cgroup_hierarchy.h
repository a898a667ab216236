/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hierarchy of cgroups that a capture has. */
#ifndef TRACER_LOAD_CGROUP_HIERARCHY_H
#define TRACER_LOAD_CGROUP_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_PATH_MAX 4096

struct cgroup_hierarchy {
	bool exists;
	uint32_t number; /* the kernel's; 0: of version 2 */
};

/*
 * Finds the hierarchy of version 1 that has the memory controller, or else the one of version 2.
 * Without cgroups in the kernel, exists is false.
 */
struct cgroup_hierarchy cgroup_hierarchy_find(void);

/*
 * The path of a task's cgroup, from its file cgroup in /proc. False: it cannot be read, or the
 * cgroup is removed.
 */
bool cgroup_hierarchy_path(const struct cgroup_hierarchy *hierarchy, const char *file,
			   char path[CGROUP_PATH_MAX]);

/* A descriptor of the directory where the whole hierarchy is mounted; -1: nowhere. */
int cgroup_hierarchy_open(const struct cgroup_hierarchy *hierarchy);

/*
 * fd: the directory of cgroup_hierarchy_open(). False: only the root has a memory controller, and
 * it charges nothing.
 */
bool cgroup_hierarchy_charges(const struct cgroup_hierarchy *hierarchy, int fd);

#endif
