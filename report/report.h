/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One report: the pass over a capture for one view, and what is printed of it. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/options.h"
#include "report/views/view.h"

/* The sort keys, before a long pass is made in vain. 0, or -errno with a sentence printed. */
int report_check_sort(const struct options *options);

/* Prints the report of the capture; returns the exit status. */
int report_print(const struct options *options, struct capture *capture);

#endif
