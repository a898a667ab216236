// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reports about kmemtrace-ship: its status, and the message to kmemtraced. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tracer/ship/shipper_report.h"

#define SECOND 1000000000ULL

static void reads_a_status(void **state)
{
	struct shipper_report report = { .sent = 90, .last_sent = 7, .failure = "old" };

	(void)state;
	shipper_report_parse(&report, "sent 5\ndropped 2\nwaiting_bytes 300\n"
				      "last_sent 1970-01-01T00:01:00Z\n"
				      "failing_since 1970-01-01T00:02Z\n"
				      "failed the first\\x20one\nfailed the second\nother 3\n");
	assert_int_equal(report.sent, 5);
	assert_int_equal(report.dropped, 2);
	assert_int_equal(report.waiting, 300);
	assert_int_equal(report.last_sent, 60 * SECOND);
	assert_int_equal(report.failing_since, 120 * SECOND);
	assert_string_equal(report.failure, "the first one");
}

static void keeps_the_time_of_the_last_summary(void **state)
{
	struct shipper_report report = { .last_sent = 7, .failing_since = 8, .failure = "old" };

	(void)state;
	shipper_report_parse(&report, "sent 5\nlast_sent -\n");
	assert_int_equal(report.last_sent, 7);
	assert_int_equal(report.failing_since, 0);
	assert_string_equal(report.failure, "");
}

/* On the heap, so that the sanitizer sees a read behind the report. */
static void ends_the_text_of_a_report(void **state)
{
	struct shipper_report sent = { .sent = 3 }, *report = calloc(1, sizeof(*report));
	int sockets[2];

	(void)state;
	memset(sent.failure, 'x', sizeof(sent.failure));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sockets), 0);
	assert_false(shipper_report_receive(report, sockets[1]));
	assert_int_equal(send(sockets[0], &sent, sizeof(sent), 0), sizeof(sent));
	assert_int_equal(send(sockets[0], &sent, sizeof(sent) - 1, 0), sizeof(sent) - 1);
	assert_true(shipper_report_receive(report, sockets[1]));
	assert_int_equal(report->sent, 3);
	assert_int_equal(strlen(report->failure), SHIPPER_TEXT - 1);
	assert_false(shipper_report_receive(report, sockets[1]));
	close(sockets[0]);
	close(sockets[1]);
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_status),
		cmocka_unit_test(keeps_the_time_of_the_last_summary),
		cmocka_unit_test(ends_the_text_of_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
