// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the option of each line in the tables of argp. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
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
#define SUGGESTION_SIZE 80

/* An option, and the parser that takes it. */
struct known_option {
	const struct argp_option *option;
	const struct argp *argp;
	void *input;
};

struct known_options {
	struct known_option list[CONFIG_OPTIONS_MAX];
	const char *names[CONFIG_OPTIONS_MAX];
	size_t count;
	const struct argp *root;
};

__attribute__((noreturn)) static void fail(const char *path, const char *why)
{
	exit(error_msg("%s: the configuration file cannot be used: %s", path, why));
}

/* A user who can write the file can make kmemtraced write captures anywhere. NULL: no one else. */
static const char *check_file(const struct stat *about)
{
	if (about->st_uid && about->st_uid != geteuid())
		return "it belongs to another user: chown it to root";
	if (about->st_mode & (S_IWGRP | S_IWOTH))
		return "its group or others can write it: chmod go-w";
	return about->st_size > SIZE_LIMIT ? strerror(EFBIG) : NULL;
}

/* The whole text, which must not hold a NUL. NULL: *why says why. */
static char *read_text(int fd, const char **why)
{
	FILE *stream = fdopen(fd, "r");
	char *text = NULL;
	size_t space = 0;
	ssize_t size;

	if (!stream) {
		*why = strerror(errno);
		close(fd);
		return NULL;
	}
	size = getdelim(&text, &space, '\0', stream);
	if (!text)
		*why = strerror(ENOMEM);
	else if (ferror(stream))
		*why = strerror(errno);
	else if (size > 0 && !text[size - 1])
		*why = "it has a NUL byte: it must be a text";
	else if (size <= 0)
		*text = '\0';
	fclose(stream);
	if (*why) {
		free(text);
		return NULL;
	}
	return text;
}

/* The text of the file; NULL: *why says why, or is NULL: there is no such file. */
static char *read_file_text(int directory, const char *name, const char **why)
{
	int fd = open_regular_file(directory, name);
	struct stat about;

	*why = NULL;
	if (fd == -ENOENT)
		return NULL;
	if (fd < 0)
		*why = strerror(-fd);
	else if (fstat(fd, &about))
		*why = strerror(errno);
	else
		*why = check_file(&about);
	if (!*why)
		return read_text(fd, why);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* An editor may replace the file: its directory stays, and is open when it is read again. */
static int open_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(directory);
	return fd;
}

void config_file_open(struct config_file *file, const char *path)
{
	const char *why;
	char *text;

	if (file->is_open)
		return;
	file->origin.file = path;
	text = read_file_text(AT_FDCWD, path, &why);
	if (why)
		fail(path, why);
	if (!text)
		return;
	file->directory = open_directory_of(path);
	if (file->directory < 0)
		fail(path, strerror(errno));
	file->is_open = true;
	if (config_lines_parse(&file->lines, text))
		fail(path, strerror(ENOMEM));
}

static void add_options(struct known_options *known, const struct argp *argp, void *input)
{
	for (const struct argp_option *option = argp->options;
	     option->name || option->key || option->doc; option++) {
		if (!option->name || known->count == CONFIG_OPTIONS_MAX)
			continue;
		known->names[known->count] = option->name;
		known->list[known->count++] = (struct known_option){ option, argp, input };
	}
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

/* Which lines count? Those of options that the command line does not have. */
static void find_overridden(struct config_file *file, const struct known_options *known,
			    const struct argp_state *state)
{
	int keys[COMMAND_LINE_KEYS];
	size_t count = command_line_keys(known->root, state, keys);

	file->name_count = known->count;
	for (size_t i = 0; i < known->count; i++) {
		file->names[i] = known->names[i];
		file->on_command_line[i] = has_key(keys, count, known->list[i].option->key);
	}
}

static void parse_line(const struct config_file *file, const struct config_line *line,
		       const struct known_options *known, const char *const *refused,
		       struct argp_state *state, FILE *used)
{
	const struct known_option *found;
	error_t err;

	if (has_word(refused, line->name))
		option_error(state, "%s: can be used on the command line only", line->name);
	found = find_option(known, line->name, state);
	check_value(found->option, line->value, state);
	if (file->on_command_line[found - known->list])
		return;
	state->input = found->input;
	err = found->argp->parser(found->option->key, line->value, state);
	if (err)
		option_error(state, "%s: %s", line->name, strerror(err));
	fprintf(used, line->value ? " --%s=%s" : " --%s", line->name, line->value);
}

void config_file_parse(struct config_file *file, const struct argp *argp, struct argp_state *state,
		       const char *const *refused)
{
	struct known_options known = { .root = argp };
	struct argp_state line_state = *state;
	size_t size;
	FILE *used;

	if (!file->origin.file)
		return;
	if (!file->is_open)
		fail(file->origin.file, strerror(ENOENT));
	add_options(&known, argp, state->input);
	for (size_t i = 0; argp->children && argp->children[i].argp; i++)
		add_options(&known, argp->children[i].argp, state->child_inputs[i]);
	find_overridden(file, &known, state);
	used = open_memstream(&file->used, &size);
	if (!used)
		fail(file->origin.file, strerror(errno));
	line_state.hook = &file->origin;
	for (size_t i = 0; i < file->lines.count; i++) {
		file->origin.line = file->lines.list[i].number;
		parse_line(file, &file->lines.list[i], &known, refused, &line_state, used);
	}
	if (text_close(used, &file->used))
		fail(file->origin.file, strerror(ENOMEM));
	file->origin.line = 0;
	state->hook = &file->origin;
}

/* The index of a name; SIZE_MAX: it is not that of an option. */
static size_t find_name(const struct config_file *file, const char *name)
{
	for (size_t i = 0; i < file->name_count; i++)
		if (!strcmp(file->names[i], name))
			return i;
	return SIZE_MAX;
}

/* Removes the lines that do not count. */
static int filter_lines(const struct config_file *file, struct config_lines *lines, char *errmsg,
			size_t errmsg_size)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct config_line *line = &lines->list[i];
		size_t name = find_name(file, line->name);

		if (name == SIZE_MAX) {
			snprintf(errmsg, errmsg_size, "%s:%u: \"%s\" is not the name of an option",
				 file->origin.file, line->number, line->name);
			return -EINVAL;
		}
		if (!file->on_command_line[name])
			lines->list[kept++] = *line;
	}
	lines->count = kept;
	return 0;
}

int config_file_reread(const struct config_file *file, struct config_lines *lines, char *errmsg,
		       size_t errmsg_size)
{
	const char *slash = strrchr(file->origin.file, '/'), *why;
	char *text = read_file_text(file->directory, slash ? slash + 1 : file->origin.file, &why);
	int err;

	*lines = (struct config_lines){ 0 };
	if (!text) {
		snprintf(errmsg, errmsg_size, "%s: the configuration file cannot be used: %s",
			 file->origin.file, why ? why : strerror(ENOENT));
		return -ENOENT;
	}
	err = config_lines_parse(lines, text);
	if (err)
		snprintf(errmsg, errmsg_size, "%s: %s", file->origin.file, strerror(-err));
	else
		err = filter_lines(file, lines, errmsg, errmsg_size);
	if (err)
		config_lines_deinit(lines);
	return err;
}

void config_file_deinit(struct config_file *file)
{
	if (file->is_open)
		close(file->directory);
	config_lines_deinit(&file->lines);
	free(file->used);
}
