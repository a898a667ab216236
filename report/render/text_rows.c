// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows of a text that are printed while they are made: an event a line. */
#include "config.h"

#include <errno.h>

#include "base/text.h"
#include "report/render/text_rows.h"

#define NSEC_PER_SEC 1000000000

void text_begin_rows(struct row_stream *stream)
{
	for (size_t i = 0; i < stream->column_count; i++)
		row_stream_set_prefix(stream, i, " ", "=");
}

static void text_put_seconds(struct row_stream *stream, int64_t ns, size_t width)
{
	uint64_t positive = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char text[2 * STREAM_DIGITS], *end = text + sizeof(text), *first;

	first = row_stream_digits(end, positive % NSEC_PER_SEC, 9);
	*--first = '.';
	first = row_stream_digits(first, positive / NSEC_PER_SEC, 1);
	if (ns < 0)
		*--first = '-';
	row_stream_put_spaces(stream, (size_t)(end - first), width);
	row_stream_put(stream, first, (size_t)(end - first));
}

static void text_put_brackets(struct row_stream *stream, uint64_t number, unsigned int width)
{
	char text[STREAM_DIGITS], *end = text + sizeof(text),
				  *first = row_stream_digits(end, number, width);

	row_stream_put(stream, " [", 2);
	row_stream_put(stream, first, (size_t)(end - first));
	row_stream_put(stream, "]", 1);
}

/* Has the cell a value that is not obvious? */
static bool text_shows(const struct stream_cell *cell)
{
	if (cell->type == STREAM_BOOL)
		return cell->truth;
	return cell->type != STREAM_NULL && (cell->type != STREAM_TEXT || cell->text.length);
}

void text_add_row(struct row_stream *stream, const struct stream_cell *row)
{
	for (size_t i = 0; i < stream->column_count; i++) {
		const struct stream_column *column = &stream->columns[i];
		const struct stream_cell *cell = &row[i];

		switch (column->layout) {
		case STREAM_LAYOUT_KEYED:
			if (!text_shows(cell))
				break;
			row_stream_put_prefix(stream, i);
			row_stream_put_cell(stream, cell);
			break;
		case STREAM_LAYOUT_HIDDEN:
			break;
		case STREAM_LAYOUT_SECONDS:
			text_put_seconds(stream, cell->number, column->width);
			break;
		case STREAM_LAYOUT_NUMBER:
			row_stream_put_number(stream, cell->number, column->width);
			break;
		case STREAM_LAYOUT_BRACKETS:
			text_put_brackets(stream, (uint64_t)cell->number, column->width);
			break;
		case STREAM_LAYOUT_WORD:
			row_stream_put(stream, " ", 1);
			row_stream_put_cell(stream, cell);
			row_stream_put_spaces(stream, cell->text.length, column->width);
			break;
		}
	}
	row_stream_put(stream, "\n", 1);
}

int text_quote(struct stream_text *quoted, const char *text, bool is_word)
{
	FILE *file = text_open(&quoted->text, &quoted->length);

	if (!file)
		return -ENOMEM;
	if (is_word)
		text_write_word(file, text);
	else
		text_write_rest(file, text);
	return text_close(file, &quoted->text);
}
