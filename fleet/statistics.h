/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The statistics of the questions; kmemtrace-fleet(1) has their formulas. */
#ifndef FLEET_STATISTICS_H
#define FLEET_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Growth in one slice of time. */
struct growth_point {
	double hour; /* the middle of the slice */
	double rate; /* bytes an hour */
};

struct growth_fit {
	double rate;	    /* bytes an hour, without the daily pattern */
	double probability; /* of such a rate or a higher one, if the memory does not grow */
	bool lasts;    /* the later half grows at least a quarter as much as the earlier half */
	bool is_daily; /* a daily pattern was taken out */
};

#define GROWTH_POINTS_MIN 6

/* false: too few points. */
bool statistics_growth(const struct growth_point *points, size_t count, struct growth_fit *fit);

/* Sorts the values. 0 for none. */
double statistics_median(double *values, size_t count);

/*
 * The median, and the deviation: 1.4826 times the median of the distances from it, which is the
 * standard deviation of a normal distribution. Of all values, or of the half below or above, if
 * that is more: figures of hosts are seldom symmetric. If it is 0, 1.2533 times the mean distance.
 * Sorts the values.
 */
struct spread {
	double median, deviation;
};

struct spread statistics_spread(double *values, double *space, size_t count);

/* The probability that a value of a group of this size is as far from the median. */
double statistics_far(const struct spread *spread, double value, size_t count);

/*
 * Fisher's exact test, one-sided: the probability that of hits at least with_hits fall into a part
 * of with_count of count hosts.
 */
double statistics_fisher(size_t with_hits, size_t with_count, size_t hits, size_t count);

/*
 * The same with pairs: hosts that are in both parts, of which these have a hit in one of them only.
 * By chance, the hit is in either part with the same probability.
 */
struct hits {
	size_t with_hits, with_count, hits, count; /* of hosts in one part */
	size_t pairs_with, pairs_without;
};

double statistics_fisher_pairs(const struct hits *hits);

/* Values of one host in the rank-sum test. */
struct ranked {
	double value;
	bool with; /* of the hosts that are compared with the others */
};

/* Sums over groups of hosts that are ranked separately; all 0 at first. */
struct rank_sum {
	double difference; /* the rank sum minus its mean */
	double variance;
};

void statistics_rank(struct rank_sum *sum, struct ranked *values, size_t count); /* sorts them */

/* Two-sided; 1 if nothing can be said. */
double statistics_rank_probability(const struct rank_sum *sum);

#endif
