// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the option of each line, and checks its value. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/config_file.h"
#include "cli/message.h"

#define SIZE_LIMIT (1024 * 1024)
#define SUGGESTION_SIZE 80
#define COMMAND_LINE_ONLY "can be used on the command line only"

__attribute__((noreturn)) static void refuse_config_file(const char *path, const char *why)
{
	exit(error_msg("%s: the configuration file cannot be used: %s", path, why));
}

/* A user who can write the file can make kmemtraced write captures anywhere. NULL: no one else. */
static const char *check_config_file(const struct stat *about)
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
static char *read_file_text(int directory, const char *name, struct stat *about, const char **why)
{
	int fd = open_regular_file(directory, name);

	*why = NULL;
	if (fd == -ENOENT)
		return NULL;
	if (fd < 0)
		*why = strerror(-fd);
	else if (fstat(fd, about))
		*why = strerror(errno);
	else
		*why = check_config_file(about);
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

/* Can others reach what is in the directory? Not if one of those that it is in does not let them
 * through. */
static bool is_reachable(int directory)
{
	struct stat about, above;
	int fd = dup(directory), parent = -1;
	bool is_root = false, is_open = fd >= 0 && !fstat(fd, &about);

	while (is_open && about.st_mode & S_IXOTH && !is_root) {
		parent = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		is_open = parent >= 0 && !fstat(parent, &above);
		if (is_open) {
			is_root = about.st_dev == above.st_dev && about.st_ino == above.st_ino;
			about = above;
		}
		close(fd);
		fd = parent;
	}
	if (fd >= 0)
		close(fd);
	return is_root;
}

void config_file_open(struct config_file *file, const char *path)
{
	struct stat about;
	const char *why;
	char *text;

	if (file->is_open)
		return;
	file->path = path;
	text = read_file_text(AT_FDCWD, path, &about, &why);
	if (why)
		refuse_config_file(path, why);
	if (!text)
		return;
	file->directory = open_directory_of(path);
	if (file->directory < 0)
		refuse_config_file(path, strerror(errno));
	file->is_private = !(about.st_mode & S_IROTH) || !is_reachable(file->directory);
	file->is_open = true;
	if (config_lines_parse(&file->lines, text))
		refuse_config_file(path, strerror(ENOMEM));
}

const struct program_option *config_file_option(const struct config_file *file, const char *name)
{
	for (size_t i = 0; i < file->option_count; i++)
		if (!strcmp(file->options[i].row->name, name))
			return &file->options[i];
	return NULL;
}

/* Why the name is not that of an option, with a suggestion. Returns why. */
static const char *unknown_name(const struct config_file *file, const char *name,
				char why[OPTION_WHY])
{
	const char *word = name + strspn(name, "-"), *names[OPTIONS_MAX], *meant = NULL;
	const size_t word_size = strcspn(name, " \t");
	char suggestion[SUGGESTION_SIZE];

	if (!strcmp(name, "help") || !strcmp(name, "usage") || !strcmp(name, "version")) {
		snprintf(why, OPTION_WHY, "%s: " COMMAND_LINE_ONLY, name);
		return why;
	}
	for (size_t i = 0; i < file->option_count; i++) {
		const struct option_row *row = file->options[i].row;

		names[i] = row->name;
		if (!strcmp(row->name, word) || (*word && *word == row->letter && !word[1]))
			meant = row->name;
	}
	snprintf(suggestion, sizeof(suggestion), ": did you mean %s?", meant ? meant : "");
	if (!meant)
		suggest_text(word, names, file->option_count, suggestion, sizeof(suggestion));
	/* without "=", the rest of the line may be a value that others must not see */
	snprintf(why, OPTION_WHY, "\"%.*s%s\" is not the name of an option%s",
		 (int)MIN(word_size, OPTION_WHY / 2), name, name[word_size] ? " ..." : "",
		 suggestion);
	return why;
}

static bool check_value(const struct option_row *row, const char *value, char why[OPTION_WHY])
{
	if (row->command_line_only)
		snprintf(why, OPTION_WHY, COMMAND_LINE_ONLY);
	else if (value && !row->argument)
		snprintf(why, OPTION_WHY, "takes no value: write the name alone");
	else if (value && !*value)
		snprintf(why, OPTION_WHY, "the value is empty");
	else if (!value && row->argument && !row->optional)
		snprintf(why, OPTION_WHY, "needs a value: %s = %s", row->name, row->argument);
	else
		return true;
	return false;
}

bool config_line_store(const struct program_option *option, const char *value, void *options,
		       char why[OPTION_WHY])
{
	const struct option_row *row = option->row;

	return check_value(row, value, why) &&
	       (!value || option_row_store(row, value, (char *)options + option->offset, why));
}

static void parse_line(const struct config_file *file, const struct config_line *line,
		       struct argp_state *state, FILE *used)
{
	const struct program_option *option = config_file_option(file, line->name);
	struct option_parser *parser = state->hook;
	char why[OPTION_WHY];

	if (!option)
		option_error(state, "%s", unknown_name(file, line->name, why));
	if (!check_value(option->row, line->value, why))
		option_error(state, "%s: %s", line->name, why);
	if (option->given)
		return;
	option_take(state, &parser->list[option - file->options], line->value);
	fprintf(used, line->value ? " --%s=%s" : " --%s", line->name,
		file->is_private ? "..." : line->value);
}

void config_file_parse(struct config_file *file, struct argp_state *state)
{
	struct option_parser *parser = state->hook;
	size_t size;
	FILE *used;

	if (!file->path)
		return;
	if (!file->is_open)
		refuse_config_file(file->path, strerror(ENOENT));
	memcpy(file->options, parser->list, sizeof(file->options));
	file->option_count = parser->count;
	used = text_open(&file->used, &size);
	if (!used)
		refuse_config_file(file->path, strerror(errno));
	parser->origin.file = file->path;
	for (size_t i = 0; i < file->lines.count; i++) {
		parser->origin.line = file->lines.list[i].number;
		parse_line(file, &file->lines.list[i], state, used);
	}
	if (text_close(used, &file->used))
		refuse_config_file(file->path, strerror(ENOMEM));
	parser->origin.line = 0;
}

/* Removes the lines that do not count. */
static int filter_lines(const struct config_file *file, struct config_lines *lines,
			struct error *error)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct config_line *line = &lines->list[i];
		const struct program_option *option = config_file_option(file, line->name);
		char why[OPTION_WHY];

		if (!option)
			return error_format(error, -EINVAL, "%s:%u: %s", file->path, line->number,
					    unknown_name(file, line->name, why));
		if (!option->given)
			lines->list[kept++] = *line;
	}
	lines->count = kept;
	return 0;
}

int config_file_reread(const struct config_file *file, struct config_lines *lines,
		       struct error *error)
{
	const char *slash = strrchr(file->path, '/'), *why;
	struct stat about;
	char *text = read_file_text(file->directory, slash ? slash + 1 : file->path, &about, &why);
	int err;

	*lines = (struct config_lines){ 0 };
	if (!text)
		return error_format(error, -ENOENT, "%s: the configuration file cannot be used: %s",
				    file->path, why ? why : strerror(ENOENT));
	err = config_lines_parse(lines, text);
	err = err ? error_set_at(error, err, file->path) : filter_lines(file, lines, error);
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
