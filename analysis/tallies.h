/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocations and frees counted by CPU and by pair of group and cache. To count one takes a few
 * additions to one line of memory, where a call of an observer takes much longer. The owner takes
 * the counts now and then.
 */
#ifndef ANALYSIS_TALLIES_H
#define ANALYSIS_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/topology.h"
#include "base/hash_map.h"

#define TALLIES_MEMO_BITS 10
#define TALLY_LIFETIMES 32
#define TALLY_LIFETIME_SHIFT 8 /* the first class ends at 2^9 ns, each other at twice as much */

struct tally {
	uint32_t group, cache; /* of the objects: indices in struct analysis */
};

/* The events of one CPU since the last call of tallies_take(). */
struct tally_count {
	uint32_t allocations, frees;
	uint32_t other_node;	   /* frees on another NUMA node than that of the allocation */
	uint32_t cross_cpu;	   /* frees on another CPU */
	uint64_t allocated, freed; /* bytes */
};

struct tallies_cpu {
	struct tally_count *list; /* by index of the tally */
	size_t count;
	bool changed;
};

/* Freed objects by lifetime, in classes of powers of two; the last class has all longer ones. */
struct tally_lifetimes {
	uint32_t counts[TALLY_LIFETIMES];
};

struct tallies_memo {
	struct tally tally;
	uint32_t number; /* its index, + 1; 0: empty */
};

struct tallies {
	struct tally *list;
	size_t count;
	struct hash_map numbers; /* by group and cache */
	struct tallies_memo memos[1 << TALLIES_MEMO_BITS];
	struct tallies_cpu *cpus;
	size_t cpu_count;
	int *nodes; /* by CPU, as struct type_stats has them; -1: unknown */
	/* by index of the tally, if with_lifetimes; its owner sets them to 0 */
	struct tally_lifetimes *lifetimes;
	size_t lifetime_count;
	bool with_lifetimes; /* set by the owner, before there are tallies */
};

/* cpus: the highest number of a CPU, + 1. 0 or -ENOMEM. */
int tallies_init(struct tallies *tallies, size_t cpus, const struct topology *topology);
void tallies_deinit(struct tallies *tallies); /* all zero is allowed */

/* The index of the tally, which is added if need be; or -ENOMEM. */
int64_t tallies_search(struct tallies *tallies, struct tally tally);

static inline int64_t tallies_find(struct tallies *tallies, uint32_t group, uint32_t cache)
{
	uint32_t hash = (group ^ cache << 16) * 0x9e3779b1U;
	const struct tallies_memo *memo = &tallies->memos[hash >> (32 - TALLIES_MEMO_BITS)];

	if (memo->tally.group == group && memo->tally.cache == cache && memo->number)
		return memo->number - 1;
	return tallies_search(tallies, (struct tally){ group, cache });
}

/* The counts of a CPU, with room for all tallies found so far; NULL: no memory. */
struct tally_count *tallies_of_cpu(struct tallies *tallies, size_t cpu);

static inline unsigned int tally_lifetime_class(uint64_t ns)
{
	uint64_t units = ns >> TALLY_LIFETIME_SHIFT;
	unsigned int class = units ? 63 - (unsigned int)__builtin_clzll(units) : 0;

	return class < TALLY_LIFETIMES ? class : TALLY_LIFETIMES - 1;
}

static inline bool tallies_other_node(const struct tallies *tallies, size_t from, size_t to)
{
	int a = tallies->nodes[from], b = tallies->nodes[to];

	return a >= 0 && b >= 0 && a != b;
}

/*
 * Calls take for each tally and CPU with events since the last call, then all counts are 0. 0, or
 * -errno of take.
 */
int tallies_take(struct tallies *tallies,
		 int (*take)(void *data, const struct tally *tally, unsigned int cpu,
			     const struct tally_count *count),
		 void *data);

#endif
