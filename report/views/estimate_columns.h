/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last columns of a table of estimates: their intervals, and the samples behind them. */
#ifndef REPORT_VIEWS_ESTIMATE_COLUMNS_H
#define REPORT_VIEWS_ESTIMATE_COLUMNS_H

#include "analysis/estimate.h"
#include "report/views/view.h"

/* The figures of a row. */
struct estimate_figures {
	uint64_t allocations, allocated, live_objects, live;
	bool orders_by_live; /* the text shows the interval of live, not of allocated */
};

/* Adds the columns of estimates, if the report has them. */
void estimate_add_columns(const struct report *report, struct table *table);

/* The error of the table is that of the live bytes, not of the allocated bytes. */
void estimate_of_live(struct table *table);

/* Fills the estimates' cells of the last row; nothing without estimates. */
void estimate_set_cells(const struct report *report, struct table *table,
			const struct estimate_figures *figures, const struct variance *variance);

/* The same for the figures of a group. */
void estimate_set_group(const struct report *report, struct table *table, const struct group *group,
			bool orders_by_live);

#define NO_STACKS "the capture has no stacks: record them with kmemtraced --stacks"

/* Adds the section of the header, if the report has estimates. */
void estimate_add_header(const struct report *report, struct header *header);

/* Adds the lines of estimates, or why a field of samples has no value. 0 or -ENOMEM. */
int estimate_add_lines(const struct report *report, struct header *header);

#endif
