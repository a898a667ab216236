// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Other names and units for the columns of a capture whose clock counts events. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/event_clock.h"

#define EVENTS_PER_SECOND 1e9 /* a view computes rates as if an event were a ns */
#define RATE_DECIMALS 4

struct column_texts {
	char key[48], unit[24];
};

/* Writes text with the ending old replaced by end. False: text has another ending. */
static bool replace_end(const char *text, const char *old, const char *end, char *buffer,
			size_t size)
{
	size_t length = strlen(text), cut = strlen(old);

	if (length < cut || strcmp(text + length - cut, old))
		return false;
	snprintf(buffer, size, "%.*s%s", (int)(length - cut), text, end);
	return true;
}

static void convert_rates(struct table *table, size_t index)
{
	for (size_t row = 0; row < table->rows; row++)
		table->cells[row * table->column_count + index].decimal /= EVENTS_PER_SECOND;
}

static void convert_column(struct table *table, size_t index, struct column *column,
			   struct column_texts *texts)
{
	if (column->type == COLUMN_DURATION)
		column->type = COLUMN_NULLABLE;
	if (replace_end(column->key, "_ns", "_events", texts->key, sizeof(texts->key)))
		column->key = texts->key;
	if (replace_end(column->key, "_per_s", "_per_event", texts->key, sizeof(texts->key))) {
		column->key = texts->key;
		column->decimals = RATE_DECIMALS;
		convert_rates(table, index);
	}
	if (column->unit &&
	    (replace_end(column->unit, "/s", "/event", texts->unit, sizeof(texts->unit)) ||
	     replace_end(column->unit, "per s", "per event", texts->unit, sizeof(texts->unit))))
		column->unit = texts->unit;
	if (column->type == COLUMN_TIME && column->unit && !strcmp(column->unit, "s"))
		column->unit = "event";
}

struct column *event_clock_convert(struct table *table)
{
	size_t count = table->column_count;
	struct column *columns = calloc(count, sizeof(*columns) + sizeof(struct column_texts));
	struct column_texts *texts = (struct column_texts *)(columns + count);

	if (!columns)
		return NULL;
	memcpy(columns, table->columns, count * sizeof(*columns));
	for (size_t i = 0; i < count; i++)
		convert_column(table, i, &columns[i], &texts[i]);
	table->columns = columns;
	return columns;
}
