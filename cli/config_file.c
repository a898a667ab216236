// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the option of each line in the tables of argp. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/config_file.h"
#include "cli/message.h"

#define SIZE_LIMIT (1024 * 1024)
#define NAMES_MAX 64
#define SUGGESTION_SIZE 80

/* An option, and the parser that takes it. */
struct known_option {
	const struct argp_option *option;
	const struct argp *argp;
	void *input;
};

struct known_options {
	struct known_option list[NAMES_MAX];
	const char *names[NAMES_MAX];
	size_t count;
	const struct argp *root;
};

__attribute__((noreturn)) static void fail(const char *path, const char *why)
{
	exit(error_msg("%s: the configuration file cannot be used: %s", path, why));
}

/* Who can write the file can make kmemtraced write captures anywhere. */
static void check_owner(const char *path, const struct stat *about)
{
	if (about->st_uid && about->st_uid != geteuid())
		fail(path, "it belongs to another user: chown it to root");
	if (about->st_mode & (S_IWGRP | S_IWOTH))
		fail(path, "its group or others can write it: chmod go-w");
}

/* The whole text, which must not hold a NUL. */
static char *read_text(int fd, const char *path)
{
	FILE *stream = fdopen(fd, "r");
	char *text = NULL;
	size_t space = 0;
	ssize_t size;

	if (!stream)
		fail(path, strerror(errno));
	size = getdelim(&text, &space, '\0', stream);
	if (!text)
		fail(path, strerror(ENOMEM));
	if (ferror(stream))
		fail(path, strerror(errno));
	fclose(stream);
	if (size <= 0)
		*text = '\0';
	else if (!text[size - 1])
		fail(path, "it has a NUL byte: it must be a text");
	return text;
}

void config_file_open(struct config_file *file, const char *path)
{
	struct stat about;
	int fd;

	if (file->text)
		return;
	file->origin.file = path;
	fd = open_regular_file(AT_FDCWD, path);
	if (fd == -ENOENT)
		return;
	if (fd < 0)
		fail(path, strerror(-fd));
	if (fstat(fd, &about))
		fail(path, strerror(errno));
	check_owner(path, &about);
	if (about.st_size > SIZE_LIMIT)
		fail(path, strerror(EFBIG));
	file->text = read_text(fd, path);
}

static void add_options(struct known_options *known, const struct argp *argp, void *input)
{
	for (const struct argp_option *option = argp->options;
	     option->name || option->key || option->doc; option++) {
		if (!option->name || known->count == NAMES_MAX)
			continue;
		known->names[known->count] = option->name;
		known->list[known->count++] = (struct known_option){ option, argp, input };
	}
}

/* Cuts blanks off at both ends. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static const struct known_option *find_option(const struct known_options *known, const char *name,
					      const struct argp_state *state)
{
	const char *word = name + strspn(name, "-");
	char suggestion[SUGGESTION_SIZE];

	for (size_t i = 0; i < known->count; i++) {
		const struct argp_option *option = known->list[i].option;

		if (!strcmp(option->name, name))
			return &known->list[i];
		if (!strcmp(option->name, word) || (*word == option->key && !word[1]))
			option_error(state, "\"%s\" is not the name of an option: did you mean %s?",
				     name, option->name);
	}
	option_error(state, "\"%s\" is not the name of an option%s", name,
		     suggest_text(word, known->names, known->count, suggestion,
				  sizeof(suggestion)));
}

static void check_value(const struct argp_option *option, const char *value,
			const struct argp_state *state)
{
	if (value && !option->arg)
		option_error(state, "%s: takes no value: write the name alone", option->name);
	if (value && !*value)
		option_error(state, "%s: the value is empty", option->name);
	if (!value && option->arg && !(option->flags & OPTION_ARG_OPTIONAL))
		option_error(state, "%s: needs a value: %s = %s", option->name, option->name,
			     option->arg);
}

static bool has_word(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

static bool has_key(const int *keys, size_t count, int key)
{
	for (size_t i = 0; i < count; i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* Parses one line, which is cut into its words. */
static void parse_line(char *line, const struct known_options *known, const char *const *refused,
		       struct argp_state *state, FILE *used)
{
	char *equals = strchr(line, '='), *value = NULL, *name;
	const struct known_option *found;
	int keys[COMMAND_LINE_KEYS];
	error_t err;

	if (equals) {
		*equals = '\0';
		value = trim(equals + 1);
	}
	name = trim(line);
	if (has_word(refused, name))
		option_error(state, "%s: can be used on the command line only", name);
	found = find_option(known, name, state);
	check_value(found->option, value, state);
	if (has_key(keys, command_line_keys(known->root, state, keys), found->option->key))
		return;
	state->input = found->input;
	err = found->argp->parser(found->option->key, value, state);
	if (err)
		option_error(state, "%s: %s", name, strerror(err));
	fprintf(used, value ? " --%s=%s" : " --%s", name, value);
}

void config_file_parse(struct config_file *file, const struct argp *argp, struct argp_state *state,
		       const char *const *refused)
{
	struct known_options known = { .root = argp };
	struct argp_state line_state = *state;
	char *line, *rest = file->text;
	size_t size;
	FILE *used;

	if (!file->origin.file)
		return;
	if (!file->text)
		fail(file->origin.file, strerror(ENOENT));
	add_options(&known, argp, state->input);
	for (size_t i = 0; argp->children && argp->children[i].argp; i++)
		add_options(&known, argp->children[i].argp, state->child_inputs[i]);
	used = open_memstream(&file->used, &size);
	if (!used)
		fail(file->origin.file, strerror(errno));
	line_state.hook = &file->origin;
	while ((line = strsep(&rest, "\n"))) {
		file->origin.line++;
		line = trim(line);
		if (*line && *line != '#')
			parse_line(line, &known, refused, &line_state, used);
	}
	if (text_close(used, &file->used))
		fail(file->origin.file, strerror(ENOMEM));
	file->origin.line = 0;
	state->hook = &file->origin;
}

void config_file_deinit(struct config_file *file)
{
	free(file->text);
	free(file->used);
}
