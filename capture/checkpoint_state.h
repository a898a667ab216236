/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file checkpoint/state of a piece: the begin of the piece, and the losses before it. Lines of
 * "key value ..."; readers skip unknown keys.
 */
#ifndef CAPTURE_CHECKPOINT_STATE_H
#define CAPTURE_CHECKPOINT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/status.h"

/* The last allocation of a CPU before the begin of the piece. */
struct checkpoint_cpu {
	unsigned int cpu;
	uint64_t address;
};

/* The number of the first event of a CPU in the piece. */
struct checkpoint_number {
	unsigned int cpu;
	uint64_t first;
};

/* A cache of which objects count as live although they may be freed. */
struct checkpoint_cache {
	char name[80];
	uint64_t missed_frees; /* before begin: see struct analysis_cache */
};

/* The events of a cache from the first reading of /proc/slabinfo to begin. */
struct checkpoint_count {
	char name[80];
	uint64_t allocations, frees, missed_frees;
	uint64_t meanwhile; /* those of them while it was being read: the reading may have them */
};

struct checkpoint_state {
	uint64_t begin;	  /* ns: an object with an earlier record in the checkpoint was live then */
	uint64_t since;	  /* ns: when tracing began */
	uint64_t objects; /* live at begin */
	uint64_t events;  /* recorded before begin */
	uint64_t lost;	  /* events before begin, and samples without a record */
	uint64_t lost_after, lost_before; /* ns: between these times; 0: none were lost */
	uint64_t skipped;		  /* events before begin, or STATUS_UNKNOWN */
	/* Of the same time as the counts: as in struct cache_mark and struct analysis. */
	uint64_t nameless_frees, anonymous_allocations;
	struct checkpoint_cpu *cpus;
	size_t cpu_count;
	struct checkpoint_number *numbers;
	size_t number_count;
	struct checkpoint_cache *caches;
	size_t cache_count;
	struct checkpoint_count *counts;
	size_t count_count;
};

void checkpoint_state_deinit(struct checkpoint_state *state);
int checkpoint_state_write(const struct checkpoint_state *state, FILE *file); /* 0 or -errno */

/* 0, -ENOMEM, -EBADMSG: not such a file; or -EPROTONOSUPPORT: a newer format. */
int checkpoint_state_parse(struct checkpoint_state *state, const char *text);

/* 0 or -ENOMEM. */
int checkpoint_state_add_cpu(struct checkpoint_state *state, unsigned int cpu, uint64_t address);
int checkpoint_state_add_cache(struct checkpoint_state *state, const char *name,
			       uint64_t missed_frees);
/* Adds to the counts of the cache of that name, or adds the cache. */
int checkpoint_state_add_count(struct checkpoint_state *state,
			       const struct checkpoint_count *count);
int checkpoint_state_add_number(struct checkpoint_state *state, unsigned int cpu, uint64_t first);

/* The number of the CPU's first event in the piece. False: not known. */
bool checkpoint_state_find_number(const struct checkpoint_state *state, unsigned int cpu,
				  uint64_t *first);

/* The frees of the cache that were missed before begin. */
uint64_t checkpoint_state_missed_frees(const struct checkpoint_state *state, const char *cache);

#endif
