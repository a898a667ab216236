// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Columns of the catalogue for a table. */
#include "config.h"

#include <assert.h>

#include "report/render/catalogue.h"

static const struct column catalogue[] = {
#define COLUMN(key, header, unit, type, decimals, legend) \
	[COLUMN_##key] = { #key, header, unit, type, decimals, COLUMN_ALWAYS, legend, false },
#include "report/render/columns.inc"
#undef COLUMN
};

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
