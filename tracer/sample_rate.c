// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the samples that are taken in a second below a limit. */
#include "config.h"

#include "kernel/sampling.h"
#include "tracer/sample_rate.h"

#define SECOND 1000000000ULL
#define WINDOW (SECOND / 4)
#define SLOW 4		/* fewer samples than the limit divided by this: the window is slow */
#define SLOW_WINDOWS 16 /* before the interval is halved: 4 seconds */

void sample_rate_init(struct sample_rate *rate, uint32_t interval, uint32_t limit, uint64_t now)
{
	*rate = (struct sample_rate){
		.least = interval,
		.interval = interval,
		.most = interval,
		.limit = interval == SAMPLING_EACH ? 0 : limit,
		.since = now,
	};
}

uint64_t sample_rate_step(struct sample_rate *rate, uint64_t samples, uint64_t now)
{
	uint64_t a_second;

	if (!rate->limit || now < rate->since + WINDOW)
		return rate->interval;
	a_second = (samples - rate->samples) * SECOND / (now - rate->since);
	rate->samples = samples;
	rate->since = now;
	rate->slow_windows = a_second < rate->limit / SLOW ? rate->slow_windows + 1 : 0;
	for (; a_second > rate->limit && rate->interval <= SAMPLING_MOST / 2; a_second /= 2)
		rate->interval *= 2;
	if (rate->slow_windows >= SLOW_WINDOWS && rate->interval > rate->least) {
		rate->interval /= 2;
		rate->slow_windows = 0;
	}
	if (rate->interval > rate->most)
		rate->most = rate->interval;
	return rate->interval;
}
