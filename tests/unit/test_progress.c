// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The progress line: only on a terminal, after a delay, at most ten times a second. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "cli/progress.h"

#define HOUR 3600000000000ULL /* ns: longer than the machine can stop this test */

/* Standard error is replaced by a terminal or a pipe; before is the original. */
struct redirection {
	int before, ours;
};

static void redirect_stream(struct redirection *redirection, int ours, int theirs)
{
	fflush(stderr);
	redirection->before = dup(STDERR_FILENO);
	redirection->ours = ours;
	assert_true(redirection->before >= 0 && dup2(theirs, STDERR_FILENO) == STDERR_FILENO);
	close(theirs);
}

static void redirect_to_terminal(struct redirection *redirection)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY), theirs;

	if (ours < 0 || grantpt(ours) || unlockpt(ours)) {
		print_message("there is no pseudo-terminal here\n");
		skip();
	}
	theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
	assert_true(theirs >= 0);
	redirect_stream(redirection, ours, theirs);
}

/* Reads the text that was written, up to size - 1 bytes. */
static void read_text(const struct redirection *redirection, char *text, size_t size)
{
	ssize_t got;

	assert_int_equal(fcntl(redirection->ours, F_SETFL, O_NONBLOCK), 0);
	got = read(redirection->ours, text, size - 1);
	text[got > 0 ? got : 0] = '\0';
}

static void restore_streams(struct redirection *redirection)
{
	fflush(stderr);
	dup2(redirection->before, STDERR_FILENO);
	close(redirection->before);
	close(redirection->ours);
}

static void draws_and_clears_the_line(void **state)
{
	struct progress_line line;
	struct redirection redirection;
	char text[200];

	(void)state;
	redirect_to_terminal(&redirection);
	progress_line_init(&line, false, 0);
	line.file = "capture";
	progress_line_bytes(&line, 42000000, 100000000);
	read_text(&redirection, text, sizeof(text));
	assert_int_equal(strncmp(text, "\rcapture:  42% of 100.0 MB, ", 28), 0);
	assert_non_null(strstr(text, " MB/s\033[K"));
	/* not again before it is due, in an interval */
	assert_in_range(line.due, line.begin + PROGRESS_INTERVAL, UINT64_MAX - HOUR);
	line.due += HOUR;
	progress_line_bytes(&line, 43000000, 100000000);
	read_text(&redirection, text, sizeof(text));
	assert_string_equal(text, "");
	line.due = 0;
	progress_line_bytes(&line, 44000000, 100000000);
	read_text(&redirection, text, sizeof(text));
	assert_non_null(strstr(text, " 44% "));
	progress_line_clear();
	progress_line_clear();
	read_text(&redirection, text, sizeof(text));
	assert_string_equal(text, "\r\033[K");
	restore_streams(&redirection);
}

static void assert_nothing_is_drawn(const struct redirection *redirection, bool quiet,
				    uint64_t delay)
{
	struct progress_line line;
	char text[200];

	progress_line_init(&line, quiet, delay);
	assert_int_equal(line.due, line.begin + delay);
	line.due += delay ? HOUR : 0;
	line.file = "capture";
	progress_line_bytes(&line, 1, 2);
	progress_line_clear();
	read_text(redirection, text, sizeof(text));
	assert_string_equal(text, "");
}

static void draws_nothing_when_disabled(void **state)
{
	struct redirection redirection;
	int pipe_ends[2];

	(void)state;
	redirect_to_terminal(&redirection);
	assert_nothing_is_drawn(&redirection, true, 0);
	assert_nothing_is_drawn(&redirection, false, PROGRESS_DELAY);
	restore_streams(&redirection);
	assert_int_equal(pipe(pipe_ends), 0);
	redirect_stream(&redirection, pipe_ends[0], pipe_ends[1]);
	assert_nothing_is_drawn(&redirection, false, 0);
	restore_streams(&redirection);
	progress_line_bytes(NULL, 1, 2);
	progress_line_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_and_clears_the_line),
		cmocka_unit_test(draws_nothing_when_disabled),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
