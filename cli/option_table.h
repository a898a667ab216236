/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of a program in tables of rows, for argp, for a configuration file, and as a list. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/command_line.h"
#include "cli/option_row.h"

#define OPTIONS_MAX 96
#define OPTION_LIST "--list-options" /* alone, prints the rows; --help does not have it */

/* Rows, and the member of the program's options that they are for. The last has rows NULL. */
struct option_table {
	const struct option_row *rows;
	size_t offset; /* of the member */
	int group;     /* in --help; each heading begins the next one */
};

/* An option: a row with a name. */
struct program_option {
	const struct option_row *row;
	size_t offset; /* of its table */
	bool given;    /* on the command line or in a file */
};

/* The options of a program while they are parsed: state->hook. */
struct option_parser {
	struct option_origin origin; /* file NULL: the command line alone */
	const struct argp *program;
	void *options;
	struct program_option list[OPTIONS_MAX];
	size_t count;
	const struct option_row *row;	   /* that is parsed */
	const struct option_row *no_value; /* the last one without its optional value, or NULL */
};

/*
 * Parses the command line, as parse_command_line(). program: its parser gets the arguments and the
 * end of the options; at ARGP_KEY_SUCCESS the needs and excludes of the rows are checked.
 */
void option_tables_parse(const struct argp *program, const struct option_table *tables, int argc,
			 char **argv, unsigned int flags, void *options);

/* Parses a value, NULL: there is none, and stores it. */
void option_take(struct argp_state *state, struct program_option *option, const char *text);

/* Was the option of this long name given? */
bool option_is_given(const struct argp_state *state, const char *name);

/* In a function of a row: this row. */
const struct option_row *option_row_current(const struct argp_state *state);

#endif
