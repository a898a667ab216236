/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A configuration file: "name = value" or "name" in each line, with the names of the long options,
 * comments behind "#" and empty lines. Every error ends the program with EXIT_TROUBLE, and names
 * the file and the line.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <argp.h>

#include "cli/command_line.h"

/* All zero: no file. */
struct config_file {
	struct option_origin origin; /* the file that is used, or the last that is missing */
	char *text;		     /* the values point into it; NULL: no file is there */
	char *used;		     /* after config_file_parse(): " --name=value" each; or NULL */
};

/*
 * Reads the file, unless an earlier call found one: the first that exists is used. It must belong
 * to the caller or root, and no one else may be able to write it.
 */
void config_file_open(struct config_file *file, const char *path);

/*
 * At ARGP_KEY_END of the program's parser: passes the options of the file to the parsers of argp
 * and its children, except those that the command line has too. refused: names that only a command
 * line may have, ends with NULL.
 */
void config_file_parse(struct config_file *file, const struct argp *argp, struct argp_state *state,
		       const char *const *refused);

void config_file_deinit(struct config_file *file);

#endif
