/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table whose rows are printed while they are made, in constant memory: the caller fills a row
 * of cells, the renderer appends it to a buffer, and a full buffer is written to the file.
 */
#ifndef REPORT_RENDER_ROW_STREAM_H
#define REPORT_RENDER_ROW_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How a text for people shows the cell. Formats for programs print every cell with its key. */
enum stream_layout {
	STREAM_LAYOUT_KEYED,	/* "key=value" after the leading cells, if there is a value */
	STREAM_LAYOUT_HIDDEN,	/* left out */
	STREAM_LAYOUT_SECONDS,	/* leading, a number of ns in seconds, aligned to the right */
	STREAM_LAYOUT_NUMBER,	/* leading, a number, aligned to the right */
	STREAM_LAYOUT_BRACKETS, /* leading, a number in brackets, with zeros up to the width */
	STREAM_LAYOUT_WORD,	/* leading, a text, aligned to the left */
};

struct stream_column {
	const char *key;
	enum stream_layout layout;
	unsigned int width; /* of a leading cell, up to STREAM_WIDTH_MAX */
};

#define STREAM_WIDTH_MAX 20
#define STREAM_COLUMNS_MAX 40
#define STREAM_PREFIX 48 /* bytes that can be read from the begin of a prefix */
#define STREAM_BUFFER 65536

#define STREAM_TEXT_ROOM 32 /* bytes that can be read from the begin of a text */

/* A text in the renderer's form, quoted or escaped; see struct row_format. */
struct stream_text {
	char *text;
	size_t length;
};

enum stream_type {
	STREAM_NULL, /* no value */
	STREAM_INTEGER,
	STREAM_HEX,
	STREAM_BOOL,
	STREAM_TEXT,
};

struct stream_cell {
	enum stream_type type;
	union {
		int64_t number;
		uint64_t hex;
		bool truth;
		struct stream_text text; /* the caller's */
	};
};

struct row_stream;

/* How an output format prints rows. */
struct row_format {
	/* Sets the prefixes of the columns and prints the head above the rows. */
	void (*begin)(struct row_stream *stream);
	void (*add)(struct row_stream *stream, const struct stream_cell *row);
	/*
	 * Makes a new text for a STREAM_TEXT cell. is_word: a text for people escapes spaces,
	 * too. 0 or -ENOMEM.
	 */
	int (*quote)(struct stream_text *quoted, const char *text, bool is_word);
};

struct row_stream {
	const struct row_format *format;
	FILE *file;
	const struct stream_column *columns; /* the caller's */
	size_t column_count;
	int err; /* -ENOMEM, or -errno of the first write that failed: nothing is written after it
		  */
	struct stream_text prefixes[STREAM_COLUMNS_MAX]; /* printed before the cell of the column */
	size_t used;
	char buffer[STREAM_BUFFER];
};

/* Prints the head above the rows, as the line of CSV with the keys. A failure is in stream->err. */
void row_stream_init(struct row_stream *stream, const struct row_format *format, FILE *file,
		     const struct stream_column *columns, size_t column_count);
void row_stream_deinit(struct row_stream *stream);

/* Prints a row of column_count cells. */
void row_stream_add(struct row_stream *stream, const struct stream_cell *row);

/* Writes what is buffered. 0, or the -errno of the first write that failed. */
int row_stream_flush(struct row_stream *stream);

/* For renderers. */

/* Writes bytes that do not fit into the buffer. */
void row_stream_put_slowly(struct row_stream *stream, const char *bytes, size_t count);

static inline void row_stream_put(struct row_stream *stream, const char *bytes, size_t count)
{
	if (count > sizeof(stream->buffer) - stream->used) {
		row_stream_put_slowly(stream, bytes, count);
		return;
	}
	memcpy(stream->buffer + stream->used, bytes, count);
	stream->used += count;
}

static inline void row_stream_put_prefix(struct row_stream *stream, size_t column)
{
	const struct stream_text *prefix = &stream->prefixes[column];

	if (sizeof(stream->buffer) - stream->used < STREAM_PREFIX ||
	    prefix->length > STREAM_PREFIX) {
		row_stream_put(stream, prefix->text, prefix->length);
		return;
	}
	/* a constant size needs no call */
	memcpy(stream->buffer + stream->used, prefix->text, STREAM_PREFIX);
	stream->used += prefix->length;
}

/* Sets the prefix of a column: before, the key in the form of the format, and after. */
void row_stream_set_prefix(struct row_stream *stream, size_t column, const char *before,
			   const char *after);

void row_stream_put_spaces(struct row_stream *stream, size_t written, size_t width);
void row_stream_put_number(struct row_stream *stream, int64_t number, size_t width);
void row_stream_put_cell(struct row_stream *stream, const struct stream_cell *cell);

#define STREAM_DIGITS 24 /* bytes: any number */

/* Writes at_least digits or more, which stop before end; returns the first of them. */
char *row_stream_digits(char *end, uint64_t number, unsigned int at_least);

#endif
