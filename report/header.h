/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What stands above every view: what was captured, when, how completely, what was lost, and the
 * totals. Once as named values and once as lines for people.
 */
#ifndef REPORT_HEADER_H
#define REPORT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/table.h"
#include "trace/analysis.h"
#include "trace/capture.h"

enum field_type {
	FIELD_TEXT,
	FIELD_NUMBER,
	FIELD_DECIMAL,
	FIELD_BOOL,
	FIELD_TABLE,
	FIELD_LIST,    /* a table of one column */
	FIELD_UNKNOWN, /* no value */
};

struct field {
	const char *key;
	enum field_type type;
	union {
		const char *text;
		uint64_t number;
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

#define HEADER_SECTIONS 3 /* capture, loss, totals */

struct header {
	struct section sections[HEADER_SECTIONS];
	size_t section_count;
	struct field fields[48]; /* of all sections, one after the other */
	size_t field_count;
	char start[40];
	struct table cpus, unobserved, wanted;
	struct header_line *lines;
	size_t line_count;
	double loss_percent; /* lost and skipped events of all that were seen */
};

/* capture and analysis must outlive the header, which must not be moved. 0 or -ENOMEM. */
int header_init(struct header *header, const struct capture *capture,
		const struct analysis *analysis);
void header_deinit(struct header *header);

/* ISO-8601 in UTC with nanoseconds, from the ns since 1970. */
void header_utc_text(uint64_t ns, char *text, size_t size);

#endif
