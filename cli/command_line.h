/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of all argp parsers. Every error ends the program with EXIT_TROUBLE. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <argp.h>
#include <stddef.h>

/* An option that is not on the command line: state->hook begins with it. file NULL: it is. */
struct option_origin {
	const char *file;
	unsigned int line; /* 0: on the command line, or in the file */
};

/* Captures that are named as plain arguments. */
struct path_arguments {
	char **paths;
	size_t count;
};

/*
 * argp_parse() with --version, the program's name in every message, and a suggestion for a mistyped
 * long option. Before it, opens standard input, output and error if they are closed.
 */
void parse_command_line(const struct argp *argp, int argc, char **argv, unsigned int flags,
			void *options);

/* argp_error() that also knows options of a file, which it names with the line. */
__attribute__((noreturn, format(printf, 2, 3))) void option_error(const struct argp_state *state,
								  const char *format, ...);

/* At ARGP_KEY_ARGS: all arguments that are left. */
void parse_paths(struct argp_state *state, struct path_arguments *arguments);

#endif
