// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The line that says how far something is: on a terminal only, not too soon, not too often. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/progress.h"

/* Standard error as a terminal, or a pipe; what was there before. */
struct away {
	int before, ours;
};

static void begin(struct away *away, int ours, int theirs)
{
	fflush(stderr);
	away->before = dup(STDERR_FILENO);
	away->ours = ours;
	assert_true(away->before >= 0 && dup2(theirs, STDERR_FILENO) == STDERR_FILENO);
	close(theirs);
}

static void begin_terminal(struct away *away)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY), theirs;

	if (ours < 0 || grantpt(ours) || unlockpt(ours)) {
		print_message("there is no pseudo-terminal here\n");
		skip();
	}
	theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
	assert_true(theirs >= 0);
	begin(away, ours, theirs);
}

/* What was written, up to size - 1 bytes. */
static void read_text(const struct away *away, char *text, size_t size)
{
	ssize_t got;

	assert_int_equal(fcntl(away->ours, F_SETFL, O_NONBLOCK), 0);
	got = read(away->ours, text, size - 1);
	text[got > 0 ? got : 0] = '\0';
}

static void end(struct away *away)
{
	fflush(stderr);
	dup2(away->before, STDERR_FILENO);
	close(away->before);
	close(away->ours);
}

static void test_draw(void **state)
{
	struct progress_line line;
	struct away away;
	char text[200];

	(void)state;
	begin_terminal(&away);
	progress_line_init(&line, false, 0);
	line.file = "capture";
	progress_line_bytes(&line, 42000000, 100000000);
	read_text(&away, text, sizeof(text));
	assert_int_equal(strncmp(text, "\rcapture:  42% of 100.0 MB, ", 28), 0);
	assert_non_null(strstr(text, " MB/s\033[K"));
	/* but a moment later */
	progress_line_bytes(&line, 43000000, 100000000);
	read_text(&away, text, sizeof(text));
	assert_string_equal(text, "");
	line.due -= PROGRESS_INTERVAL;
	progress_line_bytes(&line, 44000000, 100000000);
	read_text(&away, text, sizeof(text));
	assert_non_null(strstr(text, " 44% "));
	progress_line_clear();
	progress_line_clear();
	read_text(&away, text, sizeof(text));
	assert_string_equal(text, "\r\033[K");
	end(&away);
}

static void assert_silent(const struct away *away, bool quiet, uint64_t delay)
{
	struct progress_line line;
	char text[200];

	progress_line_init(&line, quiet, delay);
	line.file = "capture";
	progress_line_bytes(&line, 1, 2);
	progress_line_clear();
	read_text(away, text, sizeof(text));
	assert_string_equal(text, "");
}

static void test_silent(void **state)
{
	struct away away;
	int pipe_ends[2];

	(void)state;
	begin_terminal(&away);
	assert_silent(&away, true, 0);
	assert_silent(&away, false, PROGRESS_DELAY);
	end(&away);
	assert_int_equal(pipe(pipe_ends), 0);
	begin(&away, pipe_ends[0], pipe_ends[1]);
	assert_silent(&away, false, 0);
	end(&away);
	progress_line_bytes(NULL, 1, 2);
	progress_line_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draw),
		cmocka_unit_test(test_silent),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
