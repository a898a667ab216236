/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What stands above every view: what was captured, when, how completely, what was lost, and the
 * totals. Once as named values and once as lines for people.
 */
#ifndef REPORT_RENDER_HEADER_H
#define REPORT_RENDER_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/render/table.h"

struct report;

enum field_type {
	FIELD_TEXT,
	FIELD_NUMBER,
	FIELD_DECIMAL,
	FIELD_BOOL,
	FIELD_TABLE,
	FIELD_LIST,    /* a table of one column */
	FIELD_TIME,    /* ns since the capture's begin */
	FIELD_UNKNOWN, /* no value */
};

struct field {
	const char *key;
	enum field_type type;
	union {
		const char *text;
		uint64_t number;
		int64_t time;
		double decimal;
		bool truth;
		const struct table *table;
	};
};

struct section {
	const char *key;
	const struct field *fields;
	size_t count;
};

struct header_line {
	const char *label; /* "": belongs to the line above */
	char *text;
	bool warning;
};

#define HEADER_SECTIONS 4 /* report, capture, loss, totals */
#define HEADER_FIELDS 64

struct header {
	struct section sections[HEADER_SECTIONS];
	size_t section_count;
	struct field fields[HEADER_FIELDS]; /* of all sections, one after the other */
	size_t field_count;
	char start[40];
	const char *state; /* "complete", "repaired", "running", "cut-off" or "unknown" */
	uint64_t duration; /* ns */
	struct table cpus, unobserved, wanted, filters;
	struct header_line *lines;
	size_t line_count;
	double loss_percent; /* lost, skipped and unknown events of all that were seen */
};

/* The report must outlive the header, which must not be moved. 0 or -ENOMEM. */
int header_init(struct header *header, const struct report *report);
void header_deinit(struct header *header);

/* For header_init(): the lines, once all else is there. 0 or -ENOMEM. */
int header_add_lines(struct header *header, const struct report *report);

/* ISO-8601 in UTC with nanoseconds, from the ns since 1970. */
void header_utc_text(uint64_t ns, char *text, size_t size);

#endif
