// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text tables of a capture: escapes names and parses lines; regular expressions. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

#define TEXT_COLUMNS 79

static void escape_write(FILE *file, const char *text, unsigned char lowest)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at < lowest || *at > '~' || *at == '\\')
			fprintf(file, "\\x%02x", *at);
		else
			putc(*at, file);
	}
}

void text_write_word(FILE *file, const char *text)
{
	escape_write(file, text, '!');
}

void text_write_rest(FILE *file, const char *text)
{
	escape_write(file, text, ' ');
}

void text_write_wrapped(FILE *file, size_t indent, const char *text)
{
	size_t column = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");

		if (column && column + 1 + length > TEXT_COLUMNS) {
			putc('\n', file);
			column = 0;
		}
		fprintf(file, "%*s%.*s", column ? 1 : (int)indent, "", (int)length, text);
		column += (column ? 1 : indent) + length;
		text += length;
	}
	putc('\n', file);
}

int text_write_result(FILE *file)
{
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

int text_matches(const regex_t *regex, const char *text)
{
	errno = 0;
	if (!regexec(regex, text, 0, NULL, 0))
		return 1;
	/* glibc returns REG_NOMATCH even if it lacked memory */
	return errno == ENOMEM ? -ENOMEM : 0;
}

struct text_stream {
	char **text;
	size_t *size, space;
};

static ssize_t write_text(void *data, const char *bytes, size_t count)
{
	struct text_stream *stream = data;
	size_t needed = *stream->size + count + 1;

	if (needed > stream->space) {
		size_t space = needed > 2 * stream->space ? needed : 2 * stream->space;
		char *text = realloc(*stream->text, space);

		if (!text)
			return 0;
		*stream->text = text;
		stream->space = space;
	}
	memcpy(*stream->text + *stream->size, bytes, count);
	*stream->size += count;
	(*stream->text)[*stream->size] = '\0';
	return (ssize_t)count;
}

static int free_stream(void *data)
{
	free(data);
	return 0;
}

FILE *text_open(char **text, size_t *size)
{
	const cookie_io_functions_t calls = { .write = write_text, .close = free_stream };
	struct text_stream *stream = malloc(sizeof(*stream));
	FILE *file = NULL;

	*size = 0;
	*text = calloc(1, 1);
	if (stream && *text) {
		*stream = (struct text_stream){ text, size, 1 };
		file = fopencookie(stream, "w", calls);
	}
	if (file)
		return file;
	free(stream);
	free(*text);
	*text = NULL;
	return NULL;
}

int text_close(FILE *stream, char **text)
{
	bool failed = ferror(stream);

	if (!fclose(stream) && !failed)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

bool line_next(struct line *line, const char **text)
{
	line->at = *text;
	line->end = strchr(*text, '\n');
	if (!line->end)
		return false; /* cut off in the line: its last number may have lost digits */
	*text = line->end + 1;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Finds the next word without taking it: *start is its begin; returns its end. */
static const char *line_peek(const struct line *line, const char **start)
{
	const char *at = line->at;

	while (at < line->end && is_blank(*at))
		at++;
	*start = at;
	while (at < line->end && !is_blank(*at))
		at++;
	return at;
}

bool line_key(struct line *line, const char *key)
{
	const char *start, *end = line_peek(line, &start);
	size_t size = strlen(key);

	if ((size_t)(end - start) != size || memcmp(start, key, size))
		return false;
	line->at = end;
	return true;
}

bool line_u64(struct line *line, unsigned int base, uint64_t *number)
{
	const char *at, *end = line_peek(line, &at);
	uint64_t value;

	if (!number_parse(&at, base, &value) || at != end)
		return false;
	*number = value;
	line->at = end;
	return true;
}

bool line_u32(struct line *line, uint32_t *number)
{
	struct line left = *line;
	uint64_t value;

	if (!line_u64(&left, 10, &value) || value > UINT32_MAX)
		return false;
	*number = value;
	*line = left;
	return true;
}

/* "\x00" is copied as it is: no writer makes it, and a NUL would end the text. */
static void unescape_bytes(const char *at, const char *end, char *text, size_t size)
{
	char *last = text + size - 1;

	while (at < end && text < last) {
		unsigned int byte = 0;

		if (end - at >= 4 && at[0] == '\\' && at[1] == 'x' && digit_value(at[2]) < 16 &&
		    digit_value(at[3]) < 16)
			byte = digit_value(at[2]) << 4 | digit_value(at[3]);
		*text++ = byte ? (char)byte : *at;
		at += byte ? 4 : 1;
	}
	*text = '\0';
}

void line_word(struct line *line, char *text, size_t size)
{
	const char *start, *end = line_peek(line, &start);

	unescape_bytes(start, end, text, size);
	line->at = end;
}

void line_rest(struct line *line, char *text, size_t size)
{
	if (line->at < line->end && is_blank(*line->at))
		line->at++;
	unescape_bytes(line->at, line->end, text, size);
	line->at = line->end;
}

void text_replace(char *text, size_t size, const char *word, const char *by)
{
	size_t old = strlen(word), new = strlen(by);

	for (char *at = text; (at = strstr(at, word));) {
		size_t room = size - (size_t)(at - text), rest = strlen(at + old);

		if (new >= room) {
			memcpy(at, by, room - 1);
			at[room - 1] = '\0';
			return;
		}
		if (rest > room - new - 1)
			rest = room - new - 1;
		memmove(at + new, at + old, rest);
		at[new + rest] = '\0';
		memcpy(at, by, new);
		at += new;
	}
}
