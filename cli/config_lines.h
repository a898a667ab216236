/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a configuration file: "name = value" or "name", without comments and empty lines. */
#ifndef CLI_CONFIG_LINES_H
#define CLI_CONFIG_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct config_line {
	char *name, *value; /* value NULL: there is no equals sign */
	unsigned int number;
};

struct config_lines {
	char *text; /* the lines point into it */
	struct config_line *list;
	size_t count;
};

/* Takes over the text, which came from malloc(), also on failure. 0 or -ENOMEM. */
int config_lines_parse(struct config_lines *lines, char *text);
void config_lines_deinit(struct config_lines *lines); /* all zero is allowed */

/* Do both have the same lines with this name, in the same order? */
bool config_lines_agree(const struct config_lines *one, const struct config_lines *other,
			const char *name);

#endif
