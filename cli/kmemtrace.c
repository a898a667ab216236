// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kmemtrace COMMAND: runs the program that the command names, in place of itself. It is beside this
 * one, or in ../sbin, or in PATH.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/message.h"
#include "cli/option_table.h"

#define SUGGESTION_SIZE 80

struct front_command {
	const char *name, *program;
	const char *first; /* of its arguments; or NULL */
	const char *summary;
};

static const struct front_command commands[] = {
	{ "record", "kmemtraced", NULL, "record slab allocations and frees, or count them" },
	{ "report", "kmemtrace-report", NULL, "print a view of a capture" },
	{ "diff", "kmemtrace-report", "diff", "compare two captures" },
	{ "top", "kmemtrace-top", NULL, "show the live figures of kmemtraced" },
	{ "check", "kmemtrace-check", NULL, "check a capture, or repair it" },
	{ "pack", "kmemtrace-pack", NULL, "pack, split or anonymize a capture" },
	{ "merge", "kmemtrace-merge", NULL, "add up summaries of hosts and times" },
	{ "import", "kmemtrace-import", NULL,
	  "make a capture from a recording of perf, ftrace or trace-cmd" },
	{ "fleet", "kmemtrace-fleet", NULL, "find what leaks in a fleet, and on which hosts" },
	{ "ship", "kmemtrace-ship", NULL, "send summaries to a store of a fleet" },
	{ "doctor", "kmemtraced", "--doctor", "say what this kernel and this user can record" },
	{ "status", "kmemtraced", "--status", "list each running kmemtraced, with losses" },
	{ "where", "kmemtraced", "--memory", "say who has the memory of this machine" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))
#define HELP "help"

/* The words that can be the first argument. */
static const char *command_name(size_t index)
{
	if (index < COMMAND_COUNT)
		return commands[index].name;
	return index == COMMAND_COUNT ? HELP : NULL;
}

static const struct front_command *find_command(const char *name)
{
	const char *names[COMMAND_COUNT + 1];
	char suggestion[SUGGESTION_SIZE];

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
		names[i] = commands[i].name;
	}
	names[COMMAND_COUNT] = HELP;
	suggest_text(name, names, COMMAND_COUNT + 1, suggestion, sizeof(suggestion));
	/* the views are commands of kmemtrace-report; a reader may copy the command */
	if (!*suggestion && *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")])
		snprintf(suggestion, sizeof(suggestion),
			 ": if it is a view of a capture, did you mean report %.20s?", name);
	error_msg("%s: there is no such command%s (kmemtrace help lists them)", name, suggestion);
	return NULL;
}

/* Runs the program of that name in the directory FOLDER of this one's, if it is there. */
static void run_beside(const char *folder, const char *program, char **arguments)
{
	char path[PATH_MAX], file[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;
	int size;

	if (length < 0)
		return;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return;
	size = snprintf(file, sizeof(file), "%.*s/%s%s", (int)(slash - path), path, folder,
			program);
	if (size > 0 && (size_t)size < sizeof(file))
		execv(file, arguments);
}

/* Returns only if the program cannot be run. */
static int execute_program(const char *program, char **arguments)
{
	run_beside("", program, arguments);
	run_beside("../sbin/", program, arguments);
	execvp(program, arguments);
	if (errno == ENOENT)
		return error_msg(
			"%s is not installed: it is neither beside kmemtrace, nor in ../sbin, nor in PATH",
			program);
	return error_msg("%s: %s", program, strerror(errno));
}

static int run_command(const struct front_command *command, int count, char **arguments)
{
	char **list = calloc((size_t)count + 3, sizeof(*list));
	size_t at = 0;
	int status;

	if (!list)
		return error_msg("%s", strerror(ENOMEM));
	list[at++] = (char *)command->program;
	/* the list is that of all commands of the program */
	if (command->first && (count != 1 || strcmp(*arguments, OPTION_LIST) != 0))
		list[at++] = (char *)command->first;
	memcpy(list + at, arguments, (size_t)count * sizeof(*list));
	status = execute_program(command->program, list);
	free(list);
	return status;
}

/* The man page of the command's program; its --help where there is no man. */
static int help_on(const char *name)
{
	const struct front_command *command = find_command(name);
	char help[] = "--help";
	char *arguments[] = { help };

	if (!command)
		return EXIT_TROUBLE;
	execlp("man", "man", command->program, (char *)NULL);
	return run_command(command, 1, arguments);
}

static char *help_filter(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *file;

	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA)
		return (char *)text;
	file = text_open(&list, &size);
	if (!file)
		return NULL;
	fputs("Commands:\n", file);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("  help     print this; help COMMAND shows its man page\n\n"
	      "kmemtrace COMMAND --help lists the options of a command. The man page kmemtrace(1) has an introduction.",
	      file);
	text_close(file, &list);
	return list;
}

struct front_arguments {
	int count;
	char **list;
};

static error_t parse_argument(int key, char *argument, struct argp_state *state)
{
	struct front_arguments *arguments = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		arguments->list = state->argv + state->next;
		arguments->count = state->argc - state->next;
		if (strcmp(*arguments->list, HELP) == 0 && arguments->count == 1)
			argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a command is missing: kmemtrace help lists them");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option_row rows[] = { { .argument = "COMMAND", .word = command_name },
						  { 0 } };
	static const struct option_table tables[] = { { .rows = rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_argument,
		.args_doc = "COMMAND [ARGUMENT...]",
		.doc = "Traces the kernel's slab memory: who allocates it, how much is wasted, and which frees are wrong.",
		.help_filter = help_filter,
	};
	struct front_arguments arguments = { 0 };
	const struct front_command *command;

	/* the options behind the command are the command's */
	option_tables_parse(&argp, tables, argc, argv, ARGP_IN_ORDER, &arguments);
	if (strcmp(*arguments.list, HELP) == 0)
		return help_on(arguments.list[1]);
	command = find_command(*arguments.list);
	if (!command)
		return EXIT_TROUBLE;
	return run_command(command, arguments.count - 1, arguments.list + 1);
}
