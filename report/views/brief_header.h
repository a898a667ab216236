/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of a text in at most five lines: what was captured and for how long, what makes its
 * figures uncertain, and the totals. The option -v prints all lines instead:
 * capture_header_lines.c.
 */
#ifndef REPORT_VIEWS_BRIEF_HEADER_H
#define REPORT_VIEWS_BRIEF_HEADER_H

#include "report/views/capture_header.h"

/* 0 or -ENOMEM. */
int brief_header_add(struct capture_header *header, const struct report *report);

#endif
