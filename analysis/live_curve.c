// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Splits the arrays of events at the times of the points: no event is tested for them. */
#include "config.h"

#include <sys/param.h>

#include "analysis/cache_marks.h"
#include "analysis/live_curve.h"
#include "analysis/matcher_state.h"

#define WIDTH_FIRST 100000 /* ns between two points, at first */

static uint64_t next_time(const struct live_curve *curve)
{
	uint64_t next;

	if (__builtin_mul_overflow(curve->width, curve->count + 1, &next) ||
	    __builtin_add_overflow(curve->begin, next, &next))
		return UINT64_MAX;
	return next;
}

static void add_point(struct live_curve *curve, uint64_t bytes)
{
	curve->bytes[curve->count++] = bytes;
	if (curve->count < LIVE_CURVE_POINTS)
		return;
	for (size_t i = 0; i < LIVE_CURVE_POINTS / 2; i++)
		curve->bytes[i] = curve->bytes[2 * i + 1];
	curve->count /= 2;
	curve->width *= 2;
}

int live_curve_take(struct matcher *matcher, const struct event *events, size_t count)
{
	struct analysis *analysis = matcher->analysis;
	struct live_curve *curve = &analysis->live_curve;
	size_t before;
	int err = 0;

	if (!analysis->settings.live_curve)
		return cache_marks_take(matcher, events, count);
	if (!curve->width) {
		curve->width = WIDTH_FIRST;
		curve->begin = MAX(MAX(analysis->begin, analysis->window_begin),
				   analysis->capture->checkpoint.begin);
	}
	while (!err && (before = events_before(events, count, next_time(curve))) < count) {
		err = cache_marks_take(matcher, events, before);
		if (!err)
			err = matcher_flush(matcher);
		add_point(curve, analysis->totals.live_bytes);
		events += before;
		count -= before;
	}
	return err ? err : cache_marks_take(matcher, events, count);
}
