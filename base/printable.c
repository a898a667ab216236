// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Escapes what a terminal could obey. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/printable.h"

/* The character of the valid UTF-8 sequence at text, and its bytes; 0 bytes: it is not valid. */
static size_t decode_character(const unsigned char *text, uint32_t *code)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length;

	*code = text[0];
	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc0 && text[0] < 0xe0)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] < 0xf0)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] < 0xf8)
		length = 4;
	else
		return 0;
	*code = text[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if (*code < lowest[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

size_t utf8_length(const unsigned char *text)
{
	uint32_t code;

	return decode_character(text, &code);
}

/* The control characters of Unicode (Cc), and its characters without a glyph (Cf, Zl, Zp). */
static bool is_unseen(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },
		{ 0x61c, 0x61c },     { 0x180e, 0x180e },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0001, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t printable_put(FILE *file, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	uint32_t code;
	size_t length;

	/* nearly all characters */
	if (*at >= ' ' && *at < 0x7f)
		return putc(*at, file) != EOF;
	length = decode_character(at, &code);
	if (length && !is_unseen(code))
		return fwrite(at, 1, length, file);
	/* the other bytes of a character are not valid by themselves */
	fprintf(file, "\\x%02x", *at);
	return 1;
}

void printable_write(FILE *file, const char *text)
{
	while (*text) {
		size_t size = printable_put(file, text);

		if (!size) /* the file cannot be written */
			return;
		text += size;
	}
}
