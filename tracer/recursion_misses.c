// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Skipped events = recursion misses - events that backup programs recorded. Such an event is first
 * counted as missed and, a moment later, as recorded. The difference of the two counters is too
 * small if an event is recorded between the two readings, and too large if an event was missed
 * before them but is not recorded yet.
 */
#include "config.h"

#include "tracer/load/machine.h"
#include "tracer/recursion_misses.h"

#define TRIES 4

static uint64_t sum_from_backup(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		sum += __atomic_load_n(&rings->controls[i].from_backup, __ATOMIC_ACQUIRE);
	return sum;
}

/*
 * False: at each try, backup programs recorded something between the readings. upper_bound is
 * correct even then.
 */
static bool read_sum(const struct programs *programs, const struct rings *rings, uint64_t *sum,
		     uint64_t *upper_bound)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t from_backup = sum_from_backup(rings),
			 missed = programs_recursion_misses(programs);

		*sum = missed > from_backup ? missed - from_backup : 0;
		if (*sum > *upper_bound)
			*upper_bound = *sum;
		if (sum_from_backup(rings) == from_backup)
			return true;
	}
	return false;
}

void recursion_misses_init(struct recursion_misses *misses, uint64_t now)
{
	*misses = (struct recursion_misses){ .times = { now, now } };
}

static int report(struct recursion_misses *misses, uint64_t reported, struct status *status)
{
	uint64_t more = reported - misses->reported;

	if (reported <= misses->reported)
		return 0;
	misses->reported = reported;
	if (!status)
		return 0;
	return status_add_skip_span(status, misses->times[1], machine_now(), more);
}

int recursion_misses_read(struct recursion_misses *misses, const struct programs *programs,
			  const struct rings *rings, struct status *status)
{
	uint64_t time = machine_now(), sum;
	int err;

	if (!read_sum(programs, rings, &sum, &misses->upper_bound))
		return 0;
	/*
	 * An event that is missed but not recorded yet counts in one reading, and not in the next.
	 * So report the lesser of two readings; it includes all events skipped before the first.
	 */
	err = report(misses, sum < misses->last_sum ? sum : misses->last_sum, status);
	misses->last_sum = sum;
	misses->times[1] = misses->times[0];
	misses->times[0] = time;
	return err;
}

int recursion_misses_finish(struct recursion_misses *misses, const struct programs *programs,
			    const struct rings *rings, struct status *status)
{
	uint64_t sum;

	/* no program runs any more: the first try succeeds */
	return read_sum(programs, rings, &sum, &misses->upper_bound) ? report(misses, sum, status)
								     : 0;
}

void recursion_misses_by_cpu(const struct programs *programs, const struct rings *rings,
			     uint64_t *skipped)
{
	programs_recursion_misses_by_cpu(programs, skipped);
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (skipped[i] != STATUS_UNKNOWN && skipped[i] >= rings->controls[i].from_backup)
			skipped[i] -= rings->controls[i].from_backup;
}
