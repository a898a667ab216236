/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How figures go with time: a straight line through them, and how evenly times are spread. */
#ifndef REPORT_VIEWS_TREND_H
#define REPORT_VIEWS_TREND_H

#include <stddef.h>
#include <stdint.h>

struct trend {
	double slope;	    /* units of y for one of x */
	double fit_percent; /* R squared; 0 where the slope is not positive */
};

/*
 * The line with the least squares of the distances in y, its figures to a millionth. No line of
 * fewer than two points.
 */
struct trend trend_line(const double *x, const double *y, size_t count);

/*
 * How evenly ascending times are spread from begin to end, percent: 100 less the largest
 * distance, at any moment, between the share of them that came by then and the share of time
 * that had passed (what Kolmogorov and Smirnov look at), less the share that one of them is, so
 * that few times are never even. 0 at least.
 */
double trend_steady(const uint64_t *times, size_t count, uint64_t begin, uint64_t end);

#endif
