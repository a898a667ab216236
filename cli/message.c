// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds each message as a whole, so that lines of several processes do not mix. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/text.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/progress.h"

#define TEXT_MAX 16384 /* bytes: a path and a few names are shorter */
#define HINT_MAX 128

static struct {
	const char *path, *name;
} shown;

void message_show_path_as(const char *path, const char *name)
{
	shown.path = path;
	shown.name = name;
}

static void show_name(char *text, size_t size)
{
	if (shown.path)
		text_replace(text, size, shown.path, shown.name);
}

/* Writes "program: text hint\n", printable. */
static void write_line(FILE *file, const char *text)
{
	char hint[HINT_MAX];

	fprintf(file, "%s: ", program_invocation_short_name);
	printable_write(file, text);
	fprintf(file, "%s\n", memory_limit_hint(text, hint, sizeof(hint)));
}

static void print_message(const char *format, va_list arguments)
{
	char text[TEXT_MAX], *line = NULL;
	size_t size;
	FILE *file;

	fflush(stdout);
	progress_line_clear();
	vsnprintf(text, sizeof(text), format, arguments);
	show_name(text, sizeof(text));
	file = text_open(&line, &size);
	if (file) {
		write_line(file, text);
		text_close(file, &line);
	}
	/* without memory a message is several writes */
	if (line)
		fputs(line, stderr);
	else
		write_line(stderr, text);
	free(line);
}

int error_msg(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	return EXIT_TROUBLE;
}

void info_msg(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
}

void print_text_arguments(const char *format, va_list arguments)
{
	size_t length = strlen(format);
	bool ends = length && format[length - 1] == '\n';
	char text[TEXT_MAX];
	size_t size = (size_t)vsnprintf(text, sizeof(text), format, arguments);

	if (ends && size && size < sizeof(text))
		text[size - 1] = '\0';
	show_name(text, sizeof(text));
	printable_write(stdout, text);
	if (ends)
		putchar('\n');
}

void print_text(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_text_arguments(format, arguments);
	va_end(arguments);
}

int close_stdout(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	return error_msg("standard output: %s", strerror(errno ? errno : EIO));
}
