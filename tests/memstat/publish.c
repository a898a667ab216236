// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * publish DIR FILE: publishes the figures of a capture in FILE, as kmemtraced publishes those of
 * the kernel, says "ready", and stays until its standard input ends.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "trace/published.h"

static int publish(const struct analysis *analysis, const struct tally *tally, const char *path)
{
	const struct published_moment moment = { .time = analysis->end, .begin = analysis->begin };
	const struct published_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 64, .types_max = { 1000, 1000 }
	};
	struct published *published;
	char why[400], byte;

	if (published_create(&published, &settings, why, sizeof(why))) {
		fprintf(stderr, "publish: %s\n", why);
		return 2;
	}
	published_write(published, tally, &moment);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	published_remove(published);
	return 0;
}

int main(int argc, char **argv)
{
	struct tally tally;
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observers = { { tally_step, &tally } },
		.observer_count = 1,
	};
	struct analysis analysis;
	struct capture capture;
	int status;

	if (argc != 3) {
		fprintf(stderr, "usage: publish DIR FILE\n");
		return 2;
	}
	if (capture_open(&capture, argv[1])) {
		fprintf(stderr, "publish: %s\n", capture.why);
		return 2;
	}
	if (tally_init(&tally, &capture, NULL) || analysis_run(&analysis, &capture, &settings)) {
		fprintf(stderr, "publish: %s: the figures cannot be made\n", argv[1]);
		return 2;
	}
	status = publish(&analysis, &tally, argv[2]);
	analysis_deinit(&analysis);
	tally_deinit(&tally);
	capture_close(&capture);
	return status;
}
