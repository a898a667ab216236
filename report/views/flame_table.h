/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of the view flame: the tree of the functions on all paths. */
#ifndef REPORT_VIEWS_FLAME_TABLE_H
#define REPORT_VIEWS_FLAME_TABLE_H

#include "analysis/estimate.h"
#include "report/views/view.h"

extern const struct column_choice flame_columns[];

/*
 * Adds the table of report->flame, whose paths are sorted. In a text, functions that follow each
 * other with the same bytes share a row, and functions with few bytes are added up. margin: of each
 * interval. 0 or -ENOMEM.
 */
int flame_table(struct report *report, struct estimate_margin margin);

#endif
