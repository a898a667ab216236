/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The report of the view diff: two captures, read one after the other, and their changes. */
#ifndef REPORT_DIFF_REPORT_H
#define REPORT_DIFF_REPORT_H

#include "report/options.h"

/* Prints the comparison of options->input with options->second; returns the exit status. */
int diff_print(const struct report_options *options);

#endif
