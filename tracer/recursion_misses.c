// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Skipped events = recursion misses - events that backup programs recorded. Such an event is first
 * counted as missed and, a moment later, as recorded. The difference of the two counters is too
 * small if an event is recorded between the two readings, and too large if an event was missed
 * before them but is not recorded yet.
 * With copies: skipped events = recursion misses of the first copies + events that these deferred -
 * events that later copies recorded.
 */
#include "config.h"

#include <string.h>

#include "tracer/load/machine.h"
#include "tracer/recursion_misses.h"

#define TRIES 4

static uint64_t load(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

/* The events of a CPU that were recorded by other programs than the first. */
static uint64_t recorded_later(const struct kmt_control *control)
{
	return load(&control->from_backup) + load(&control->from_copies);
}

static uint64_t sum_recorded_later(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		sum += recorded_later(&rings->controls[i]);
	return sum;
}

static uint64_t sum_deferred(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		sum += load(&rings->controls[i].deferred);
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
		uint64_t later = sum_recorded_later(rings),
			 missed = programs_recursion_misses(programs) + sum_deferred(rings);

		*sum = missed > later ? missed - later : 0;
		if (*sum > *upper_bound)
			*upper_bound = *sum;
		if (sum_recorded_later(rings) == later)
			return true;
	}
	return false;
}

void recursion_misses_init(struct recursion_misses *misses, uint64_t now)
{
	*misses = (struct recursion_misses){ .readings = 2 };
	for (size_t i = 0; i < RECURSION_MISSES_READINGS; i++)
		misses->times[i] = now;
}

static int report(struct recursion_misses *misses, uint64_t reported, struct status *status)
{
	uint64_t more = reported - misses->reported;

	if (reported <= misses->reported)
		return 0;
	misses->reported = reported;
	if (!status)
		return 0;
	return status_add_skip_span(status, misses->times[misses->readings - 1], machine_now(),
				    more);
}

int recursion_misses_read(struct recursion_misses *misses, const struct programs *programs,
			  const struct rings *rings, struct status *status)
{
	uint64_t time = machine_now(), sum, least;
	int err;

	misses->readings = programs->copies.count ? RECURSION_MISSES_READINGS : 2;
	if (!read_sum(programs, rings, &sum, &misses->upper_bound))
		return 0;
	/*
	 * An event that is missed but not recorded yet counts in one reading, and not in the next.
	 * So report the least of the last readings; it includes all events skipped before the first
	 * of them.
	 */
	least = sum;
	for (unsigned int i = 0; i + 1 < misses->readings; i++)
		least = misses->sums[i] < least ? misses->sums[i] : least;
	err = report(misses, least, status);
	memmove(misses->sums + 1, misses->sums, sizeof(misses->sums) - sizeof(sum));
	memmove(misses->times + 1, misses->times, sizeof(misses->times) - sizeof(time));
	misses->sums[0] = sum;
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

/* A task that the first copy missed may be recorded on another CPU. */
void recursion_misses_by_cpu(const struct programs *programs, const struct rings *rings,
			     uint64_t *skipped)
{
	uint64_t elsewhere = 0, less;

	programs_recursion_misses_by_cpu(programs, skipped);
	for (unsigned int i = 0; i < rings->possible_cpus; i++) {
		uint64_t later = recorded_later(&rings->controls[i]);

		if (skipped[i] == STATUS_UNKNOWN)
			continue;
		skipped[i] += load(&rings->controls[i].deferred);
		less = skipped[i] < later ? skipped[i] : later;
		skipped[i] -= less;
		elsewhere += later - less;
	}
	for (unsigned int i = 0; i < rings->possible_cpus && elsewhere; i++) {
		if (skipped[i] == STATUS_UNKNOWN)
			continue;
		less = skipped[i] < elsewhere ? skipped[i] : elsewhere;
		skipped[i] -= less;
		elsewhere -= less;
	}
}
