/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A configuration file: "name = value" or "name" in each line, with the names of the long options,
 * comments behind "#" and empty lines. An error ends the program with EXIT_TROUBLE, and names the
 * file and the line; but config_file_reread() returns it.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <argp.h>

#include "base/error.h"
#include "cli/config_lines.h"
#include "cli/option_table.h"

/* All zero: no file. */
struct config_file {
	const char *path;	   /* of the file that is used, or the last that is missing */
	bool is_open;		   /* a file is there */
	bool is_private;	   /* other users cannot read it */
	int directory;		   /* of the file, open, if is_open */
	struct config_lines lines; /* values of options point into them */
	/* after config_file_parse(): " --name=value" each, "..." for values if is_private; or NULL
	 */
	char *used;
	/* after config_file_parse(): all options; a line of one that was given is ignored */
	struct program_option options[OPTIONS_MAX];
	size_t option_count;
};

/*
 * Reads the file, unless an earlier call found one: the first that exists is used. It must belong
 * to the caller or root, and no one else may be able to write it.
 */
void config_file_open(struct config_file *file, const char *path);

/*
 * At ARGP_KEY_END: takes the options of the file, except those that the command line has too. Only
 * the command line can have --help, --usage, --version, and options whose row says so.
 */
void config_file_parse(struct config_file *file, struct argp_state *state);

/*
 * Reads the file again, in the directory that it was in. lines gets all lines of it, without those
 * of options that the command line has too. 0, or -errno with error set: the file cannot be used,
 * or a name is not that of an option.
 */
int config_file_reread(const struct config_file *file, struct config_lines *lines,
		       struct error *error);

/* The option of a line that config_file_reread() has returned. */
const struct program_option *config_file_option(const struct config_file *file, const char *name);

/*
 * Checks such a line, and stores its value in the program's options: a text is not copied. Without
 * a value, and for a row with parse() only, it stores nothing. False: why says what is wrong.
 */
bool config_line_store(const struct program_option *option, const char *value, void *options,
		       char why[OPTION_WHY]);

void config_file_deinit(struct config_file *file);

#endif
