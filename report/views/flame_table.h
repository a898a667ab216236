/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The view flame, of a capture or of summaries: its title, its header, and its table, a tree. */
#ifndef REPORT_VIEWS_FLAME_TABLE_H
#define REPORT_VIEWS_FLAME_TABLE_H

#include "analysis/estimate.h"
#include "report/render/header.h"
#include "report/views/view.h"

extern const struct column_choice flame_columns[];

/*
 * Adds the table of report->flame, whose paths are sorted. In a text, functions that follow each
 * other with the same bytes share a row, and functions with few bytes are added up. margin: of each
 * interval. 0 or -ENOMEM.
 */
int flame_table(struct report *report, struct estimate_margin margin);

/* The title for people. by: the frames, as text. A new string, or NULL: no memory. */
char *flame_make_title(const struct flame *flame, const char *by);

/* Adds the section and the line of report->flame to a header. 0 or -ENOMEM. */
int flame_add_header(const struct report *report, struct header *header, const char *by,
		     bool has_stacks);

#endif
