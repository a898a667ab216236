// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * P(|t| > x) is the regularized incomplete beta function I(f / (f + x^2); f / 2, 1 / 2), by its
 * continued fraction (Abramowitz and Stegun 1964, 26.7.1 and 26.5.8), evaluated from its begin by
 * the method of Lentz.
 */
#include "config.h"

#include <math.h>

#include "report/diff/student.h"

#define TERMS_MAX 1000
#define PRECISE 1e-13
#define TINY 1e-300

static double not_zero(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

/* The coefficient of the continued fraction with this number, from 1. */
static double compute_coefficient(unsigned int number, double a, double b, double x)
{
	double m = number / 2;

	if (number % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))). Converges fast for x below (a + 1) / (a + b + 2). */
static double compute_fraction(double a, double b, double x)
{
	double value = 1, c = 1, d = 0;

	for (unsigned int number = 1; number < TERMS_MAX; number++) {
		double term = compute_coefficient(number, a, b, x);

		d = 1 / not_zero(1 + term * d);
		c = not_zero(1 + term / c);
		value *= c * d;
		if (fabs(c * d - 1) < PRECISE)
			break;
	}
	return 1 / value;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * compute_fraction(a, b, x) / a;
	return 1 - front * compute_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double probability, double freedom)
{
	double low = 0, high = 1;

	while (student_two_sided(high, freedom) > probability && high < 1e150)
		high *= 2;
	for (unsigned int i = 0; i < 80 && high - low > high * PRECISE; i++) {
		double middle = (low + high) / 2;

		if (student_two_sided(middle, freedom) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}
