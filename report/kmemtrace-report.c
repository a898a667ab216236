// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-report: prints one view of a capture in one format. */
#include "config.h"

#include <errno.h>

#include "cli/memory_limit.h"
#include "cli/message.h"
#include "report/options.h"
#include "report/report.h"
#include "capture/capture.h"

/* Reports on the capture that the options name. */
static int report(const struct options *options)
{
	struct capture capture;
	int status, err;

	if (report_check_columns(options))
		return EXIT_TROUBLE;
	err = capture_open(&capture, options->input);
	if (err)
		return error_msg(
			"%s%s", capture.errmsg,
			err == -ENOENT ? ": capture first with kmemtraced, or name a capture" : "");
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
