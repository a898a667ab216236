/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Views: each makes one table of what the pass over a capture found. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "report/table.h"
#include "trace/analysis.h"
#include "trace/capture.h"

struct view {
	const char *name;
	const char *sentence;
	/* 0 or -ENOMEM; the caller deinits the table in any case. */
	int (*make)(struct table *table, const struct capture *capture,
		    const struct analysis *analysis);
};

/* A row for each call site that allocates. */
int view_sites(struct table *table, const struct capture *capture, const struct analysis *analysis);

#endif
