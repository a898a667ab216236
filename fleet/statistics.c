// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Medians, and the tests of growth, of outliers and of versions. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "fleet/statistics.h"
#include "report/diff/student.h"

#define HOURS_OF_DAY 24.0
#define DAILY_HOURS_MIN 20.0 /* of a series: a shorter one shows no whole day */
#define DAILY_POINTS_MIN 10
#define CORRELATION_MAX 0.9
#define LASTING 0.25 /* the growth of the later half, in parts of the earlier half */
#define MAD_TO_DEVIATION 1.4826
#define MEAN_TO_DEVIATION 1.2533
#define MAD_EFFICIENCY 0.37 /* of the median of distances, for a normal distribution */
#define FLAT 1e-9	    /* of the rate: a smaller deviation is that of rounding */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double statistics_median(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), compare_doubles);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The median distance from the median of so many sorted values: all, or those on one side. */
static double median_distance(const double *values, double *space, size_t count, double median)
{
	for (size_t i = 0; i < count; i++)
		space[i] = fabs(values[i] - median);
	return statistics_median(space, count);
}

struct spread statistics_spread(double *values, double *space, size_t count)
{
	struct spread spread = { .median = statistics_median(values, count) };
	size_t half = (count + 1) / 2;
	double distance = median_distance(values, space, count, spread.median), sum = 0;
	double below = median_distance(values, space, half, spread.median);
	double above = median_distance(values + count - half, space, half, spread.median);

	distance = fmax(distance, fmax(below, above));
	spread.deviation = MAD_TO_DEVIATION * distance;
	if (distance > 0 || !count)
		return spread;
	/* more than half of the values are equal */
	for (size_t i = 0; i < count; i++)
		sum += fabs(values[i] - spread.median);
	spread.deviation = MEAN_TO_DEVIATION * sum / (double)count;
	return spread;
}

double statistics_far(const struct spread *spread, double value, size_t count)
{
	double distance = fabs(value - spread->median);
	double freedom = MAD_EFFICIENCY * ((double)count - 1);

	if (distance <= 0 || count < 2 || spread->deviation <= 0)
		return 1;
	return student_two_sided(distance / spread->deviation, freedom < 1 ? 1 : freedom);
}

/*
 * Least squares of y = b0 + b1 cos + b2 sin, or of y = b0. Returns the variance of b0 in units of
 * that of y; 0: it cannot be solved.
 */
static double fit_daily(const struct growth_point *points, size_t count, size_t terms,
			double solution[3])
{
	double matrix[3][5] = { { 0 } };

	for (size_t i = 0; i < count; i++) {
		double angle = 2 * M_PI * points[i].hour / HOURS_OF_DAY;
		double row[3] = { 1, cos(angle), sin(angle) };

		for (size_t j = 0; j < terms; j++) {
			for (size_t k = 0; k < terms; k++)
				matrix[j][k] += row[j] * row[k];
			matrix[j][3] += row[j] * points[i].rate;
		}
	}
	matrix[0][4] = 1; /* the first column of the inverse */
	for (size_t i = 0; i < terms; i++) {
		if (fabs(matrix[i][i]) < 1e-6)
			return 0;
		for (size_t j = 0; j < terms; j++) {
			double factor = matrix[j][i] / matrix[i][i];

			for (size_t k = 0; j != i && k < 5; k++)
				matrix[j][k] -= factor * matrix[i][k];
		}
	}
	for (size_t i = 0; i < terms; i++)
		solution[i] = matrix[i][3] / matrix[i][i];
	return matrix[0][4] / matrix[0][0];
}

static double daily_part(const struct growth_point *point, const double solution[3])
{
	double angle = 2 * M_PI * point->hour / HOURS_OF_DAY;

	return solution[1] * cos(angle) + solution[2] * sin(angle);
}

bool statistics_growth(const struct growth_point *points, size_t count, struct growth_fit *fit)
{
	double squares = 0, products = 0, before = 0, early = 0, late = 0, solution[3] = { 0 };
	double freedom, variance, correlation, error;
	size_t terms;

	if (count < GROWTH_POINTS_MIN)
		return false;
	fit->is_daily = count >= DAILY_POINTS_MIN &&
			points[count - 1].hour - points[0].hour >= DAILY_HOURS_MIN;
	terms = fit->is_daily ? 3 : 1;
	variance = fit_daily(points, count, terms, solution);
	if (variance <= 0)
		return false;
	freedom = (double)(count - terms);
	for (size_t i = 0; i < count; i++) {
		double rest = points[i].rate - daily_part(&points[i], solution) - solution[0];

		squares += rest * rest;
		products += i ? rest * before : 0;
		before = rest;
		if (i < count / 2)
			early += points[i].rate;
		else if (i >= count - count / 2)
			late += points[i].rate;
	}
	fit->rate = solution[0];
	fit->lasts = late >= LASTING * early;
	correlation = squares > 0 ? products / squares : 0;
	if (correlation > CORRELATION_MAX)
		correlation = CORRELATION_MAX;
	if (correlation > 0)
		variance *= (1 + correlation) / (1 - correlation);
	error = sqrt(variance * squares / freedom);
	if (error < FLAT * fabs(fit->rate))
		error = FLAT * fabs(fit->rate);
	fit->probability = 1;
	if (fit->rate > 0)
		fit->probability = student_two_sided(fit->rate / error, freedom) / 2;
	return true;
}

static double log_choose(size_t count, size_t chosen)
{
	return lgamma((double)count + 1) - lgamma((double)chosen + 1) -
	       lgamma((double)(count - chosen) + 1);
}

double statistics_fisher(size_t with_hits, size_t with_count, size_t hits, size_t count)
{
	size_t most = hits < with_count ? hits : with_count;
	double probability = 0;

	for (size_t n = with_hits; n <= most; n++) {
		if (hits - n > count - with_count)
			continue;
		probability +=
			exp(log_choose(with_count, n) + log_choose(count - with_count, hits - n) -
			    log_choose(count, hits));
	}
	return probability < 1 ? probability : 1;
}

double statistics_fisher_pairs(const struct hits *hits)
{
	size_t pairs = hits->pairs_with + hits->pairs_without;
	size_t all = hits->with_hits + hits->pairs_with;
	double probability = 0;

	for (size_t n = 0; n <= pairs; n++) {
		size_t least = all > n ? all - n : 0;

		probability += exp(log_choose(pairs, n) - (double)pairs * M_LN2) *
			       statistics_fisher(least, hits->with_count, hits->hits, hits->count);
	}
	return probability < 1 ? probability : 1;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

void statistics_rank(struct rank_sum *sum, struct ranked *values, size_t count)
{
	double total = (double)count, with = 0, ranks = 0, ties = 0;

	if (count < 2)
		return;
	qsort(values, count, sizeof(*values), compare_ranked);
	for (size_t i = 0, end; i < count; i = end) {
		double equal;

		for (end = i + 1; end < count && values[end].value <= values[i].value;)
			end++;
		equal = (double)(end - i);
		ties += equal * equal * equal - equal;
		for (size_t j = i; j < end; j++) {
			with += values[j].with;
			ranks += values[j].with ? ((double)i + 1 + (double)end) / 2 : 0;
		}
	}
	sum->difference += ranks - with * (total + 1) / 2;
	sum->variance += with * (total - with) / 12 * (total + 1 - ties / (total * (total - 1)));
}

double statistics_rank_probability(const struct rank_sum *sum)
{
	double distance = fabs(sum->difference) - 0.5; /* the correction for continuity */

	if (sum->variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * sum->variance));
}
