/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts sampled allocations by the stacks that they have: estimates of all allocations, as
 * analysis/estimate.h describes them. Other allocations cost nothing here. For a text, stacks with
 * the same functions are one row, and those with the same entry into the kernel are another.
 */
#ifndef LIVE_STATS_DETAILS_STACKS_H
#define LIVE_STATS_DETAILS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/hash_map.h"
#include "base/text.h"

#define DETAILS_STACKS_MAX 32768 /* more stacks are counted together */
#define DETAILS_LISTED_MAX 300	 /* rows of a table in a text */
#define DETAILS_HEAVIEST 50	 /* of each order: rows that get into a text */

enum details_sampled {
	DETAILS_STACK,	 /* the functions from the caller of the allocator to the entry */
	DETAILS_SYSCALL, /* the entry: see analysis/stack_path.h */
	DETAILS_SAMPLED
};

struct details_counts {
	uint64_t allocations, frees; /* objects */
	uint64_t allocated, freed;   /* bytes */
};

static inline void details_counts_add(struct details_counts *sum,
				      const struct details_counts *counts)
{
	sum->allocations += counts->allocations;
	sum->frees += counts->frees;
	sum->allocated += counts->allocated;
	sum->freed += counts->freed;
}

struct details_estimate {
	struct details_counts counts;
	double allocated_variance, live_variance; /* of the bytes */
	uint64_t samples, live_samples;
};

struct details_stack {
	uint64_t id; /* 0: all stacks that are not known */
	size_t first_frame;
	uint32_t frame_count;
	uint64_t call_site, time; /* of its first sample; time 0: none */
	uint32_t rows[DETAILS_SAMPLED];
	bool is_named; /* rows are set */
	bool is_known; /* each function has a name */
	struct details_estimate estimate;
};

/* A live object that was sampled, and what it counts for. */
struct details_sample {
	uint32_t stack;
	uint32_t next_unused; /* of an unused element: the index of the next, + 1 */
	uint64_t objects, bytes;
	double variance;
};

/* A row that was in a text is in all later ones, until too many rows are listed. */
struct details_sampled_row {
	char *name; /* NULL: all rows that are not listed */
	struct details_estimate estimate;
	uint64_t allocated; /* bytes, at the last text */
	double recent;	    /* bytes: of the last seconds, older ones count less */
	bool is_listed;
};

struct details_sampled_table {
	struct details_sampled_row *rows; /* 0: all that are not listed */
	size_t count;
	struct hash_map by_name;
	uint64_t drops; /* how often listed rows became unlisted */
};

struct details_stacks {
	struct details_stack *list;
	size_t count;
	struct hash_map by_id;
	uint64_t *frames; /* return addresses, the innermost first */
	size_t frame_count;
	struct details_sample *samples;
	size_t sample_count;
	uint32_t unused; /* the index of the first unused sample, + 1; 0: none */
	struct hash_map by_address;
	struct details_sampled_table tables[DETAILS_SAMPLED];
};

int details_stacks_init(struct details_stacks *stacks); /* 0 or -ENOMEM */
void details_stacks_deinit(struct details_stacks *stacks);

/* Takes the words after "stack" of a line of kernel/stacks. 0 or -ENOMEM. */
int details_stacks_take(struct details_stacks *stacks, struct line *line);

/* For a transition of an object, if it may be a sampled one. 0 or -ENOMEM. */
int details_stacks_on_transition(struct details_stacks *stacks, const struct stack_sample *sample,
				 const struct transition *transition);

/* Stacks with a function that is not known get their names again. */
void details_stacks_symbols_changed(struct details_stacks *stacks);

/* Adds the estimates of the stacks up, and lists the heaviest rows. 0 or -ENOMEM. */
int details_stacks_list(struct details_stacks *stacks, const struct symbols *symbols);

#endif
