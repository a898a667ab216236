/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of every report: what was captured, when, how completely, what was lost, and the
 * totals.
 */
#ifndef REPORT_VIEWS_CAPTURE_HEADER_H
#define REPORT_VIEWS_CAPTURE_HEADER_H

#include <stdint.h>

#include "analysis/missing.h"
#include "report/render/header.h"
#include "report/render/table.h"
#include "report/views/view.h"

struct capture_header {
	struct header header; /* for the renderer */
	struct table cpus, unobserved, traced_pids, filters, probes;
	bool no_slab; /* no slab events were recorded */
	char start[40];
	const char *state; /* "complete", "repaired", "running", "cut-off" or "unknown" */
	uint64_t duration; /* ns; if the sequence number is the clock: a number of events */
	struct missing missing;
};

/* The report must outlive the header, which must not be moved. 0 or -ENOMEM. */
int capture_header_init(struct capture_header *header, const struct report *report);
void capture_header_deinit(struct capture_header *header);

/* For capture_header_init(): adds the lines when all other fields are set. 0 or -ENOMEM. */
int capture_header_add_lines(struct capture_header *header, const struct report *report);

/* The same: adds the lines about the filters, if there are any. */
int capture_header_add_filters(struct capture_header *header, const struct report *report);

/* Lists of the paths that are not observed, and of the processes that alone were traced. 0 or
 * -ENOMEM. */
int status_lists_init(struct table *unobserved, struct table *traced_pids,
		      const struct status *status);

#endif
