/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of all argp parsers. Every error ends the program with EXIT_TROUBLE. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_LINE_KEYS 64

/* An option that is not on the command line: what state->hook of option_error() points to. */
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
 * long option.
 */
void parse_command_line(const struct argp *argp, int argc, char **argv, unsigned int flags,
			void *options);

/* argp_error() that also knows options of a file, which it names with the line. */
__attribute__((noreturn, format(printf, 2, 3))) void option_error(const struct argp_state *state,
								  const char *format, ...);

/*
 * The keys of the options on the command line, each as often as it is there, and those of children
 * too. keys: room for COMMAND_LINE_KEYS. Returns their number.
 */
size_t command_line_keys(const struct argp *argp, const struct argp_state *state, int *keys);

/* The index of the text in choices. option: as a message names it, "--format". */
size_t parse_choice(struct argp_state *state, const char *option, const char *text,
		    const char *const *choices, size_t count);

/* A decimal number from min to max. unit: "threads", for the message. */
uint64_t parse_number(struct argp_state *state, const char *option, const char *text, uint64_t min,
		      uint64_t max, const char *unit);

/* The name of a file or directory, which is not empty. */
const char *parse_path(struct argp_state *state, const char *option, const char *text);

/* At ARGP_KEY_ARGS: all arguments that are left. */
void parse_paths(struct argp_state *state, struct path_arguments *arguments);

#endif
