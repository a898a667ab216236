// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The line of least squares, and the spread of times. */
#include "config.h"

#include "report/views/trend.h"

double trend_round(double value)
{
	const double millionth = 1e-6, most = 1e12;

	if (value > most || value < -most)
		return value;
	return (double)(int64_t)(value / millionth + (value < 0 ? -0.5 : 0.5)) * millionth;
}

struct trend trend_line(const double *x, const double *y, size_t count)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
	struct trend trend = { 0 };

	if (count < 2)
		return trend;
	for (size_t i = 0; i < count; i++) {
		mean_x += x[i];
		mean_y += y[i];
	}
	mean_x /= (double)count;
	mean_y /= (double)count;
	for (size_t i = 0; i < count; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
	}
	if (xx <= 0 || yy <= 0)
		return trend;
	trend.slope = trend_round(xy / xx);
	if (xy > 0)
		trend.fit_percent = trend_round(100 * (xy * xy) / (xx * yy));
	return trend;
}

double trend_steady(const uint64_t *times, size_t count, uint64_t begin, uint64_t end)
{
	double span = (double)(end - begin), one = 1 / (double)count, farthest = 0;

	if (!count || end <= begin)
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t after = times[i] > begin ? times[i] - begin : 0;
		double passed = after < end - begin ? (double)after / span : 1;
		double before = passed - (double)i * one, behind = (double)(i + 1) * one - passed;

		if (before > farthest)
			farthest = before;
		if (behind > farthest)
			farthest = behind;
	}
	return farthest + one < 1 ? trend_round(100 * (1 - farthest - one)) : 0;
}
