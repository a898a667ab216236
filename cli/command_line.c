// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages about a command line, and the search for a mistyped long option. */
#include "config.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/command_line.h"
#include "cli/message.h"

#define LONG_OPTIONS_MAX 112
#define SUGGESTION_SIZE 80
#define TEXT_SIZE 4096

/* The options of an argp table, in the form that getopt_long() takes. */
struct getopt_table {
	struct option options[LONG_OPTIONS_MAX + 1];
	const char *names[LONG_OPTIONS_MAX];
	size_t count;
	char letters[4 + 3 * LONG_OPTIONS_MAX];
};

/* The key is what getopt_long() returns; -?, which also stands for an unknown option, has 0. */
static void add_option(struct getopt_table *table, const char *name, int key, const char *argument,
		       int flags)
{
	int has_argument = !argument			 ? no_argument
			   : flags & OPTION_ARG_OPTIONAL ? optional_argument
							 : required_argument;
	char letter[4] = { (char)key, ':', ':' };

	if (table->count == LONG_OPTIONS_MAX)
		return;
	if (name) {
		table->names[table->count] = name;
		table->options[table->count++] = (struct option){ .name = name,
								  .has_arg = has_argument,
								  .val = key == '?' ? 0 : key };
	}
	if (key > ' ' && key <= '~') {
		letter[1 + has_argument] = '\0';
		strcat(table->letters, letter);
	}
}

static void make_getopt_table(struct getopt_table *table, const struct argp *argp,
			      unsigned int flags)
{
	memset(table, 0, sizeof(*table));
	/* a plus ends the options at the first argument, as ARGP_IN_ORDER with a command does */
	if (flags & ARGP_IN_ORDER)
		strcat(table->letters, "+");
	for (const struct argp_option *option = argp->options;
	     option && (option->name || option->key || option->doc); option++)
		add_option(table, option->name, option->key, option->arg, option->flags);
	add_option(table, "help", '?', NULL, 0);
	add_option(table, "usage", 0, NULL, 0);
	add_option(table, "version", 'V', NULL, 0);
}

/* Ends the program if a long option is unknown and resembles a known one; argp refuses the rest. */
static void check_long_options(const struct argp *argp, int argc, char **argv, unsigned int flags)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy)), name[SUGGESTION_SIZE];
	struct getopt_table table;
	const char *word = NULL;
	int key;

	if (!copy)
		return;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy)); /* getopt_long() sorts it */
	make_getopt_table(&table, argp, flags);
	opterr = 0;
	while (!word && (key = getopt_long(argc, copy, table.letters, table.options, NULL)) != -1) {
		if (key != '?' || optopt || strncmp(copy[optind - 1], "--", 2) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(copy[optind - 1] + 2, "="),
			 copy[optind - 1] + 2);
		word = suggest_word(name, table.names, table.count);
		/* the beginning of several options is ambiguous, not mistyped */
		if (word && strncmp(word, name, strlen(name)) == 0)
			word = NULL;
	}
	free(copy);
	optind = 0;
	opterr = 1;
	if (!word)
		return;
	error_msg("unrecognized option '--%s': did you mean --%s?", name, word);
	argp_help(argp, stderr, ARGP_HELP_SEE, program_invocation_short_name);
	exit(EXIT_TROUBLE);
}

void option_error(const struct argp_state *state, const char *format, ...)
{
	const struct option_origin *origin = state->hook;
	char text[TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (origin && origin->file && origin->line)
		exit(error_msg("%s:%u: %s", origin->file, origin->line, text));
	if (origin && origin->file)
		argp_error(state, "%s (the options in %s are used too)", text, origin->file);
	else
		argp_error(state, "%s", text);
	exit(EXIT_TROUBLE);
}

static void print_version(FILE *file, struct argp_state *state)
{
	(void)state;
	fprintf(file, "%s %s\n", program_invocation_short_name, PACKAGE_VERSION);
}

/*
 * A file that is opened never gets the number of standard input, output or error that the caller
 * has closed: messages would be written into it. To read or write the standard file still fails.
 */
static void keep_standard_numbers(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			exit(EXIT_TROUBLE);
}

void parse_command_line(const struct argp *argp, int argc, char **argv, unsigned int flags,
			void *options)
{
	error_t err;

	keep_standard_numbers();
	argp_err_exit_status = EXIT_TROUBLE;
	argp_program_version_hook = print_version;
	if (argc)
		argv[0] = program_invocation_short_name;
	check_long_options(argp, argc, argv, flags);
	err = argp_parse(argp, argc, argv, flags, NULL, options);
	if (err)
		exit(error_msg("the command line cannot be read: %s", strerror(err)));
}

void parse_paths(struct argp_state *state, struct path_arguments *arguments)
{
	arguments->paths = state->argv + state->next;
	arguments->count = (size_t)(state->argc - state->next);
	for (size_t i = 0; i < arguments->count; i++)
		if (!*arguments->paths[i])
			option_error(state, "argument %zu is empty: name a file or a directory",
				     i + 1);
}
