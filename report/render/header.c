// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Headers: sections of fields, and lines. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/render/header.h"

void header_deinit(struct header *header)
{
	for (size_t i = 0; i < header->line_count; i++)
		free(header->lines[i].text);
	free(header->lines);
	header->lines = NULL;
	header->line_count = 0;
}

void header_add_section(struct header *header, const char *key)
{
	struct section *section = &header->sections[header->section_count++];

	section->key = key;
	section->fields = header->fields + header->field_count;
}

struct field *header_add_field(struct header *header, const char *key, enum field_type type)
{
	struct field *field = &header->fields[header->field_count++];

	header->sections[header->section_count - 1].count++;
	field->key = key;
	field->type = type;
	return field;
}

void header_add_number(struct header *header, const char *key, uint64_t number)
{
	header_add_field(header, key, FIELD_NUMBER)->number = number;
}

void header_add_nullable(struct header *header, const char *key, uint64_t number)
{
	header_add_field(header, key, number == CELL_UNKNOWN ? FIELD_UNKNOWN : FIELD_NUMBER)
		->number = number;
}

void header_add_text(struct header *header, const char *key, const char *text)
{
	header_add_field(header, key, text ? FIELD_TEXT : FIELD_UNKNOWN)->text = text;
}

void header_add_bool(struct header *header, const char *key, bool truth)
{
	header_add_field(header, key, FIELD_BOOL)->truth = truth;
}

struct header_line *header_new_line(struct header *header, const char *label, bool warning)
{
	struct header_line *lines =
		realloc(header->lines, (header->line_count + 1) * sizeof(*lines));
	struct header_line *line;

	if (!lines)
		return NULL;
	header->lines = lines;
	line = &lines[header->line_count++];
	*line = (struct header_line){ .label = label, .warning = warning };
	return line;
}

int header_add_line(struct header *header, const char *label, bool warning, const char *format, ...)
{
	struct header_line *line = header_new_line(header, label, warning);
	va_list arguments;
	int length;

	if (!line)
		return -ENOMEM;
	va_start(arguments, format);
	length = vasprintf(&line->text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		line->text = NULL;
		return -ENOMEM;
	}
	return 0;
}

int header_add_list_line(struct header *header, const char *label, bool warning, const char *before,
			 const struct table *list, const char *after)
{
	struct header_line *line = header_new_line(header, label, warning);
	size_t size;
	FILE *text;

	if (!line)
		return -ENOMEM;
	text = text_open(&line->text, &size);
	if (!text)
		return -ENOMEM;
	fputs(before, text);
	for (size_t row = 0; row < list->rows; row++) {
		const struct cell *cell = table_row(list, row);

		fputs(row ? ", " : "", text);
		if (list->columns[0].type == COLUMN_TEXT)
			fputs(cell->text, text);
		else
			fprintf(text, "%" PRIu64, cell->number);
	}
	fputs(after, text);
	return text_close(text, &line->text);
}
