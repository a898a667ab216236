// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Escapes what a terminal could obey. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/printable.h"

size_t utf8_length(const unsigned char *text)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code;
	size_t length;

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
	code = text[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* U+0000 to U+001F, U+007F to U+009F */
static bool is_control(const unsigned char *text)
{
	return text[0] < ' ' || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

size_t printable_put(FILE *file, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length = utf8_length(at);

	if (length && !is_control(at))
		return fwrite(at, 1, length, file);
	/* the second byte of U+0080 to U+009F is not valid by itself */
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
