/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields: every value that an event, its object or its task has. The manual, the help and the
 * views take names, types and definitions from this table.
 */
#ifndef ANALYSIS_FIELDS_FIELD_TABLE_H
#define ANALYSIS_FIELDS_FIELD_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "analysis/fields/values.h"
#include "kernel/ring.h"

struct event_field {
	const char *name;
	const char *aliases; /* other names, separated by commas; or "" */
	enum value_type type;
	bool is_word;	      /* a text for people escapes its spaces */
	bool at_allocation;   /* an allocation event has it: it selects and groups objects */
	const char *events;   /* the events that have it */
	const char *legend;   /* its definition */
	const char *captures; /* when a capture does not have it, or ""  */
	value_getter *get;
	uint32_t parts; /* that it is computed from: enum kmt_count_part, and those below */
};

#define COUNTED_CPU (1U << 16)	    /* of each count in the kernel */
#define COUNTED_NO_FREES (1U << 17) /* not known of a free: only its object has the value */
#define FIELD_OF_SAMPLES (1U << 19) /* only sampled allocations have it */
#define FIELD_OF_TASK (1U << 20)    /* in an interrupt it is null, or the context */
#define COUNTED_NEVER (1U << 18)    /* it needs the object's history, its address or the time */

/* Can a number, or a number of bytes, be negative? */
static inline bool event_field_may_be_negative(const struct event_field *field)
{
	return field->get == value_get_length;
}

extern const struct event_field event_fields[];
extern const size_t event_field_count;

const char *event_field_name(size_t index); /* NULL after the last */

/* The field of this name or alias of length characters, or NULL. */
const struct event_field *event_field_find(const char *name, size_t length);

/* Adds the names of the fields that an allocation has to the text: "name, ptr, ...". */
void event_field_list_at_allocation(char *buffer, size_t size);

/* ": did you mean NAME?", or "" if no name is near. Returns buffer. */
const char *event_field_suggest(const char *name, char *buffer, size_t size);

/* The list of all fields, for people; and as the table of a manual in mdoc(7). */
void event_field_list(FILE *file);
void event_field_list_mdoc(FILE *file);

#endif
