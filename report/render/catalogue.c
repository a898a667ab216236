// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Columns of the catalogue for a table. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "report/render/catalogue.h"

static const struct column catalogue[] = {
#define COLUMN(key, header, unit, type, decimals, legend, more) \
	[COLUMN_##key] = { #key, header, unit, type, decimals, COLUMN_ALWAYS, legend, false },
#include "report/render/columns.inc"
#undef COLUMN
};

/* The second part of each definition in the lists of columns; or "". */
static const char *const more_texts[] = {
#define COLUMN(key, header, unit, type, decimals, legend, more) [COLUMN_##key] = more,
#include "report/render/columns.inc"
#undef COLUMN
};

/* The types of values in JSON, for people and for a schema. COLUMN_BAR is in a text only. */
static const struct {
	const char *name, *json;
} types[] = {
	[COLUMN_TEXT] = { "text", "[\"string\", \"null\"]" },
	[COLUMN_NUMBER] = { "number", "\"integer\"" },
	[COLUMN_NULLABLE] = { "number or null", "[\"integer\", \"null\"]" },
	[COLUMN_LIVE] = { "number or null", "[\"integer\", \"null\"]" },
	[COLUMN_BOUND] = { "true or false", "\"boolean\"" },
	[COLUMN_DECIMAL] = { "decimal or null", "[\"number\", \"null\"]" },
	[COLUMN_HEX] = { "address", "[\"string\", \"null\"]" },
	[COLUMN_SIGNED] = { "number or null", "[\"integer\", \"null\"]" },
	[COLUMN_BOOL] = { "true, false or null", "[\"boolean\", \"null\"]" },
	[COLUMN_ID] = { "number or null", "[\"integer\", \"null\"]" },
	[COLUMN_TIME] = { "nanoseconds or null", "[\"integer\", \"null\"]" },
	[COLUMN_CHANGE] = { "number or null", "[\"integer\", \"null\"]" },
	[COLUMN_DURATION] = { "nanoseconds or null", "[\"integer\", \"null\"]" },
	[COLUMN_PATH] = { "list of texts or null", "[\"array\", \"null\"]" },
};

/* A manual has each sentence on a line of its own. */
static void write_sentences(FILE *file, const char *text)
{
	for (const char *end; (end = strstr(text, ". ")); text = end + strlen(". "))
		fprintf(file, "%.*s.\n", (int)(end - text), text);
	fprintf(file, "%s.\n", text);
}

void column_list(FILE *file, const char *format)
{
	bool is_mdoc = !strcmp(format, "mdoc"), is_schema = !strcmp(format, "json-schema");

	for (size_t i = COLUMN_NONE + 1; i < sizeof(catalogue) / sizeof(catalogue[0]); i++) {
		const struct column *column = &catalogue[i];
		const char *key = column->key, *legend = column->legend, *more = more_texts[i];

		if (column->type == COLUMN_BAR)
			continue;
		if (is_schema) {
			fprintf(file, "%s  \"%s\": {\"type\": %s, \"description\": \"%s\"}",
				i == COLUMN_NONE + 1 ? " \"$defs\": {\n" : ",\n", key,
				types[column->type].json, legend);
		} else if (is_mdoc) {
			fprintf(file, ".It Cm %s\n%s; ", key, types[column->type].name);
			write_sentences(file, legend);
			if (*more)
				write_sentences(file, more);
		} else {
			fprintf(file, "%s (%s)\n", key, types[column->type].name);
			text_write_wrapped(file, LIST_INDENT, legend);
			if (*more)
				text_write_wrapped(file, LIST_INDENT, more);
		}
	}
	if (is_schema)
		fputs("\n }\n", file);
}

struct column column_choose(const struct column_choice *choice)
{
	struct column column = catalogue[choice->name];

	column.where = choice->where;
	column.at_least = choice->at_least;
	if (choice->header)
		column.header = choice->header;
	if (choice->unit)
		column.unit = choice->unit;
	if (choice->legend)
		column.legend = choice->legend;
	if (choice->type)
		column.type = choice->type;
	if (choice->decimals)
		column.decimals = choice->decimals == COLUMN_WHOLE ? 0 : choice->decimals;
	return column;
}

void table_choose(struct table *table, const struct column_choice *choices)
{
	for (; choices->name; choices++) {
		assert(table->column_count < TABLE_CHOSEN_MAX);
		table->names[table->column_count] = (unsigned short)choices->name;
		table->chosen[table->column_count++] = column_choose(choices);
	}
	table->columns = table->chosen;
}

size_t table_column(const struct table *table, enum column_name name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->names[i] == name)
			return i;
	assert(!"the table has the column");
	return 0;
}

struct cell *table_cell(const struct table *table, enum column_name name)
{
	return &table->cells[(table->rows - 1) * table->column_count + table_column(table, name)];
}
