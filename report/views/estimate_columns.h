/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last columns of a table of estimates: their intervals, and the samples behind them. */
#ifndef REPORT_VIEWS_ESTIMATE_COLUMNS_H
#define REPORT_VIEWS_ESTIMATE_COLUMNS_H

#include "analysis/estimate.h"
#include "report/views/view.h"

enum estimate_column {
	ESTIMATE_SAMPLES,
	ESTIMATE_ERROR,
	ESTIMATE_ALLOCATIONS_LOW,
	ESTIMATE_ALLOCATIONS_HIGH,
	ESTIMATE_ALLOCATED_LOW,
	ESTIMATE_ALLOCATED_HIGH,
	ESTIMATE_OBJECTS_LOW,
	ESTIMATE_OBJECTS_HIGH,
	ESTIMATE_LIVE_LOW,
	ESTIMATE_LIVE_HIGH,
	ESTIMATE_COLUMNS
};

/* figure: the one of which the text shows the interval. */
#define ESTIMATE_COLUMN_ROWS(first, figure)                                                        \
	[(first) +                                                                                 \
		ESTIMATE_SAMPLES] = { "samples", "samples",	     "",  COLUMN_NUMBER,           \
				      0,	 COLUMN_NOT_IN_TEXT, NULL },                       \
		[(first) +                                                                         \
			ESTIMATE_ERROR] = { "error_percent",                                       \
					    "+-",                                                  \
					    "%",                                                   \
					    COLUMN_DECIMAL,                                        \
					    0,                                                     \
					    COLUMN_ALWAYS,                                         \
					    "the true " figure                                     \
					    " is this near to the estimate, in 95 of 100 cases" }, \
		[(first) + ESTIMATE_ALLOCATIONS_LOW] = { "allocations_low",                        \
							 "allocs",                                 \
							 "low",                                    \
							 COLUMN_NUMBER,                            \
							 0,                                        \
							 COLUMN_NOT_IN_TEXT,                       \
							 NULL },                                   \
		[(first) + ESTIMATE_ALLOCATIONS_HIGH] = { "allocations_high",                      \
							  "allocs",                                \
							  "high",                                  \
							  COLUMN_NUMBER,                           \
							  0,                                       \
							  COLUMN_NOT_IN_TEXT,                      \
							  NULL },                                  \
		[(first) + ESTIMATE_ALLOCATED_LOW] = { "bytes_allocated_low",                      \
						       "allocated",                                \
						       "low",                                      \
						       COLUMN_NUMBER,                              \
						       0,                                          \
						       COLUMN_NOT_IN_TEXT,                         \
						       NULL },                                     \
		[(first) + ESTIMATE_ALLOCATED_HIGH] = { "bytes_allocated_high",                    \
							"allocated",                               \
							"high",                                    \
							COLUMN_NUMBER,                             \
							0,                                         \
							COLUMN_NOT_IN_TEXT,                        \
							NULL },                                    \
		[(first) + ESTIMATE_OBJECTS_LOW] = { "live_objects_low",                           \
						     "live",                                       \
						     "low",                                        \
						     COLUMN_NUMBER,                                \
						     0,                                            \
						     COLUMN_NOT_IN_TEXT,                           \
						     NULL },                                       \
		[(first) + ESTIMATE_OBJECTS_HIGH] = { "live_objects_high",                         \
						      "live",                                      \
						      "high",                                      \
						      COLUMN_NUMBER,                               \
						      0,                                           \
						      COLUMN_NOT_IN_TEXT,                          \
						      NULL },                                      \
		[(first) + ESTIMATE_LIVE_LOW] = { "live_bytes_low",                                \
						  "live",                                          \
						  "low",                                           \
						  COLUMN_NUMBER,                                   \
						  0,                                               \
						  COLUMN_NOT_IN_TEXT,                              \
						  NULL },                                          \
		[(first) + ESTIMATE_LIVE_HIGH] = {                                                 \
			"live_bytes_high",  "live", "high", COLUMN_NUMBER, 0,                      \
			COLUMN_NOT_IN_TEXT, NULL                                                   \
		}

/* The figures of a row. */
struct estimate_figures {
	uint64_t allocations, allocated, live_objects, live;
	bool orders_by_live; /* the text shows the interval of live, not of allocated */
};

/* The columns of a table: count, and the estimates' if the report has them. */
static inline size_t estimate_column_count(const struct report *report, size_t count)
{
	return report->settings.estimate ? count + ESTIMATE_COLUMNS : count;
}

/* Fills the estimates' cells of a row, from the first one on; nothing without estimates. */
void estimate_set_cells(const struct report *report, struct cell *first,
			const struct estimate_figures *figures, const struct variance *variance);

#define NO_STACKS "the capture has no stacks: record them with kmemtraced --stacks"

/* Of a profile: all its events, by the counters of the programs. */
struct status_counted estimate_counted(const struct status *status);

/* Adds the section of the header, if the report has estimates. */
void estimate_add_header(const struct report *report, struct header *header);

/* Adds the lines of estimates, or why a field of samples has no value. 0 or -ENOMEM. */
int estimate_add_lines(const struct report *report, struct header *header);

#endif
