/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A configuration file: "name = value" or "name" in each line, with the names of the long options,
 * comments behind "#" and empty lines. An error ends the program with EXIT_TROUBLE, and names the
 * file and the line; but config_file_reread() returns it.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <argp.h>

#include "cli/command_line.h"
#include "cli/config_lines.h"

#define CONFIG_OPTIONS_MAX 96

/* All zero: no file. */
struct config_file {
	struct option_origin origin; /* the file that is used, or the last that is missing */
	bool is_open;		     /* a file is there */
	int directory;		     /* of the file, open, if is_open */
	struct config_lines lines;   /* values of options point into them */
	char *used;		     /* after config_file_parse(): " --name=value" each; or NULL */
	/* after config_file_parse(): the names that a file may have, and whether its line counts */
	const char *names[CONFIG_OPTIONS_MAX];
	bool on_command_line[CONFIG_OPTIONS_MAX];
	size_t name_count;
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

/*
 * Reads the file again, in the directory that it was in. lines gets all lines of it, without those
 * of options that the command line has too. 0, or -errno with errmsg set: the file cannot be used,
 * or a name is not that of an option.
 */
int config_file_reread(const struct config_file *file, struct config_lines *lines, char *errmsg,
		       size_t errmsg_size);

void config_file_deinit(struct config_file *file);

#endif
