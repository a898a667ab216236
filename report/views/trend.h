/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The slope of values over time by least squares, and how evenly times are spread. */
#ifndef REPORT_VIEWS_TREND_H
#define REPORT_VIEWS_TREND_H

#include <stddef.h>
#include <stdint.h>

struct trend {
	double slope;	    /* units of y for one of x */
	double fit_percent; /* R squared; 0 if the slope is not positive */
};

/* To a millionth: further digits differ between processors. */
double trend_round(double value);

/*
 * The line with the least squares of the distances in y, rounded to a millionth. All 0 for fewer
 * than two points.
 */
struct trend trend_line(const double *x, const double *y, size_t count);

/*
 * How evenly ascending times are spread from begin to end, in percent: 100 minus the
 * Kolmogorov-Smirnov distance (the largest difference, at any time, between the share of the
 * times up to it and the share of the range that has passed), minus the share of one time, so
 * that few times are never even. At least 0; rounded to a millionth.
 */
double trend_steady(const uint64_t *times, size_t count, uint64_t begin, uint64_t end);

#endif
