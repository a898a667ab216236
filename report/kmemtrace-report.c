// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-report: prints one view of a capture, or of two, in one format. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory_limit.h"
#include "cli/message.h"
#include "report/diff_report.h"
#include "report/options.h"
#include "report/report.h"
#include "report/report_page.h"
#include "report/report_summaries.h"
#include "report/summaries_page.h"
#include "report/report_trace.h"
#include "report/views/view.h"
#include "capture/capture_file.h"
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
static int report_live(const struct report_options *options)
{
	struct live_capture live;
	struct capture capture;
	int status;

	if (!options->view->shows_events)
		return error_msg(
			"-i -: the view %s needs a whole capture: record one with kmemtraced, or name the view events or count",
			options->view->name);
	handle_interrupt();
	if (live_capture_open(&live, &capture, stdin)) {
		status = error_msg("%s", capture.error.text);
	} else {
		status = report_print(options, &capture);
		if (!live.is_whole && status != EXIT_TROUBLE)
			info_msg(
				"standard input: the stream ended before the capture was complete: the losses at its end are not known");
	}
	live_capture_close(&live);
	capture_close(&capture);
	return status;
}

/* Reports on the capture at a path, which the user has named in the options. */
static int report_directory(const struct report_options *options, const char *path)
{
	struct capture capture;
	int status = report_open_capture(&capture, options, path);

	if (status)
		return status;
	if (options->is_page)
		status = report_page(options, &capture);
	else if (options->is_trace)
		status = report_trace(options, &capture);
	else
		status = report_print(options, &capture);
	capture_close(&capture);
	return status;
}

/* Reports on a file that is open, or on a capture at the path that the options name. */
static int report_file(const struct report_options *options, FILE *input)
{
	const char *name = input ? "standard input" : options->input;
	struct capture_file file;
	int status, err;

	err = input ? capture_file_read(&file, input, name, true)
		    : capture_file_open(&file, name, true);
	if (file.is_archive)
		message_show_path_as(file.path, name);
	if (err == -EBADMSG)
		status = error_msg(
			"%s: kmemtrace-check says what it holds, and kmemtrace-pack -o DIR unpacks it",
			file.error.text);
	else if (err)
		status = error_msg("%s", file.error.text);
	else
		status = report_directory(options, file.path);
	message_show_path_as(NULL, NULL);
	capture_file_close(&file);
	return status;
}

/* Does standard input begin as a stream of kmemtraced -o -, or not at all? Else it is an archive.
 */
static bool input_is_stream(void)
{
	int first = getc(stdin);

	if (first == EOF)
		return true;
	ungetc(first, stdin);
	return first == STREAM_FRAME_FIRST[0];
}

/* Reports on a file of summaries, NULL: no memory. Frees its name. */
static int report_summaries(const struct report_options *options, char *file)
{
	struct summaries_view view = { 0 };
	int status = file ? report_summaries_open(&view, options, file)
			  : error_msg("%s: %s", options->input, strerror(ENOMEM));

	if (status == EXIT_OK)
		status = options->is_page ? summaries_page_print(options, &view)
					  : report_summaries_print(options, &view);
	if (status == EXIT_OK)
		status = report_summaries_check_loss(options, &view.summaries);
	summaries_view_deinit(&view);
	free(file);
	return status;
}

static int report_input(const struct report_options *options)
{
	char *file;

	if (options->view->compares)
		return diff_print(options);
	if (report_summaries_find(options->input, &file))
		return report_summaries(options, file);
	if (report_check_columns(options))
		return EXIT_TROUBLE;
	if (strcmp(options->input, "-") != 0)
		return report_file(options, NULL);
	return input_is_stream() ? report_live(options) : report_file(options, stdin);
}

int main(int argc, char **argv)
{
	struct report_options options;
	int status;

	report_options_parse(&options, argc, argv);
	memory_limit_set(options.max_memory);
	status = report_input(&options);
	report_options_deinit(&options);
	return status == EXIT_TROUBLE ? status : close_stdout(status);
}
