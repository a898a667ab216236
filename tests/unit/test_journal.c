// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages for the journal: the datagram, and when there is none. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/system/journal.h"

static char *folder, *path;
static int listener;

static int set_up_journal(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)state;
	folder = scratch_directory();
	path = scratch_path(folder, "socket");
	assert_true(strlen(path) < sizeof(address.sun_path));
	strcpy(address.sun_path, path);
	listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	return bind(listener, (struct sockaddr *)&address, sizeof(address));
}

static int tear_down_journal(void **state)
{
	(void)state;
	close(listener);
	scratch_remove(folder);
	free(path);
	return 0;
}

/* As systemd sets it for this standard error, with the inode number changed. */
static void set_stream(uint64_t change)
{
	struct stat about;
	char text[80];

	assert_int_equal(fstat(STDERR_FILENO, &about), 0);
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)about.st_dev,
		 (uintmax_t)about.st_ino + change);
	setenv("JOURNAL_STREAM", text, 1);
}

static void assert_closed(const char *socket_path)
{
	struct journal journal;

	journal_open(&journal, socket_path);
	assert_int_equal(journal.fd, -1);
	assert_false(journal_send(&journal, JOURNAL_INFO, "text", NULL, 0));
	journal_close(&journal);
}

static void message_has_fields(void **state)
{
	const struct journal_field fields[] = { { "KMEMTRACE_PATH", "a\nPRIORITY=0\t" },
						{ "KMEMTRACE_LOST", "" } };
	struct journal journal;
	char text[1000] = "";

	(void)state;
	set_stream(0);
	journal_open(&journal, path);
	assert_int_not_equal(journal.fd, -1);
	assert_true(journal_send(&journal, JOURNAL_WARNING, "one\ntwo \xc3\xa4", fields, 2));
	assert_int_not_equal(read(listener, text, sizeof(text) - 1), -1);
	assert_string_equal(text, "MESSAGE=one two \xc3\xa4\nPRIORITY=4\n"
				  "SYSLOG_IDENTIFIER=test_journal\n"
				  "KMEMTRACE_PATH=a PRIORITY=0 \nKMEMTRACE_LOST=\n");
	/* a full queue does not stop the sender */
	for (int i = 0; i < 10000 && journal_send(&journal, JOURNAL_INFO, "x", NULL, 0); i++)
		;
	assert_false(journal_send(&journal, JOURNAL_INFO, "x", NULL, 0));
	while (read(listener, text, sizeof(text)) > 0)
		;
	assert_true(journal_send(&journal, JOURNAL_INFO, "x", NULL, 0));
	journal_close(&journal);
}

static void other_standard_error_is_not_the_journal(void **state)
{
	char long_path[200];

	(void)state;
	set_stream(1);
	assert_closed(path);
	unsetenv("JOURNAL_STREAM");
	assert_closed(path);
	setenv("JOURNAL_STREAM", "1", 1);
	assert_closed(path);
	setenv("JOURNAL_STREAM", "", 1);
	assert_closed(path);
	set_stream(0);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_closed(long_path);
	assert_closed("/nowhere/socket");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(message_has_fields, set_up_journal,
						tear_down_journal),
		cmocka_unit_test_setup_teardown(other_standard_error_is_not_the_journal,
						set_up_journal, tear_down_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
