/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts allocations and frees in each domain: a CPU, or a NUMA node of CPUs. A cross free is the
 * free of an object in another domain than that of its allocation.
 */
#ifndef REPORT_VIEWS_CROSS_FREES_H
#define REPORT_VIEWS_CROSS_FREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/topology.h"
#include "analysis/analysis.h"
#include "base/hash_map.h"

#define DOMAIN_UNKNOWN 65536 /* the node of CPUs that kernel/topology does not list */

struct domain {
	uint32_t number;
	uint64_t allocations, failed;
	uint64_t bytes_allocated;
	uint64_t remote_node; /* allocations that requested another node than the CPU's own */
	uint64_t frees;	      /* of objects; includes frees_unmatched */
	uint64_t frees_unmatched;
	uint64_t memory_of_others;	/* allocations here of memory of another node */
	uint64_t frees_of_other_memory; /* here, of memory of another node */
	uint64_t frees_of_others;	/* here, of objects allocated in other domains */
	uint64_t freed_by_others;	/* objects allocated here and freed in other domains */
};

/* Frees of the objects that were allocated in one domain and freed in the other, or the same. */
struct domain_pair {
	uint32_t from, to;
	uint64_t frees, bytes; /* allocated */
};

/* Cross frees of the objects of one group. */
struct group_cross_frees {
	uint64_t frees, bytes;
};

struct cross_frees {
	const struct topology *topology;
	bool by_node;
	/*
	 * The analysis reports allocations when the object ends: the requested node is not known.
	 */
	bool objects_at_end;
	struct hash_map domain_index, pair_index;
	struct domain *domains;
	size_t domain_count;
	struct domain_pair *pairs;
	size_t pair_count;
	struct group_cross_frees *groups; /* by index of the group */
	size_t group_count;
};

int cross_frees_init(struct cross_frees *cross, const struct topology *topology, bool by_node);
void cross_frees_deinit(struct cross_frees *cross);

/* For struct observer; data is the struct cross_frees. */
int cross_frees_on_transition(void *data, const struct analysis *analysis,
			      const struct transition *transition);

/* Finds or adds the domain. NULL: no memory. Valid until the next call. */
struct domain *cross_frees_domain(struct cross_frees *cross, uint32_t number);

/* The domain of a CPU: its own number, its node, or DOMAIN_UNKNOWN. */
uint32_t cross_frees_domain_number(const struct cross_frees *cross, uint16_t cpu);

#endif
