/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One report: one view of a capture, printed in one format. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/options.h"
#include "report/views/view.h"

/* Checks --by, the sort keys and -F before a long analysis. 0, or -errno after a message. */
int report_check_columns(const struct options *options);

/* Prints the report of the capture; returns the exit status. */
int report_print(const struct options *options, struct capture *capture);

#endif
