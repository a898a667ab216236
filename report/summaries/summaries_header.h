/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header of a report on summaries: which they are, what is missing, and the totals. */
#ifndef REPORT_SUMMARIES_SUMMARIES_HEADER_H
#define REPORT_SUMMARIES_SUMMARIES_HEADER_H

#include "report/render/header.h"
#include "report/render/table.h"
#include "report/summaries/later_hosts.h"
#include "report/summaries/tables.h"

struct summaries_header {
	struct header header; /* for the renderer */
	struct table hosts, filters;
	char begin[40], end[40], live_at[40], later_until[40];
	struct later_hosts later;
	struct summary_counts total;
	bool is_bound; /* live objects */
};

/* by: the groups as text; NULL: none. The others must outlive the header. 0 or -ENOMEM. */
int summaries_header_init(struct summaries_header *header, const struct report *report,
			  const struct summaries_view *view, const char *by);
void summaries_header_deinit(struct summaries_header *header); /* all zero is allowed */

#endif
