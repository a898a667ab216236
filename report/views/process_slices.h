/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process events of a time slice: page faults, growth of the address spaces, OOM kills. */
#ifndef REPORT_VIEWS_PROCESS_SLICES_H
#define REPORT_VIEWS_PROCESS_SLICES_H

#include "report/views/view.h"

enum process_slice_column {
	PROCESS_MINOR_FAULTS,
	PROCESS_MAJOR_FAULTS,
	PROCESS_MMAP_GROWTH,
	PROCESS_BRK_GROWTH,
	PROCESS_OOM_KILLS,
	PROCESS_SLICE_COLUMNS
};

/* Their columns in a table, from a number on. */
#define PROCESS_SLICE_COLUMNS_AT(first)                                                            \
	[(first) +                                                                                 \
		PROCESS_MINOR_FAULTS] = { "minor_faults",                                          \
					  "minor",                                                 \
					  "faults",                                                \
					  COLUMN_NULLABLE,                                         \
					  0,                                                       \
					  COLUMN_IN_TEXT_IF_USED,                                  \
					  "page faults that needed no disk, of processes and "     \
					  "of the kernel in their memory" },                       \
		[(first) + PROCESS_MAJOR_FAULTS] = { "major_faults",                               \
						     "major",                                      \
						     "faults",                                     \
						     COLUMN_NULLABLE,                              \
						     0,                                            \
						     COLUMN_IN_TEXT_IF_USED,                       \
						     "page faults that waited for a page from a "  \
						     "disk" },                                     \
		[(first) +                                                                         \
			PROCESS_MMAP_GROWTH] = { "mmap_growth_bytes",                              \
						 "mmap",                                           \
						 "growth",                                         \
						 COLUMN_SIGNED,                                    \
						 0,                                                \
						 COLUMN_IN_TEXT_IF_USED,                           \
						 "bytes that processes requested with mmap, less " \
						 "those of munmap; calls that fail count too" },   \
		[(first) + PROCESS_BRK_GROWTH] = { "brk_growth_bytes",                             \
						   "brk",                                          \
						   "growth",                                       \
						   COLUMN_SIGNED,                                  \
						   0,                                              \
						   COLUMN_IN_TEXT_IF_USED,                         \
						   "bytes by which processes requested that "      \
						   "their heaps "                                  \
						   "grow; negative: shrink; calls that fail "      \
						   "count too" },                                  \
		[(first) + PROCESS_OOM_KILLS] = {                                                  \
			"oom_kills",                                                               \
			"OOM",                                                                     \
			"kills",                                                                   \
			COLUMN_NULLABLE,                                                           \
			0,                                                                         \
			COLUMN_IN_TEXT_IF_USED,                                                    \
			"processes that the kernel killed for lack of memory; "                    \
			"by the task that found the lack"                                          \
		}

struct process_slice {
	uint64_t minor_faults, major_faults, oom_kills;
	int64_t mmap_growth, brk_growth; /* bytes; the least or largest number if it overflows */
	bool brk_is_unknown;		 /* of an event: the kernel did not say its length */
};

void process_slice_count(struct process_slice *slice, const struct event *event);
void process_slice_add(struct process_slice *sum, const struct process_slice *slice);

/* Fills in the cells, unknown if the analysis has no such events. */
void process_slice_cells(const struct process_slice *slice, const struct analysis *analysis,
			 struct cell *cells);

#endif
