// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the samples that are taken in a second near or below a limit. */
#include "config.h"

#include <stdbool.h>

#include "kernel/sampling.h"
#include "tracer/sample_rate.h"

#define SECOND 1000000000ULL
/* the interval doubles after at least so many samples and this time */
#define FAST_SAMPLES 16
#define FAST_TIME (SECOND / 5)
/* it is halved after this time, but not before the limit would have allowed so many samples */
#define SLOW_SAMPLES 40
#define SLOW_TIME (4 * SECOND)
/* the same if the interval has a longest one: too many samples do not last */
#define SLOW_TIME_SHORT SECOND

void sample_rate_init(struct sample_rate *rate, uint32_t interval, uint32_t longest, uint32_t limit,
		      uint64_t now)
{
	*rate = (struct sample_rate){
		.least = interval,
		.longest = longest ? longest : SAMPLING_MOST,
		.interval = interval,
		.limit = interval == SAMPLING_EACH ? 0 : limit,
		.slow_time = longest ? SLOW_TIME_SHORT : SLOW_TIME,
		.fast.since = now,
		.slow.since = now,
	};
}

static double samples_a_second(const struct sample_window *window, uint64_t samples, uint64_t now)
{
	return (double)(samples - window->samples) * SECOND / (double)(now - window->since);
}

/* Has the least time passed, and the time in which the limit allows so many samples? */
static bool has_passed(const struct sample_rate *rate, const struct sample_window *window,
		       uint64_t now, uint64_t samples, uint64_t least)
{
	uint64_t passed = now - window->since;

	return passed >= least && passed >= samples * SECOND / rate->limit;
}

static void double_interval(struct sample_rate *rate, uint64_t samples, uint64_t now)
{
	double rate_now = samples_a_second(&rate->fast, samples, now);

	for (; rate_now > (double)rate->limit && rate->interval <= rate->longest / 2; rate_now /= 2)
		rate->interval *= 2;
	rate->fast = rate->slow = (struct sample_window){ samples, now };
}

uint64_t sample_rate_step(struct sample_rate *rate, uint64_t samples, uint64_t now)
{
	if (!rate->limit || now < rate->fast.since + FAST_TIME)
		return rate->interval;
	if (samples - rate->fast.samples >= FAST_SAMPLES &&
	    samples_a_second(&rate->fast, samples, now) > (double)rate->limit)
		double_interval(rate, samples, now);
	else if (has_passed(rate, &rate->fast, now, FAST_SAMPLES, FAST_TIME))
		rate->fast = (struct sample_window){ samples, now };
	if (!has_passed(rate, &rate->slow, now, SLOW_SAMPLES, rate->slow_time))
		return rate->interval;
	if (rate->interval > rate->least &&
	    samples_a_second(&rate->slow, samples, now) < (double)rate->limit * 2 / 5)
		rate->interval /= 2;
	rate->slow = (struct sample_window){ samples, now };
	return rate->interval;
}
