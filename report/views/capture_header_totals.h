/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of the header with the totals, for capture_header_lines.c. */
#ifndef REPORT_VIEWS_CAPTURE_HEADER_TOTALS_H
#define REPORT_VIEWS_CAPTURE_HEADER_TOTALS_H

#include "report/views/capture_header.h"

/* 0 or -ENOMEM. */
int totals_add_lines(struct capture_header *header, const struct report *report);

#define HEADER_TIME 48

/* Time since the begin of the capture: "1.250000 s", or "event 7". */
const char *header_time(const struct capture *capture, uint64_t ns, char text[HEADER_TIME]);

#endif
