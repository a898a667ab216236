// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Skipped events = recursion misses - events that backup programs recorded. Such an event is first
 * counted as missed and, a moment later, as recorded. The difference of the two counters is too
 * small if an event is recorded between the two readings, and too large if an event was missed
 * before them but is not recorded yet.
 * With copies: skipped events = recursion misses of the first copies + events that these deferred +
 * events that front programs recorded, and the first copies found - events that front programs and
 * later copies recorded. That is exact, but only when no event is between a front program and its
 * first copy, where a preempted task can stay for long. So while front programs run: skipped events
 * = recursion misses of the front programs + events that these deferred - events that copies
 * recorded. That is too small if ftrace did not call a front program, which nothing counts. The
 * rest, at the end, may have happened at any time.
 */
#include "config.h"

#include <string.h>

#include "tracer/load/machine.h"
#include "tracer/recursion_misses.h"

#define TRIES 4

/* The events of a CPU that were recorded by other programs than the first. */
static uint64_t recorded_later(const struct kmt_control *control)
{
	return rings_load(&control->from_backup) + rings_load(&control->from_copies) +
	       rings_load(&control->from_front);
}

/* The events of a CPU that the first program did not record, although it ran. */
static uint64_t left_by_first(const struct kmt_control *control)
{
	uint64_t sum = rings_load(&control->deferred);

	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++)
		sum += rings_load(&control->front_found[kind]);
	return sum;
}

/* The same two counts, for front programs. */
static uint64_t recorded_after_front(const struct kmt_control *control)
{
	return rings_load(&control->from_backup) + rings_load(&control->from_copies) +
	       rings_load(&control->from_first);
}

static uint64_t left_by_front(const struct kmt_control *control)
{
	return rings_load(&control->front_deferred);
}

static uint64_t sum_cpus(const struct rings *rings, uint64_t count(const struct kmt_control *))
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		sum += count(&rings->controls[i]);
	return sum;
}

/*
 * False: at each try, backup programs or copies recorded something between the readings.
 * upper_bound is correct even then.
 */
static bool read_sum(const struct programs *programs, const struct rings *rings, bool front,
		     uint64_t *sum, uint64_t *upper_bound)
{
	uint64_t (*count)(const struct kmt_control *) = front ? recorded_after_front
							      : recorded_later;

	for (int i = 0; i < TRIES; i++) {
		uint64_t later = sum_cpus(rings, count), missed;

		missed = front ? programs_front_misses(programs) + sum_cpus(rings, left_by_front)
			       : programs_recursion_misses(programs) +
					 sum_cpus(rings, left_by_first);
		*sum = missed > later ? missed - later : 0;
		if (*sum > *upper_bound)
			*upper_bound = *sum;
		if (sum_cpus(rings, count) == later)
			return true;
	}
	return false;
}

void recursion_misses_init(struct recursion_misses *misses, uint64_t now)
{
	*misses = (struct recursion_misses){ .readings = 2, .begin = now };
	for (size_t i = 0; i < RECURSION_MISSES_READINGS; i++)
		misses->times[i] = now;
}

/* since: all events that are not reported yet were skipped after that. */
static int report_misses(struct recursion_misses *misses, uint64_t reported, uint64_t since,
			 struct status *status)
{
	uint64_t more = reported - misses->reported;

	if (reported <= misses->reported)
		return 0;
	misses->reported = reported;
	return status ? status_add_skip_span(status, since, machine_now(), more) : 0;
}

int recursion_misses_read(struct recursion_misses *misses, const struct programs *programs,
			  const struct rings *rings, struct status *status)
{
	uint64_t time = machine_now(), sum, least;
	int err;

	misses->readings = programs->copies.count ? RECURSION_MISSES_READINGS : 2;
	if (!read_sum(programs, rings, copies_have_front(&programs->copies), &sum,
		      &misses->upper_bound))
		return 0;
	/*
	 * An event that is missed but not recorded yet counts in one reading, and not in the next.
	 * So report the least of the last readings; it includes all events skipped before the first
	 * of them.
	 */
	least = sum;
	for (unsigned int i = 0; i + 1 < misses->readings; i++)
		least = misses->sums[i] < least ? misses->sums[i] : least;
	err = report_misses(misses, least, misses->times[misses->readings - 1], status);
	memmove(misses->sums + 1, misses->sums, sizeof(misses->sums) - sizeof(sum));
	memmove(misses->times + 1, misses->times, sizeof(misses->times) - sizeof(time));
	misses->sums[0] = sum;
	misses->times[0] = time;
	return err;
}

int recursion_misses_finish(struct recursion_misses *misses, const struct programs *programs,
			    const struct rings *rings, struct status *status)
{
	uint64_t since = misses->times[misses->readings - 1], sum, of_front = 0, unused = 0;
	int err = 0;

	/* no program runs any more: the first try succeeds */
	if (!read_sum(programs, rings, false, &sum, &misses->upper_bound))
		return 0;
	if (copies_have_front(&programs->copies)) {
		if (read_sum(programs, rings, true, &of_front, &unused))
			err = report_misses(misses, of_front < sum ? of_front : sum, since, status);
		since = misses->begin;
	}
	return err ? err : report_misses(misses, sum, since, status);
}

/* The skipped events of all CPUs; UINT64_MAX if those of a CPU are not known. */
static uint64_t sum_known(const uint64_t *skipped, unsigned int cpus)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cpus; i++) {
		if (skipped[i] == STATUS_UNKNOWN)
			return UINT64_MAX;
		sum += skipped[i];
	}
	return sum;
}

static void set_unknown(uint64_t *skipped, unsigned int cpus)
{
	for (unsigned int i = 0; i < cpus; i++)
		skipped[i] = STATUS_UNKNOWN;
}

/*
 * A task that the first copy missed may be recorded on another CPU. An event that was reported as
 * skipped, and was recorded after that, is in the reported number and on no CPU.
 */
void recursion_misses_by_cpu(const struct recursion_misses *misses, const struct programs *programs,
			     const struct rings *rings, uint64_t *skipped)
{
	uint64_t elsewhere = 0, less;

	programs_recursion_misses_by_cpu(programs, skipped);
	for (unsigned int i = 0; i < rings->possible_cpus; i++) {
		uint64_t later = recorded_later(&rings->controls[i]);

		if (skipped[i] == STATUS_UNKNOWN)
			continue;
		skipped[i] += left_by_first(&rings->controls[i]);
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
	if (sum_known(skipped, rings->possible_cpus) < misses->reported)
		set_unknown(skipped, rings->possible_cpus);
}
