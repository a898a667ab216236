/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions and the named constants of expressions. The parser checks calls by this table; the
 * manual and --functions are made from it.
 */
#ifndef ANALYSIS_FIELDS_FUNCTION_TABLE_H
#define ANALYSIS_FIELDS_FUNCTION_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "analysis/fields/values.h"

#define FUNCTION_ARGUMENTS_MAX 2

struct function_argument {
	const char *name; /* NULL: behind the last one */
	/* VALUE_NUMBER; or VALUE_BYTES or VALUE_ADDRESS, which take a number, too */
	enum value_type type;
};

struct event_function {
	const char *name;
	struct function_argument arguments[FUNCTION_ARGUMENTS_MAX];
	enum value_type type;
	const char *legend;   /* its definition */
	const char *captures; /* when it is null, or "" */
	/* Each argument is known. */
	struct value (*call)(struct value_source *source, const struct transition *transition,
			     const struct value *arguments);
};

extern const struct event_function event_functions[];
extern const size_t event_function_count;

size_t event_function_arity(const struct event_function *function);

/* The function whose name has these length characters, or NULL. */
const struct event_function *event_function_find(const char *name, size_t length);

/* ": did you mean NAME()?", or "" if no name is near. Returns buffer. */
const char *event_function_suggest(const char *name, char *buffer, size_t size);

/* The value of a constant such as VM_FAULT_MINOR, or null. */
struct value named_constant_find(const char *name, size_t length);

/* The list of all functions and constants, for people; and as a list of a manual in mdoc(7). */
void event_function_list(FILE *file);
void event_function_list_mdoc(FILE *file);

#endif
