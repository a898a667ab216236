/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on standard error: "program: file: what: why", one line and one write each. Standard
 * output is flushed and the progress line is cleared before.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdarg.h>

#include "cli/exit_status.h"

/* Something failed. Returns EXIT_TROUBLE, for a caller that ends with it. */
__attribute__((format(printf, 1, 2))) int error_msg(const char *format, ...);

/* Something that the user should know; a caller prints none with --quiet. */
__attribute__((format(printf, 1, 2))) void info_msg(const char *format, ...);

/*
 * printf() of text that may hold names of a capture, or a path: printable_write() writes it, except
 * for a newline at the end of the format. It needs no memory; text behind 16 KiB is cut off.
 */
__attribute__((format(printf, 1, 2))) void print_text(const char *format, ...);
void print_text_arguments(const char *format, va_list arguments);

/*
 * From now on, messages and print_text() show the name in place of the path: of a directory that
 * holds a capture which the user has named otherwise. Both must stay. NULL: paths are shown.
 */
void message_show_path_as(const char *path, const char *name);

/*
 * Closes standard output at the end of main(). Returns the status, or EXIT_TROUBLE after a message
 * if not all of the output could be written.
 */
int close_stdout(int status);

#endif
