/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the events that the kernel skipped, and when: the recursion misses of the first programs,
 * without the events that backup programs recorded. Both counters are read while they change.
 */
#ifndef TRACER_RECURSION_MISSES_H
#define TRACER_RECURSION_MISSES_H

#include <stdint.h>

#include "capture/status.h"
#include "tracer/load/programs.h"
#include "tracer/rings.h"

#define RECURSION_MISSES_READINGS 10 /* a second */

struct recursion_misses {
	uint64_t begin; /* ns: before any program was attached */
	/*
	 * Skipped events; never decreases. It lacks those that may still be recorded, until all
	 * readings have them. A task that is preempted for longer may be recorded after that: then
	 * it is too high, and each figure has too wide a range.
	 */
	uint64_t reported;
	/*
	 * Of skipped events at the last call; never decreases. With front programs it may lack,
	 * until the end, events for which ftrace did not call them.
	 */
	uint64_t upper_bound;
	/*
	 * The number of readings, the last ones, that decide what is reported. An event that was
	 * missed before the first of them is recorded before the last of them, if it is recorded at
	 * all. With copies, a task may be preempted in between, for as long as the CPU runs other
	 * tasks.
	 */
	unsigned int readings;
	uint64_t sums[RECURSION_MISSES_READINGS];
	uint64_t times[RECURSION_MISSES_READINGS]; /* ns: just before each reading */
};

/* now: ns, before any program is attached. */
void recursion_misses_init(struct recursion_misses *misses, uint64_t now);

/*
 * While the programs run: reads the counters, and adds what was skipped since the last call to
 * status, if status is not NULL. 0 or -ENOMEM.
 */
int recursion_misses_read(struct recursion_misses *misses, const struct programs *programs,
			  const struct rings *rings, struct status *status);

/* After the programs were detached: the same for the rest. 0 or -ENOMEM. */
int recursion_misses_finish(struct recursion_misses *misses, const struct programs *programs,
			    const struct rings *rings, struct status *status);

/*
 * After recursion_misses_finish(): the skipped events of each CPU, for rings->possible_cpus CPUs;
 * STATUS_UNKNOWN if it is not known. None is known if more events were reported than were skipped.
 */
void recursion_misses_by_cpu(const struct recursion_misses *misses, const struct programs *programs,
			     const struct rings *rings, uint64_t *skipped);

#endif
