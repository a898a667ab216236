// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cuts the text into names and values. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/config_lines.h"

/* Cuts blanks off at both ends. */
static char *trim_blanks(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int add_config_line(struct config_lines *lines, char *text, unsigned int number)
{
	struct config_line *list = array_grow(lines->list, lines->count, sizeof(*list));
	struct config_line *line;
	char *equals = strchr(text, '=');

	if (!list)
		return -ENOMEM;
	lines->list = list;
	line = &list[lines->count++];
	*line = (struct config_line){ .number = number };
	if (equals) {
		*equals = '\0';
		line->value = trim_blanks(equals + 1);
	}
	line->name = trim_blanks(text);
	return 0;
}

int config_lines_parse(struct config_lines *lines, char *text)
{
	unsigned int number = 0;
	char *line;
	int err = 0;

	*lines = (struct config_lines){ .text = text };
	while (!err && (line = strsep(&text, "\n"))) {
		number++;
		line = trim_blanks(line);
		if (*line && *line != '#')
			err = add_config_line(lines, line, number);
	}
	if (err)
		config_lines_deinit(lines);
	return err;
}

void config_lines_deinit(struct config_lines *lines)
{
	free(lines->text);
	free(lines->list);
	memset(lines, 0, sizeof(*lines));
}

/* The next line with this name from *at on, which moves behind it; NULL: there is none. */
static const struct config_line *next_line(const struct config_lines *lines, const char *name,
					   size_t *at)
{
	while (*at < lines->count)
		if (!strcmp(lines->list[(*at)++].name, name))
			return &lines->list[*at - 1];
	return NULL;
}

bool config_lines_agree(const struct config_lines *one, const struct config_lines *other,
			const char *name)
{
	size_t at = 0, other_at = 0;

	for (;;) {
		const struct config_line *a = next_line(one, name, &at);
		const struct config_line *b = next_line(other, name, &other_at);

		if (!a || !b)
			return a == b;
		if (!a->value != !b->value || (a->value && strcmp(a->value, b->value) != 0))
			return false;
	}
}
