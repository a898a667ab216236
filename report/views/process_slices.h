/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process events of a time slice: page faults, bytes that mmap and brk requested, OOM kills. */
#ifndef REPORT_VIEWS_PROCESS_SLICES_H
#define REPORT_VIEWS_PROCESS_SLICES_H

#include "report/views/view.h"

struct process_slice {
	uint64_t minor_faults, major_faults, oom_kills;
	int64_t mmap_bytes, brk_bytes; /* the least or largest number if it overflows */
	bool brk_is_unknown;	       /* of an event: the kernel did not say its length */
};

void process_slice_count(struct process_slice *slice, const struct event *event);
void process_slice_add(struct process_slice *sum, const struct process_slice *slice);

/* Fills in the cells of the last row, unknown if the analysis has no such events. */
void process_slice_cells(const struct process_slice *slice, const struct analysis *analysis,
			 struct table *table);

#endif
