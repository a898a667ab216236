/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Student's distribution of t. */
#ifndef REPORT_DIFF_STUDENT_H
#define REPORT_DIFF_STUDENT_H

/* The probability that |t| is larger, with so many degrees of freedom (1 or more). */
double student_two_sided(double t, double freedom);

/* The t that |t| exceeds with this probability, from 1e-300 to 1. */
double student_quantile(double probability, double freedom);

#endif
