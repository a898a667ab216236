// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a path between its ends: the begin (a process and a system call) says who called, and the
 * end says what allocated. The functions between them give way, the outer ones first.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/render/column_layout.h"
#include "report/render/flame.h"
#include "report/render/path_text.h"

#define NAMES_MAX 256
#define BETWEEN " > "
#define LEFT_OUT "..."
#define BEGIN_MOST 2 /* names at the begin */

struct path_name {
	const char *text;
	size_t length, width;
};

static size_t split_path(const char *path, struct path_name *names)
{
	size_t count = 0;

	while (count < NAMES_MAX) {
		size_t length = strcspn(path, (char[]){ FLAME_SEPARATOR, '\0' });

		names[count++] =
			(struct path_name){ path, length, column_layout_text_width(path, length) };
		if (!path[length])
			break;
		path += length + 1;
	}
	return count;
}

/* The width of the first and the last names, with what stands for those between. */
static size_t find_width(const struct path_name *names, size_t count, size_t first, size_t last)
{
	size_t between = strlen(BETWEEN), width = 0;
	bool is_cut = first + last < count;

	for (size_t i = 0; i < count; i++)
		if (i < first || i >= count - last)
			width += names[i].width;
	return width + (is_cut ? strlen(LEFT_OUT) : 0) + (first + last + is_cut - 1) * between;
}

static void put_escaped(FILE *file, const struct path_name *name)
{
	for (size_t i = 0; i < name->length; i++)
		if (name->text[i] < ' ' || name->text[i] > '~')
			fprintf(file, "\\x%02x", (unsigned char)name->text[i]);
		else
			putc(name->text[i], file);
}

static void put_names(FILE *file, const struct path_name *names, size_t count, size_t first,
		      size_t last)
{
	for (size_t i = 0; i < count; i++) {
		if (i >= first && i < count - last) {
			fputs(i ? BETWEEN LEFT_OUT : LEFT_OUT, file);
			i = count - last - 1;
			continue;
		}
		fputs(i ? BETWEEN : "", file);
		put_escaped(file, &names[i]);
	}
}

static char *fit_path(const char *path, size_t width)
{
	struct path_name names[NAMES_MAX];
	size_t count = split_path(path, names), first, last, size;
	char *text = NULL;
	FILE *file;

	first = count;
	last = 0;
	if (find_width(names, count, first, last) > width) {
		last = 1;
		first = count > BEGIN_MOST ? BEGIN_MOST : count - 1;
		while (first && find_width(names, count, first, last) > width)
			first--;
		while (first + last + 1 < count &&
		       find_width(names, count, first, last + 1) <= width)
			last++;
	}
	file = text_open(&text, &size);
	if (!file)
		return NULL;
	put_names(file, names, count, first, last);
	return text_close(file, &text) ? NULL : text;
}

/* "path (12 of 40 samples): "; if all have this path: "path (40 samples): ", "path (1 sample): " */
static void make_head(const struct column *column, uint64_t with, uint64_t all, char *head,
		      size_t size)
{
	int unit = (int)strlen(column->unit) - (all == 1);

	if (with == all)
		snprintf(head, size, "%s (%" PRIu64 " %.*s): ", column->header, all, unit,
			 column->unit);
	else
		snprintf(head, size, "%s (%" PRIu64 " of %" PRIu64 " %s): ", column->header, with,
			 all, column->unit);
}

char *path_text(const struct column *column, const struct cell *cell, size_t width)
{
	char *path, *text = NULL;
	char head[80];

	make_head(column, cell[1].number, cell[2].number, head, sizeof(head));
	path = fit_path(cell->text, width > strlen(head) ? width - strlen(head) : 0);
	if (path && asprintf(&text, "%s%s", head, path) < 0)
		text = NULL;
	free(path);
	/* a name that does not fit */
	if (text && strlen(text) > width && width > strlen(LEFT_OUT))
		strcpy(text + width - strlen(LEFT_OUT), LEFT_OUT);
	return text;
}
