/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One pass over a capture: pairs frees with allocations and adds up, by call site and in all.
 * An object that kmemtraced itself allocated is left out of both, with its free, unless the
 * capture says to include it.
 */
#ifndef TRACE_ANALYSIS_H
#define TRACE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/capture.h"
#include "trace/event.h"

/* live_objects = allocations - frees - missed_frees. */
struct analysis_site {
	uint64_t address;      /* the call site */
	uint64_t first_time;   /* ns: tells which module had the address */
	uint64_t allocations;  /* that succeeded */
	uint64_t frees;	       /* of its own objects, wherever they were freed */
	uint64_t missed_frees; /* proven: an address was allocated again while live */
	uint64_t failed;
	uint64_t bytes_requested, bytes_allocated; /* of the allocations */
	uint64_t live_objects, live_bytes;	   /* at the end; bytes allocated */
	uint64_t cross_cpu_frees; /* of its objects, on another CPU than allocated them */
};

/*
 * allocations + failed + frees + null_frees + own_allocations + own_frees + unknown = recorded.
 * live_objects = allocations - (frees - frees_unmatched) - missed_frees.
 */
struct analysis_totals {
	uint64_t allocations, failed;
	uint64_t frees;		  /* of objects, frees_unmatched among them */
	uint64_t frees_unmatched; /* of objects whose allocation was not recorded */
	uint64_t null_frees;	  /* of NULL or of what kmalloc(0) gave: no object */
	uint64_t missed_frees;	  /* proven: the address was allocated again while live */
	uint64_t bytes_requested, bytes_allocated;
	uint64_t cross_cpu_frees;
	uint64_t live_objects, live_bytes;
	uint64_t own_allocations, own_frees; /* of kmemtraced's own objects, left out above */
	uint64_t unknown;		     /* records of ids that this version does not know */
};

/* The same numbers as in status, from the streams themselves. */
struct analysis_loss {
	uint64_t seen, recorded, lost, skipped, own;
	bool skipped_partial; /* cut off: skips after the last packet are not known */
	bool own_known;	      /* else own is 0, and own objects count as any */
};

/* One CPU's part of it; skips are told for all CPUs together. */
struct analysis_cpu {
	unsigned int cpu;
	uint64_t recorded, lost, own;
};

struct analysis {
	struct analysis_site *sites; /* in order of first appearance */
	size_t site_count;
	struct analysis_totals totals;
	struct analysis_loss loss;
	struct analysis_cpu *cpus; /* of each stream, by cpu */
	size_t cpu_count;
	uint64_t begin, end; /* ns: what the capture covers */
	uint64_t damaged_bytes;
	uint64_t caches_unknown; /* events of caches without a name: of 0 bytes */
};

/* Runs the pass. 0 or -errno, with capture->why set. */
int analysis_run(struct analysis *analysis, struct capture *capture);
void analysis_deinit(struct analysis *analysis);

/* (allocated - requested) / allocated * 100; 0 if nothing was allocated. As perf kmem has it. */
double analysis_fragmentation(uint64_t requested, uint64_t allocated);

#endif
