// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes an HTML page: fills the marks @NAME@ of its HTML. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/page.h"
#include "report/render/json.h"

#define MARK_DATA "@data@"

static void put_html_text(FILE *file, const char *text)
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

/* Writes the part of the HTML up to end, with the marks in it. */
static void put_part(FILE *file, const struct page_text *page, const char *from, const char *end,
		     const char *title)
{
	const struct mark {
		const char *name, *text;
	} marks[] = {
		{ "@style@", page->style },
		{ "@script@", page->script },
		{ "@style_hash@", page->style_hash },
		{ "@script_hash@", page->script_hash },
	};

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
			put_html_text(file, text);
		else
			fputs(text, file);
		from = next + length;
	}
}

void page_begin(FILE *file, const struct page_text *page, const char *title)
{
	put_part(file, page, page->html, strstr(page->html, MARK_DATA), title);
}

void page_end(FILE *file, const struct page_text *page)
{
	const char *from = strstr(page->html, MARK_DATA) + strlen(MARK_DATA);

	put_part(file, page, from, from + strlen(from), "");
}

/* A character that HTML could take for markup; all others of the JSON are ASCII. */
static int is_markup(char c)
{
	return c == '<' || c == '>' || c == '&';
}

/* Both are called with parts of the JSON. They need no memory, so that no part can be missing. */
static int put_json(const char *part, size_t size, void *data)
{
	FILE *file = data;

	for (size_t i = 0; i < size; i++) {
		if (is_markup(part[i]))
			fprintf(file, "\\u%04x", (unsigned int)part[i]);
		else
			putc(part[i], file);
	}
	return 0;
}

static int count_json(const char *part, size_t size, void *data)
{
	size_t *sum = data;

	for (size_t i = 0; i < size; i++)
		*sum += is_markup(part[i]) ? 6 : 1;
	return 0;
}

int page_add(FILE *file, const char *name, const json_t *data)
{
	fprintf(file, "<script type=\"application/json\" id=\"data-%s\">", name);
	if (json_dump_callback(data, put_json, file, JSON_COMPACT | JSON_FLAGS))
		return -ENOMEM;
	fputs("</script>\n", file);
	return 0;
}

size_t page_size(const json_t *data)
{
	size_t size = 0;

	if (json_dump_callback(data, count_json, &size,
			       JSON_COMPACT | JSON_FLAGS | JSON_ENCODE_ANY))
		return 0;
	return size;
}
