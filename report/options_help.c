// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names of the fields and functions in --help. */
#include "config.h"

#include <string.h>

#include "analysis/fields/field_table.h"
#include "analysis/fields/function_table.h"
#include "report/options.h"

#define LINE_MAX_COLUMNS 78

/* Adds the name and the characters behind it to a line of names, or begins the next line. */
static void put_name(FILE *file, size_t *width, const char *name, const char *end)
{
	size_t length = 1 + strlen(name) + strlen(end);

	*width += length;
	if (*width > LINE_MAX_COLUMNS) {
		fputs("\n ", file);
		*width = 1 + length;
	}
	fprintf(file, " %s%s", name, end);
}

void options_help_fields(FILE *file)
{
	size_t width = LINE_MAX_COLUMNS;

	fputs("\nFields of events (--list-fields defines them):", file);
	for (size_t i = 0; i < event_field_count; i++)
		put_name(file, &width, event_fields[i].name, "");
	fputs("\n\nFunctions of expressions (--functions defines them):", file);
	width = LINE_MAX_COLUMNS;
	for (size_t i = 0; i < event_function_count; i++)
		put_name(file, &width, event_functions[i].name, "()");
}
