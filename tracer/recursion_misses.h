/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many events the kernel hid from all programs, and when: the runs of first programs that it
 * skipped, less those that second programs told. Read while both go on counting.
 */
#ifndef TRACER_RECURSION_MISSES_H
#define TRACER_RECURSION_MISSES_H

#include <stdint.h>

#include "capture/status.h"
#include "tracer/load/programs.h"
#include "tracer/rings.h"

struct recursion_misses {
	uint64_t told;	   /* never less than before, never more than there are */
	uint64_t reading;  /* the last */
	uint64_t most;	   /* never less than there were at the last call, and never gets less */
	uint64_t times[2]; /* ns: just before the last reading, and the one before it */
};

/* now: before any program is attached. */
void recursion_misses_init(struct recursion_misses *skips, uint64_t now);

/* While the programs run: notes what was skipped since in status, if not NULL. 0 or -ENOMEM. */
int recursion_misses_read(struct recursion_misses *skips, const struct programs *programs,
			  const struct rings *rings, struct status *status);

/* After they were detached: what was skipped in all. 0 or -ENOMEM. */
int recursion_misses_finish(struct recursion_misses *skips, const struct programs *programs,
			    const struct rings *rings, struct status *status);

/* Then by CPU, rings->possible_cpus of them; STATUS_UNKNOWN where this kernel does not tell. */
void recursion_misses_by_cpu(const struct programs *programs, const struct rings *rings,
			     uint64_t *skipped);

#endif
