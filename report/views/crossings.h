/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is allocated and freed at each place, a CPU or a node, and what goes from one to another. */
#ifndef REPORT_VIEWS_CROSSINGS_H
#define REPORT_VIEWS_CROSSINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/topology.h"
#include "analysis/analysis.h"
#include "base/hash_map.h"

#define PLACE_UNKNOWN 65536 /* the node of a CPU that kernel/topology does not tell */

struct place {
	uint32_t number;
	uint64_t allocations, failed;
	uint64_t bytes_allocated;
	uint64_t elsewhere; /* allocations that asked for a node other than the CPU's own */
	uint64_t frees;	    /* at this place, of objects, frees_unmatched among them */
	uint64_t frees_unmatched;
	uint64_t frees_of_others; /* at this place, of objects allocated at others */
	uint64_t freed_by_others; /* objects allocated here, freed at others */
};

/* Frees of objects that were allocated at one place and freed at another, or the same. */
struct crossing {
	uint32_t from, to;
	uint64_t frees, bytes; /* allocated */
};

/* Of the objects of one group, those that were freed at another place. */
struct crossing_group {
	uint64_t frees, bytes;
};

struct crossings {
	const struct topology *topology;
	bool by_node;
	bool late; /* objects are told when their life is over: nobody knows what they asked for */
	struct hash_map place_index, pair_index;
	struct place *slots;
	size_t place_count;
	struct crossing *pairs;
	size_t pair_count;
	struct crossing_group *groups; /* by index of the group */
	size_t group_count;
};

int crossings_init(struct crossings *crossings, const struct topology *topology, bool by_node);
void crossings_deinit(struct crossings *crossings);

/* An observer's step; data is the struct crossings. */
int crossings_watch(void *data, const struct analysis *analysis,
		    const struct transition *transition);

/* The place of the number, a new one if need be; or NULL. Valid until the next. */
struct place *crossings_place(struct crossings *crossings, uint32_t number);

/* The place of a CPU: itself, its node, or PLACE_UNKNOWN. */
uint32_t crossings_number(const struct crossings *crossings, uint16_t cpu);

#endif
