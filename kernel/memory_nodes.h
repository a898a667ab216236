/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The NUMA node of the memory at a kernel address: the kernel maps all memory that slab objects can
 * lie in at fixed addresses, its direct map.
 */
#ifndef KERNEL_MEMORY_NODES_H
#define KERNEL_MEMORY_NODES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

#define MEMORY_NODE_MAX 65535

struct memory_range {
	uint64_t begin, last; /* kernel addresses, both in the range */
	int node;
};

struct memory_nodes {
	struct memory_range *list; /* by begin, without overlaps */
	size_t count;
};

/*
 * Reads ROOT/proc/zoneinfo (the physical memory of each node) and, if there are several nodes,
 * ROOT/proc/kcore (where the kernel maps it, which needs CAP_SYS_RAWIO); root is "" for this
 * machine. 0, or -errno with reason set: the nodes are not known.
 */
int memory_nodes_read(struct memory_nodes *nodes, const char *root, char *reason, size_t size);

/*
 * Reads ROOT/proc/zoneinfo only: the ranges are physical addresses, and may overlap. 0, or -errno
 * with reason set.
 */
int memory_nodes_read_physical(struct memory_nodes *physical, const char *root, char *reason,
			       size_t size);

/* One line "memory NODE BEGIN LAST" of a table; other lines are skipped. 0 or -ENOMEM. */
int memory_nodes_parse_line(struct memory_nodes *nodes, struct line *line);
/* After the last line: of ranges that overlap, the first by address counts. */
void memory_nodes_sort(struct memory_nodes *nodes);
void memory_nodes_write(const struct memory_nodes *nodes, FILE *file);
void memory_nodes_deinit(struct memory_nodes *nodes);

/* -1: unknown. */
int memory_nodes_find(const struct memory_nodes *nodes, uint64_t address);

#endif
