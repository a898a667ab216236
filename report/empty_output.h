/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A message if the output for a program has no row, since a program does not see why. */
#ifndef REPORT_EMPTY_OUTPUT_H
#define REPORT_EMPTY_OUTPUT_H

#include "report/options.h"

/*
 * After the output. A text says it itself; an empty list of findings, or of unobserved growth, is
 * an answer.
 */
void say_empty_output(const struct report_options *options, const struct report *report);

#endif
