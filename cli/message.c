// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds each message as a whole, so that lines of several processes do not mix. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/progress.h"

static void print_message(const char *format, va_list arguments)
{
	char *text = NULL, *line = NULL;

	fflush(stdout);
	progress_line_clear();
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	if (text && asprintf(&line, "%s: %s\n", program_invocation_short_name, text) < 0)
		line = NULL;
	/* without memory the format must do */
	fputs(line ? line : format, stderr);
	free(line);
	free(text);
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

int close_stdout(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	return error_msg("standard output: %s", strerror(errno ? errno : EIO));
}
