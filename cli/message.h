/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on standard error: "program: file: what: why", one line and one write each. Standard
 * output is flushed and the progress line is cleared before.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "cli/exit_status.h"

/* Something failed. Returns EXIT_TROUBLE, for a caller that ends with it. */
__attribute__((format(printf, 1, 2))) int error_msg(const char *format, ...);

/* Something that the user should know; a caller prints none with --quiet. */
__attribute__((format(printf, 1, 2))) void info_msg(const char *format, ...);

/*
 * Closes standard output at the end of main(). Returns the status, or EXIT_TROUBLE after a message
 * if not all of the output could be written.
 */
int close_stdout(int status);

#endif
