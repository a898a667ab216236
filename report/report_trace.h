/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A capture over time, for the viewers of traces: Perfetto, and about:tracing of Chromium. */
#ifndef REPORT_REPORT_TRACE_H
#define REPORT_REPORT_TRACE_H

#include "report/options.h"

/* Prints it; returns the exit status. */
int report_trace(const struct report_options *options, struct capture *capture);

#endif
