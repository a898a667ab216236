// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-report: one pass over a capture, one view of it, one renderer. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/options.h"
#include "report/report.h"
#include "capture/capture.h"

/* Of the capture that the options name. */
static int report(const struct options *options)
{
	struct capture capture;
	int status, err;

	if (report_check_sort(options))
		return EXIT_TROUBLE;
	err = capture_open(&capture, options->input);
	if (err) {
		fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, capture.errmsg,
			err == -ENOENT
				? ": capture first with kmemtraced, or name a capture with -i"
				: "");
		return EXIT_TROUBLE;
	}
	status = report_print(options, &capture);
	capture_close(&capture);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	argv[0] = program_invocation_short_name;
	options_parse(&options, argc, argv);
	status = report(&options);
	options_deinit(&options);
	if (fclose(stdout) && status != EXIT_TROUBLE) {
		complain("standard output", strerror(errno));
		status = EXIT_TROUBLE;
	}
	return status;
}
