/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPUs and the memory of the capturing machine, and their NUMA nodes. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernel/memory_nodes.h"

struct topology_cpu {
	unsigned int cpu;
	int node;    /* -1: unknown */
	bool online; /* when the capture began */
};

struct topology {
	struct topology_cpu *list; /* all possible CPUs, by cpu */
	size_t count;
	struct memory_nodes memory; /* empty: not known */
	char memory_reason[200];    /* why memory is empty, after topology_read() */
};

/*
 * Reads ROOT/sys/devices/system and the nodes of the memory; root is "" for this machine. 0 or
 * -errno. It is not an error if the nodes of the memory are not known.
 */
int topology_read(struct topology *topology, const char *root);

/* The lines of kernel/topology. 0 or -errno. */
int topology_parse(struct topology *topology, const char *text);
int topology_write(const struct topology *topology, FILE *file);
void topology_deinit(struct topology *topology);

const struct topology_cpu *topology_find(const struct topology *topology, unsigned int cpu);

#define TOPOLOGY_NUMBER_MAX 65535 /* of a CPU or node; struct event has 16 bits for a CPU */

/*
 * Parses an ascending list of sysfs, such as "0-3,8", and calls each() for every number until it
 * returns a number other than 0. Returns that number, 0, or -EINVAL.
 */
int topology_list(const char *text, int (*each)(unsigned int number, void *data), void *data);

#endif
