// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Columns and cells of values. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "report/views/value_cells.h"

enum column_type value_column_type(const struct expression *expression)
{
	switch (expression->type) {
	case VALUE_TEXT:
		return COLUMN_TEXT;
	case VALUE_BOOL:
		return COLUMN_BOOL;
	case VALUE_ADDRESS:
	case VALUE_FLAGS:
		return COLUMN_HEX;
	case VALUE_TIME:
		return COLUMN_TIME;
	case VALUE_DURATION:
		/* a difference may be negative */
		return expression->field || expression->function ? COLUMN_DURATION : COLUMN_SIGNED;
	case VALUE_NUMBER:
	case VALUE_BYTES:
	case VALUE_NULL:
		break;
	}
	return COLUMN_SIGNED;
}

struct column value_column(const struct expression *expression)
{
	return (struct column){
		.key = expression->text,
		.header = expression->text,
		.unit = "",
		.type = value_column_type(expression),
		.where = COLUMN_ALWAYS,
		.legend = expression_legend(expression),
	};
}

int value_set_cell(const struct texts *texts, struct cell *cell, enum column_type type,
		   struct value value)
{
	if (type == COLUMN_TEXT) {
		cell->text = NULL;
		if (!value.known)
			return 0;
		cell->text = strdup(texts_get(texts, (uint32_t)value.number));
		return cell->text ? 0 : -ENOMEM;
	}
	if (type == COLUMN_TIME || type == COLUMN_SIGNED)
		cell->change = value.known ? value.number : CHANGE_UNKNOWN;
	else
		cell->number = value.known ? (uint64_t)value.number : CELL_UNKNOWN;
	return 0;
}
