// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CSV as RFC 4180 has it: a line of keys, then a line a row, each ended by CR LF. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "report/render.h"

static void csv_text(FILE *file, const char *text)
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
	switch (column->type) {
	case COLUMN_TEXT:
		csv_text(file, cell->text);
		break;
	case COLUMN_NUMBER:
		fprintf(file, "%" PRIu64, cell->number);
		break;
	case COLUMN_DECIMAL:
		fprintf(file, "%.6f", cell->decimal);
		break;
	case COLUMN_HEX:
		fprintf(file, "0x%" PRIx64, cell->number);
		break;
	}
}

int render_csv(FILE *file, const struct header *header, const struct table *table, bool color)
{
	(void)header;
	(void)color;
	for (size_t i = 0; i < table->column_count; i++) {
		fputs(i ? "," : "", file);
		csv_text(file, table->columns[i].key);
	}
	fputs("\r\n", file);
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t i = 0; i < table->column_count; i++) {
			fputs(i ? "," : "", file);
			csv_cell(file, &table->columns[i], table_row(table, row) + i);
		}
		fputs("\r\n", file);
	}
	return 0;
}
