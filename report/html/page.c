// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the HTML page: fills the marks @NAME@ of page.html. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/page.h"
#include "report/render/json.h"

#define MARK_DATA "@data@"

static const struct mark {
	const char *name, *text;
} marks[] = {
	{ "@style@", page_style },
	{ "@script@", page_script },
	{ "@style_hash@", page_style_hash },
	{ "@script_hash@", page_script_hash },
};

static void put_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", file);
		else if (*text == '>')
			fputs("&gt;", file);
		else if (*text == '&')
			fputs("&amp;", file);
		else
			putc(*text, file);
	}
}

static const char *find_mark(const char *from, const char *end, const char *name)
{
	return memmem(from, (size_t)(end - from), name, strlen(name));
}

/* Writes the part of page.html up to end, with the marks in it. */
static void put_part(FILE *file, const char *from, const char *end, const char *title)
{
	while (from < end) {
		const char *next = find_mark(from, end, "@title@"), *text = title;
		size_t length = strlen("@title@");

		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			const char *found = find_mark(from, end, marks[i].name);

			if (!found || (next && found > next))
				continue;
			next = found;
			text = marks[i].text;
			length = strlen(marks[i].name);
		}
		if (!next) {
			fwrite(from, 1, (size_t)(end - from), file);
			return;
		}
		fwrite(from, 1, (size_t)(next - from), file);
		if (text == title)
			put_text(file, text);
		else
			fputs(text, file);
		from = next + length;
	}
}

void page_begin(FILE *file, const char *title)
{
	put_part(file, page_html, strstr(page_html, MARK_DATA), title);
}

void page_end(FILE *file)
{
	const char *from = strstr(page_html, MARK_DATA) + strlen(MARK_DATA);

	put_part(file, from, from + strlen(from), "");
}

/* A character that HTML could take for markup; all others of the JSON are ASCII. */
static int is_markup(char c)
{
	return c == '<' || c == '>' || c == '&';
}

int page_add(FILE *file, const char *name, const json_t *data)
{
	char *text = json_dumps(data, JSON_COMPACT | JSON_FLAGS);

	if (!text)
		return -ENOMEM;
	fprintf(file, "<script type=\"application/json\" id=\"data-%s\">", name);
	for (const char *c = text; *c; c++) {
		if (is_markup(*c))
			fprintf(file, "\\u%04x", (unsigned int)*c);
		else
			putc(*c, file);
	}
	fputs("</script>\n", file);
	free(text);
	return 0;
}

size_t page_size(const json_t *data)
{
	char *text = json_dumps(data, JSON_COMPACT | JSON_FLAGS | JSON_ENCODE_ANY);
	size_t size = 0;

	for (const char *c = text; c && *c; c++)
		size += is_markup(*c) ? 6 : 1;
	free(text);
	return size;
}
