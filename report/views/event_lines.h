/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows written while they come, as fast as they come: as text, lines of JSON, or CSV. */
#ifndef REPORT_VIEWS_EVENT_LINES_H
#define REPORT_VIEWS_EVENT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/views/event_names.h"
#include "report/views/view.h"

enum event_column {
	EVENT_TIME,
	EVENT_CPU,
	EVENT_TID,
	EVENT_PID,
	EVENT_COMM, /* in a text the task */
	EVENT_EVENT,
	EVENT_FATE,
	EVENT_RESCUED,
	EVENT_POINTER,
	EVENT_REQUESTED,
	EVENT_ALLOCATED,
	EVENT_CACHE,
	EVENT_GFP,
	EVENT_NODE,
	EVENT_SITE,
	EVENT_AGE,
	EVENT_ALLOC_SITE,
	EVENT_MISSED_SITE,
	EVENT_COLUMNS
};

enum event_value_type {
	EVENT_NOTHING, /* null in JSON; not in a text */
	EVENT_NUMBER,
	EVENT_HEX,
	EVENT_BOOL,
	EVENT_TEXT, /* not in a text if it is empty */
};

struct event_value {
	enum event_value_type type;
	union {
		int64_t number;
		uint64_t hex;
		bool truth;
		struct quoted text; /* the caller's */
	};
};

#define EVENT_LINES_SPACE 65536

struct event_lines {
	FILE *file;
	enum output_format format;
	bool counts_events; /* what stands for times are numbers of events */
	int err;	    /* -errno of the first write that failed: nothing is written after it */
	size_t used;
	char space[EVENT_LINES_SPACE];
};

void event_lines_init(struct event_lines *lines, FILE *file, enum output_format format,
		      bool counts_events);

/* The line of CSV that names the columns; nothing in the other formats. */
void event_lines_head(struct event_lines *lines);
void event_lines_row(struct event_lines *lines, const struct event_value *row);

/* 0, or the -errno of what failed. */
int event_lines_flush(struct event_lines *lines);

#endif
