// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the pager as git does: $PAGER or less, which quits at once if all fits on one screen. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/pager.h"

#define DEFAULT "command -v less >/dev/null || exit 127; exec less"
#define NOT_FOUND 127 /* the shell's exit status if it does not find the command */

/* The pager's command; NULL: none. */
static const char *pager_command(void)
{
	const char *command = getenv("PAGER");

	if (!command)
		return DEFAULT;
	return *command && strcmp(command, "cat") ? command : NULL;
}

static size_t terminal_lines(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_row : 0;
}

bool pager_is_possible(void)
{
	return terminal_lines() && pager_command();
}

static int print_unpaged(const char *text, size_t length)
{
	errno = 0;
	if (fwrite(text, 1, length, stdout) == length && !fflush(stdout))
		return 0;
	return errno ? -errno : -EIO;
}

/* If the user quits the pager early, it takes only a part of the text: that is not an error. */
static void feed_pager(FILE *pager, const char *text, size_t length)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	sigaction(SIGPIPE, &ignore, &before);
	fwrite(text, 1, length, pager);
	fflush(pager);
	sigaction(SIGPIPE, &before, NULL);
}

int pager_print(const char *text, size_t length)
{
	const char *command = pager_command(), *end = text + length;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	size_t lines = 1; /* the prompt's, too */
	FILE *pager;
	int status;

	for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	if (!command || lines <= terminal_lines())
		return print_unpaged(text, length);
	/* less: quit if all fits, show colors, leave the text on the screen */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	pager = popen(command, "w");
	if (!pager)
		return print_unpaged(text, length);
	/* Ctrl-C is for the pager */
	sigaction(SIGINT, &ignore, &before);
	feed_pager(pager, text, length);
	status = pclose(pager);
	sigaction(SIGINT, &before, NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return print_unpaged(text, length);
	return 0;
}
