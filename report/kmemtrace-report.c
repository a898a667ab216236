// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-report: prints one view of a capture in one format. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/memory_limit.h"
#include "cli/message.h"
#include "report/options.h"
#include "report/report.h"
#include "capture/live_capture.h"

static void wait_for_the_sender(int number)
{
	(void)number;
}

/*
 * SIGINT from a terminal stops the sender in the pipe, too: its last events are still printed. A
 * second one stops this program.
 */
static void handle_interrupt(void)
{
	const struct sigaction action = { .sa_handler = wait_for_the_sender,
					  .sa_flags = SA_RESTART | (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
}

/* Reports on a capture that comes from standard input while it is recorded. */
static int report_live(const struct options *options)
{
	struct live_capture live;
	struct capture capture;
	int status;

	handle_interrupt();
	if (live_capture_open(&live, &capture, stdin)) {
		status = error_msg("%s", capture.errmsg);
	} else {
		status = report_print(options, &capture);
		if (!live.is_whole && status != EXIT_TROUBLE)
			info_msg("standard input: the stream ended before the capture was "
				 "complete: the losses at its end are not known");
	}
	live_capture_close(&live);
	capture_close(&capture);
	return status;
}

static const char *advice(int err)
{
	switch (err) {
	case -ENOENT:
		return ": capture first with kmemtraced, or name a capture";
	case -EACCES:
		return ": only its owner can read a capture";
	default:
		return "";
	}
}

/* Reports on the capture that the options name. */
static int report(const struct options *options)
{
	struct capture capture;
	int status, err;

	if (report_check_columns(options))
		return EXIT_TROUBLE;
	if (!strcmp(options->input, "-"))
		return report_live(options);
	err = capture_open(&capture, options->input);
	if (err)
		return error_msg("%s%s", capture.errmsg, advice(err));
	status = report_print(options, &capture);
	capture_close(&capture);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	options_parse(&options, argc, argv);
	memory_limit_set(options.max_memory);
	status = report(&options);
	options_deinit(&options);
	return status == EXIT_TROUBLE ? status : close_stdout(status);
}
