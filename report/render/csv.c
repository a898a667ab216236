// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CSV of RFC 4180: a line of keys, then a line for each row, each ended by CR LF. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/text.h"
#include "report/render/render.h"

/*
 * A spreadsheet would run a text that begins like a formula: it gets a quote, which shows that it
 * is text.
 */
static void csv_text(FILE *file, const char *text)
{
	bool quoted = strpbrk(text, ",\"") != NULL;

	if (quoted)
		putc('"', file);
	if (*text && strchr("=+-@", *text))
		putc('\'', file);
	for (size_t size = 1; *text && size; text += size) {
		if (*text == '"')
			putc('"', file);
		size = printable_put(file, text);
	}
	if (quoted)
		putc('"', file);
}

static void csv_cell(FILE *file, const struct column *column, const struct cell *cell)
{
	if (cell_is_unknown(column->type, cell))
		return;
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
		csv_text(file, cell->text);
		break;
	case COLUMN_NUMBER:
	case COLUMN_NULLABLE:
	case COLUMN_LIVE:
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
	case COLUMN_BOUND:
		fputs(cell->truth ? "true" : "false", file);
		break;
	case COLUMN_BOOL:
		fputs(cell->number ? "true" : "false", file);
		break;
	case COLUMN_CHANGE:
	case COLUMN_SIGNED:
		fprintf(file, "%" PRId64, cell->change);
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
			csv_text(file, column->key);
		separator = ",";
	}
	fputs("\r\n", file);
}

static int csv_print(const struct output *output, const struct header *header,
		     const struct table *tables, size_t table_count)
{
	(void)header;
	(void)table_count;
	csv_row(output->file, tables, NULL);
	for (size_t row = 0; row < tables->rows; row++)
		csv_row(output->file, tables, table_row(tables, row));
	return 0;
}

static void csv_begin_rows(struct row_stream *stream)
{
	for (size_t i = 0; i < stream->column_count; i++) {
		row_stream_set_prefix(stream, i, i ? "," : "", "");
		if (!stream->err)
			row_stream_put_prefix(stream, i);
	}
	row_stream_put(stream, "\r\n", 2);
}

static void csv_add_row(struct row_stream *stream, const struct stream_cell *row)
{
	for (size_t i = 0; i < stream->column_count; i++) {
		if (i)
			row_stream_put(stream, ",", 1);
		row_stream_put_cell(stream, &row[i]);
	}
	row_stream_put(stream, "\r\n", 2);
}

static int csv_quote(struct stream_text *quoted, const char *text, bool is_word)
{
	FILE *file = text_open(&quoted->text, &quoted->length);

	(void)is_word;
	if (!file)
		return -ENOMEM;
	csv_text(file, text);
	return text_close(file, &quoted->text);
}

const struct renderer renderer_csv = {
	.name = "csv",
	.print = csv_print,
	.rows = { csv_begin_rows, csv_add_row, csv_quote },
};
