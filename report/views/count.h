/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The view count: its state, and what its two tables share. */
#ifndef REPORT_VIEWS_COUNT_H
#define REPORT_VIEWS_COUNT_H

#include "analysis/fields/aggregate.h"
#include "report/views/value_cells.h"
#include "report/views/view.h"

struct count {
	struct report *report;
	struct value_source source;
	struct aggregate aggregate;
};

/* Adds the table of the histograms of all groups. 0 or -ENOMEM. */
int count_add_histogram(struct report *report, struct count *count);

/*
 * Adds the numbers of events that were counted and that were not, from report->counted and
 * excluded. 0 or -ENOMEM.
 */
int count_add_header(const struct report *report, struct header *header);

/* Is the figure a lower bound, since events are missing? */
bool count_is_bound(const struct report *report);

#endif
