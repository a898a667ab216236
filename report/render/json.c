// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One JSON document: the sections of the header by key, then each table as an array of rows. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "report/render/json.h"
#include "report/render/render.h"

#define JSON_SCHEMA 2 /* of the document: raised when a key is renamed or removed */

json_t *json_from_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const unsigned char *from = (const unsigned char *)text;
	json_t *json = json_string(text);
	char *valid, *to;

	if (json)
		return json;
	valid = malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
	if (!valid)
		return NULL;
	to = valid;
	while (*from) {
		size_t length = utf8_length(from);

		if (length) {
			to = mempcpy(to, from, length);
			from += length;
		} else {
			to = mempcpy(to, replacement, sizeof(replacement) - 1);
			from++;
		}
	}
	*to = '\0';
	json = json_string(valid);
	free(valid);
	return json;
}

json_t *json_from_number(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

/* A list of the names of a path. */
static json_t *json_from_path(const char *path)
{
	json_t *list = json_array();

	while (list) {
		size_t length = (size_t)(strchrnul(path, FLAME_SEPARATOR) - path);
		char *name = strndup(path, length);
		int failed = name ? json_array_append_new(list, json_from_text(name)) : -1;

		free(name);
		if (failed) {
			json_decref(list);
			return NULL;
		}
		if (!path[length])
			break;
		path += length + 1;
	}
	return list;
}

json_t *json_cell(const struct column *column, const struct cell *cell)
{
	char hex[20];

	if (cell_is_unknown(column->type, cell))
		return json_null();
	switch (column->type) {
	case COLUMN_TEXT:
		return json_from_text(cell->text);
	case COLUMN_PATH:
		return json_from_path(cell->text);
	case COLUMN_DECIMAL:
	case COLUMN_BAR:
		return json_real(cell->decimal);
	case COLUMN_HEX:
		snprintf(hex, sizeof(hex), "0x%" PRIx64, cell->number);
		return json_string(hex);
	case COLUMN_TIME:
		return json_integer(cell->time);
	case COLUMN_BOUND:
		return json_boolean(cell->truth);
	case COLUMN_BOOL:
		return json_boolean(cell->number);
	case COLUMN_CHANGE:
	case COLUMN_SIGNED:
		return json_integer(cell->change);
	case COLUMN_NUMBER:
	case COLUMN_NULLABLE:
	case COLUMN_LIVE:
	case COLUMN_ID:
	case COLUMN_DURATION:
		break;
	}
	return json_from_number(cell->number);
}

static json_t *json_from_row(const struct table *table, size_t row)
{
	json_t *object = json_object();

	for (size_t i = 0; object && i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->type == COLUMN_BAR)
			continue;
		if (json_object_set_new(object, column->key,
					json_cell(column, table_row(table, row) + i))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

/* An array of objects; of a list, an array of the cells of its only column. */
static json_t *json_from_table(const struct table *table, bool list)
{
	json_t *array = json_array();

	for (size_t row = 0; array && row < table->rows; row++) {
		json_t *item = list ? json_cell(table->columns, table_row(table, row))
				    : json_from_row(table, row);

		if (json_array_append_new(array, item)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *json_from_field(const struct field *field)
{
	switch (field->type) {
	case FIELD_TEXT:
		return json_from_text(field->text);
	case FIELD_NUMBER:
		break;
	case FIELD_DECIMAL:
		return json_real(field->decimal);
	case FIELD_BOOL:
		return json_boolean(field->truth);
	case FIELD_TABLE:
		return json_from_table(field->table, false);
	case FIELD_LIST:
		return json_from_table(field->table, true);
	case FIELD_TIME:
		return json_integer(field->time);
	case FIELD_UNKNOWN:
		return json_null();
	}
	return json_from_number(field->number);
}

static json_t *json_from_section(const struct section *section)
{
	json_t *object = json_object();

	for (size_t i = 0; object && i < section->count; i++) {
		const struct field *field = &section->fields[i];

		if (json_object_set_new(object, field->key, json_from_field(field))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

json_t *json_document(const struct header *header, const struct table *tables, size_t table_count)
{
	json_t *document = json_object();
	int failed = 0;

	failed |= json_object_set_new(document, "schema", json_integer(JSON_SCHEMA));
	for (size_t i = 0; i < header->section_count; i++)
		failed |= json_object_set_new(document, header->sections[i].key,
					      json_from_section(&header->sections[i]));
	for (size_t i = 0; i < table_count; i++)
		failed |= json_object_set_new(document, tables[i].key,
					      json_from_table(&tables[i], false));
	if (!failed)
		return document;
	json_decref(document);
	return NULL;
}

static int json_print(const struct output *output, const struct header *header,
		      const struct table *tables, size_t table_count)
{
	json_t *document = json_document(header, tables, table_count);
	int failed;

	if (!document)
		return -ENOMEM;
	/* It also fails if writing to the file fails: ferror() reports that. */
	failed = json_dumpf(document, output->file, JSON_INDENT(2) | JSON_FLAGS) &&
		 !ferror(output->file);
	putc('\n', output->file);
	json_decref(document);
	return failed ? -ENOMEM : 0;
}

static void json_begin_rows(struct row_stream *stream)
{
	for (size_t i = 0; i < stream->column_count; i++)
		row_stream_set_prefix(stream, i, i ? ", " : "{", ": ");
}

static void json_add_row(struct row_stream *stream, const struct stream_cell *row)
{
	for (size_t i = 0; i < stream->column_count; i++) {
		row_stream_put_prefix(stream, i);
		if (row[i].type == STREAM_NULL)
			row_stream_put(stream, "null", 4);
		if (row[i].type == STREAM_HEX)
			row_stream_put(stream, "\"", 1);
		row_stream_put_cell(stream, &row[i]);
		if (row[i].type == STREAM_HEX)
			row_stream_put(stream, "\"", 1);
	}
	row_stream_put(stream, "}\n", 2);
}

static int json_quote(struct stream_text *quoted, const char *text, bool is_word)
{
	json_t *json = json_from_text(text);

	(void)is_word;
	quoted->text = json_dumps(json, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	quoted->length = quoted->text ? strlen(quoted->text) : 0;
	json_decref(json);
	return quoted->text ? 0 : -ENOMEM;
}

const struct renderer renderer_json = {
	.name = "json",
	.has_header = true,
	.print = json_print,
	.rows = { json_begin_rows, json_add_row, json_quote },
};
