// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An event that is rescued counts as missed first and as rescued a moment later. What is counted
 * between the two readings would make the difference too small, what is counted before them and
 * not yet rescued too large.
 */
#include "config.h"

#include "tracer/machine.h"
#include "tracer/recursion_misses.h"

#define TRIES 4

static uint64_t sum_rescued(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		sum += __atomic_load_n(&rings->controls[i].from_backup, __ATOMIC_ACQUIRE);
	return sum;
}

/* False: something was rescued meanwhile, each time; most is right all the same. */
static bool read_sum(const struct programs *programs, const struct rings *rings, uint64_t *sum,
		     uint64_t *most)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t rescued = sum_rescued(rings), missed = programs_recursion_misses(programs);

		*sum = missed > rescued ? missed - rescued : 0;
		if (*sum > *most)
			*most = *sum;
		if (sum_rescued(rings) == rescued)
			return true;
	}
	return false;
}

void recursion_misses_init(struct recursion_misses *skips, uint64_t now)
{
	*skips = (struct recursion_misses){ .times = { now, now } };
}

static int tell(struct recursion_misses *skips, uint64_t told, struct status *status)
{
	uint64_t more = told - skips->told;

	if (told <= skips->told)
		return 0;
	skips->told = told;
	if (!status)
		return 0;
	return status_add_skip(status, skips->times[1], machine_now(), more);
}

int recursion_misses_read(struct recursion_misses *skips, const struct programs *programs,
			  const struct rings *rings, struct status *status)
{
	uint64_t time = machine_now(), sum;
	int err;

	if (!read_sum(programs, rings, &sum, &skips->most))
		return 0;
	/*
	 * An event that was missed and not yet rescued is in one reading, and not in the next: the
	 * lesser of two is told, which is no less than what was skipped before the first of them.
	 */
	err = tell(skips, sum < skips->reading ? sum : skips->reading, status);
	skips->reading = sum;
	skips->times[1] = skips->times[0];
	skips->times[0] = time;
	return err;
}

int recursion_misses_finish(struct recursion_misses *skips, const struct programs *programs,
			    const struct rings *rings, struct status *status)
{
	uint64_t sum;

	/* nothing runs any more: the first try is right */
	return read_sum(programs, rings, &sum, &skips->most) ? tell(skips, sum, status) : 0;
}

void recursion_misses_by_cpu(const struct programs *programs, const struct rings *rings,
			     uint64_t *skipped)
{
	programs_recursion_misses_by_cpu(programs, skipped);
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (skipped[i] != STATUS_UNKNOWN && skipped[i] >= rings->controls[i].from_backup)
			skipped[i] -= rings->controls[i].from_backup;
}
