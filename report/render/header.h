/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of a report: the same information once as named values in sections, for programs,
 * and once as lines, for people.
 */
#ifndef REPORT_RENDER_HEADER_H
#define REPORT_RENDER_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/render/table.h"

enum field_type {
	FIELD_TEXT,
	FIELD_NUMBER,
	FIELD_DECIMAL,
	FIELD_BOOL,
	FIELD_TABLE,
	FIELD_LIST,    /* a table of one column */
	FIELD_TIME,    /* ns, may be negative */
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
	bool is_last;	       /* a text prints it below the tables */
	const uint64_t *curve; /* a text shows these numbers as a picture; or NULL */
	size_t curve_count;
};

#define HEADER_SECTIONS 6
#define HEADER_FIELDS 100

/* All zero is an empty header. It must not be moved. */
struct header {
	struct section sections[HEADER_SECTIONS];
	size_t section_count;
	struct field fields[HEADER_FIELDS]; /* of all sections, one after the other */
	size_t field_count;
	struct header_line *lines;
	size_t line_count;
};

void header_deinit(struct header *header);

/* Begins the next section. The fields that are added next belong to it. */
void header_add_section(struct header *header, const char *key);

/*
 * Each adds a field; the first one's value is set by the caller. No text (NULL) and CELL_UNKNOWN in
 * header_add_nullable() are null in JSON. Texts and tables must outlive the header.
 */
struct field *header_add_field(struct header *header, const char *key, enum field_type type);
void header_add_number(struct header *header, const char *key, uint64_t number);
void header_add_nullable(struct header *header, const char *key, uint64_t number);
void header_add_text(struct header *header, const char *key, const char *text);
void header_add_bool(struct header *header, const char *key, bool truth);

/* A line without a text, which the caller sets, or NULL: no memory. Valid until the next. */
struct header_line *header_new_line(struct header *header, const char *label, bool warning);

/* Adds a line. 0 or -ENOMEM. */
__attribute__((format(printf, 4, 5))) int header_add_line(struct header *header, const char *label,
							  bool warning, const char *format, ...);

/* Adds a line with the cells of a table of one column: "before a, b, c after". 0 or -ENOMEM. */
int header_add_list_line(struct header *header, const char *label, bool warning, const char *before,
			 const struct table *list, const char *after);

#endif
