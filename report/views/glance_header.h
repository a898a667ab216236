/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines that only the summary on one screen has: see report.is_glance. */
#ifndef REPORT_VIEWS_GLANCE_HEADER_H
#define REPORT_VIEWS_GLANCE_HEADER_H

#include "report/views/capture_header.h"

/* For capture_header_add_lines(). 0 or -ENOMEM. */
int glance_header_add(struct capture_header *header, const struct report *report);

#endif
