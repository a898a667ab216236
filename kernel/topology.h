/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPUs of the capturing machine and the NUMA node of each. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct topology_cpu {
	unsigned int cpu;
	int node;    /* -1: unknown */
	bool online; /* when the capture began */
};

struct topology {
	struct topology_cpu *list; /* by cpu; every possible one */
	size_t count;
};

/* From /sys/devices/system under root ("" for this machine's own). 0 or -errno. */
int topology_read(struct topology *topology, const char *root);

/* Lines "cpu N node M online|offline" of kernel/topology. 0 or -errno. */
int topology_parse(struct topology *topology, const char *text);
int topology_write(const struct topology *topology, FILE *file);
void topology_deinit(struct topology *topology);

const struct topology_cpu *topology_find(const struct topology *topology, unsigned int cpu);

#define TOPOLOGY_NUMBER_MAX 65535 /* of a CPU or a node; struct event has 16 bits for a CPU */

/*
 * Parses a list as "0-3,8" in sysfs, ascending; calls each for every number, until it does not
 * return 0. 0, -EINVAL, or what each returned.
 */
int topology_list(const char *text, int (*each)(unsigned int number, void *data), void *data);

#endif
