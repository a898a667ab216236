// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CSV as RFC 4180 has it: a line of keys, then a line a row, each ended by CR LF. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "report/render/render.h"

void render_csv_text(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void csv_cell(FILE *file, const struct column *column, const struct cell *cell)
{
	if (cell_is_unknown(column->type, cell))
		return;
	switch (column->type) {
	case COLUMN_TEXT:
		render_csv_text(file, cell->text);
		break;
	case COLUMN_NUMBER:
	case COLUMN_MAYBE:
	case COLUMN_ID:
	case COLUMN_DURATION:
		fprintf(file, "%" PRIu64, cell->number);
		break;
	case COLUMN_DECIMAL:
		fprintf(file, "%.6f", cell->decimal);
		break;
	case COLUMN_HEX:
		fprintf(file, "0x%" PRIx64, cell->number);
		break;
	case COLUMN_TIME:
		fprintf(file, "%" PRId64, cell->time);
		break;
	case COLUMN_BAR:
		break;
	}
}

static void csv_row(FILE *file, const struct table *table, const struct cell *row)
{
	const char *separator = "";

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->type == COLUMN_BAR)
			continue;
		fputs(separator, file);
		if (row)
			csv_cell(file, column, row + i);
		else
			render_csv_text(file, column->key);
		separator = ",";
	}
	fputs("\r\n", file);
}

int render_csv(FILE *file, const struct header *header, const struct table *tables,
	       size_t table_count, bool color)
{
	(void)header;
	(void)table_count;
	(void)color;
	csv_row(file, tables, NULL);
	for (size_t row = 0; row < tables->rows; row++)
		csv_row(file, tables, table_row(tables, row));
	return 0;
}
