// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows of a stream. Numbers are converted by hand: printf() would take most of the run time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/render/row_stream.h"

static void write_out(struct row_stream *stream, const char *bytes, size_t count)
{
	errno = 0;
	if (!stream->err && count && fwrite(bytes, 1, count, stream->file) != count)
		stream->err = errno ? -errno : -EIO;
}

void row_stream_init(struct row_stream *stream, const struct row_format *format, FILE *file,
		     const struct stream_column *columns, size_t column_count)
{
	stream->format = format;
	stream->file = file;
	stream->columns = columns;
	stream->column_count = column_count;
	stream->err = 0;
	stream->used = 0;
	format->begin(stream);
}

void row_stream_deinit(struct row_stream *stream)
{
	for (size_t i = 0; i < stream->column_count; i++)
		free(stream->prefixes[i].text);
}

void row_stream_add(struct row_stream *stream, const struct stream_cell *row)
{
	stream->format->add(stream, row);
}

int row_stream_flush(struct row_stream *stream)
{
	write_out(stream, stream->buffer, stream->used);
	stream->used = 0;
	errno = 0;
	if (!stream->err && fflush(stream->file))
		stream->err = errno ? -errno : -EIO;
	return stream->err;
}

void row_stream_put_slowly(struct row_stream *stream, const char *bytes, size_t count)
{
	write_out(stream, stream->buffer, stream->used);
	stream->used = 0;
	if (count > sizeof(stream->buffer)) {
		write_out(stream, bytes, count);
		return;
	}
	memcpy(stream->buffer, bytes, count);
	stream->used = count;
}

void row_stream_set_prefix(struct row_stream *stream, size_t column, const char *before,
			   const char *after)
{
	struct stream_text *prefix = &stream->prefixes[column], key = { 0 };
	int err = stream->format->quote(&key, stream->columns[column].key, false);

	if (!err) {
		prefix->length = strlen(before) + key.length + strlen(after);
		prefix->text = calloc(1, prefix->length + STREAM_PREFIX);
	}
	if (prefix->text)
		stpcpy(stpcpy(stpcpy(prefix->text, before), key.text), after);
	else
		stream->err = -ENOMEM;
	free(key.text);
}

void row_stream_put_spaces(struct row_stream *stream, size_t written, size_t width)
{
	static const char spaces[STREAM_WIDTH_MAX + 1] = "                    ";

	if (written < width)
		row_stream_put(stream, spaces, width - written);
}

char *row_stream_digits(char *end, uint64_t number, unsigned int at_least)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	char *first = end - at_least;

	for (; number >= 100; number /= 100) {
		end -= 2;
		memcpy(end, &pairs[number % 100 * 2], 2);
	}
	while (number || end > first) {
		*--end = (char)('0' + number % 10);
		number /= 10;
	}
	return end;
}

/* Puts at most STREAM_DIGITS bytes; as many can be read. A copy of a constant size needs no call.
 */
static void put_digits(struct row_stream *stream, const char *first, size_t count)
{
	if (sizeof(stream->buffer) - stream->used < STREAM_DIGITS) {
		row_stream_put_slowly(stream, first, count);
		return;
	}
	memcpy(stream->buffer + stream->used, first, STREAM_DIGITS);
	stream->used += count;
}

void row_stream_put_number(struct row_stream *stream, int64_t number, size_t width)
{
	uint64_t positive = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char text[2 * STREAM_DIGITS] = { 0 }, *end = text + STREAM_DIGITS,
		      *first = row_stream_digits(end, positive, 1);

	if (number < 0)
		*--first = '-';
	row_stream_put_spaces(stream, (size_t)(end - first), width);
	put_digits(stream, first, (size_t)(end - first));
}

static void put_hex(struct row_stream *stream, uint64_t number)
{
	char text[2 * STREAM_DIGITS] = { 0 }, *end = text + STREAM_DIGITS, *first = end;

	do {
		*--first = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	*--first = 'x';
	*--first = '0';
	put_digits(stream, first, (size_t)(end - first));
}

static void put_stream_text(struct row_stream *stream, const struct stream_text *text)
{
	if (text->length > STREAM_TEXT_ROOM ||
	    sizeof(stream->buffer) - stream->used < STREAM_TEXT_ROOM) {
		row_stream_put(stream, text->text, text->length);
		return;
	}
	memcpy(stream->buffer + stream->used, text->text, STREAM_TEXT_ROOM);
	stream->used += text->length;
}

void row_stream_put_cell(struct row_stream *stream, const struct stream_cell *cell)
{
	switch (cell->type) {
	case STREAM_NULL:
		break;
	case STREAM_INTEGER:
		row_stream_put_number(stream, cell->number, 0);
		break;
	case STREAM_HEX:
		put_hex(stream, cell->hex);
		break;
	case STREAM_BOOL:
		row_stream_put(stream, cell->truth ? "true" : "false", cell->truth ? 4 : 5);
		break;
	case STREAM_TEXT:
		put_stream_text(stream, &cell->text);
		break;
	}
}
