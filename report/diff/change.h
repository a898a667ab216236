/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The change of a figure between two captures, and how much of it is certain.
 *
 * A figure is uncertain for two reasons. Events that were lost, skipped or are not observed give it
 * a range. And it would be another one in another run of the same load: the variance of that is
 * estimated from the time slices of the capture, about 20 of them.
 *
 * Flows (allocations, bytes): the slices are batches (Schmeiser 1982), each with the change x and
 * the work w, as seconds. With R = sum(x) / sum(w) the variance of sum(x) is
 *	n / (n - 1) * sum((x - R w)^2)
 * which for equal w is the variance of batch means, and for other w that of a ratio (Cochran 1977).
 *
 * States (live bytes, live objects) at the end of the capture: they rise from 0 while the capture
 * begins, so the first slice is left out. The smaller of two estimates counts, each of which is too
 * large for the other kind of load: the same formula of the changes of the other slices, for a
 * state that changes in independent steps; and the mean square of the differences between the state
 * at the end of each slice and that at the end of all, for a state that varies about a constant;
 * but at least the square of half of the largest difference, so that one burst is not certain. Of
 * the peak, it is the mean square of the differences between the peak of each slice and that of
 * all.
 *
 * A state may stay, however much work is done, or grow with it, as a leak does. Its change is
 * certain if it is so in both cases: as it is, and with B scaled to the work of A.
 *
 * Neither variance is less than the sum of the squares of the bytes of the single objects, that of
 * a Poisson number of objects, nor less than that of one object.
 *
 * The change has an interval by Welch's t test (1947), extended by the ranges of both figures. The
 * level is 95 % for all figures of all rows together: that of each is 1 - 0.05 / their number
 * (Bonferroni). A change is certain if 0 is not in its interval.
 */
#ifndef REPORT_DIFF_CHANGE_H
#define REPORT_DIFF_CHANGE_H

#include "report/diff/side.h"

#define DIFF_ERROR 0.05 /* the probability of any certain change by chance */
#define DIFF_FREEDOM_MAX (2 * DIFF_SLICES)

/* Quantiles of Student's t by degrees of freedom, for one level. */
struct diff_level {
	double quantiles[DIFF_FREEDOM_MAX + 1];
};

/* By which work of a capture its figures are divided. */
struct diff_work {
	const double *slices;
	double unit; /* figures are for so much work */
	double sum;  /* of the slices */
};

struct diff_estimate {
	double value, low, high, variance, freedom;
};

enum diff_state {
	DIFF_NEW,
	DIFF_GONE,
	DIFF_GROWN,
	DIFF_SHRUNK,
	DIFF_SAME,
};

struct diff_change {
	struct diff_estimate a, b; /* value: NAN if it is not known */
	double change, percent;	   /* percent: NAN if there is none of A */
	double low, high;	   /* interval of the change */
	double least;		   /* the part of the change that is certain; 0: none */
	enum diff_state state;
	bool is_certain;
};

/*
 * The figure of one side. figures NULL: the side has no such row; other: the row of the other side,
 * which shows how large its objects are.
 */
struct diff_estimate diff_estimate(const struct diff_side *side, const struct diff_work *work,
				   enum diff_figure figure, const struct diff_figures *figures,
				   const struct diff_figures *other);

/* error: the probability that |t| exceeds a quantile. */
void diff_level_init(struct diff_level *level, double error);

void diff_work_init(struct diff_work *work, const struct diff_side *side, const double *slices,
		    double unit);

/* Live objects, live bytes and their peak: not a flow. */
bool diff_is_state(enum diff_figure figure);

struct diff_estimate diff_scale(struct diff_estimate estimate, double factor);

struct diff_change diff_change(struct diff_estimate a, struct diff_estimate b,
			       const struct diff_level *level);

/* The change of a state, as live bytes. factor: the work of A for that of B. */
struct diff_change diff_change_of_state(struct diff_estimate a, struct diff_estimate b,
					double factor, const struct diff_level *level);

/* Is b certainly more than factor * a + more? */
bool diff_exceeds(const struct diff_estimate *a, const struct diff_estimate *b, double factor,
		  double more, const struct diff_level *level);

#endif
