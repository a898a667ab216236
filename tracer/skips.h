/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many events the kernel hid from all programs, and when: the runs of first programs that it
 * skipped, less those that second programs told. Read while both go on counting.
 */
#ifndef TRACER_SKIPS_H
#define TRACER_SKIPS_H

#include <stdint.h>

#include "trace/status.h"
#include "tracer/programs.h"
#include "tracer/rings.h"

struct skips {
	uint64_t told;	   /* never less than before, never more than there are */
	uint64_t reading;  /* the last */
	uint64_t most;	   /* never less than there were at the last call, and never gets less */
	uint64_t times[2]; /* ns: just before the last reading, and the one before it */
};

/* now: before any program is attached. */
void skips_init(struct skips *skips, uint64_t now);

/* While the programs run: notes what was skipped since in status, if not NULL. 0 or -ENOMEM. */
int skips_read(struct skips *skips, const struct programs *programs, const struct rings *rings,
	       struct status *status);

/* After they were detached: what was skipped in all. 0 or -ENOMEM. */
int skips_finish(struct skips *skips, const struct programs *programs, const struct rings *rings,
		 struct status *status);

/* Then by CPU, rings->possible_cpus of them; STATUS_UNKNOWN where this kernel does not tell. */
void skips_by_cpu(const struct programs *programs, const struct rings *rings, uint64_t *skipped);

#endif
