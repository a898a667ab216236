// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * publish DIR FILE: publishes the counters of a capture in FILE, as kmemtraced does for the running
 * kernel, prints "ready", and exits when its standard input ends.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "live/stats/stats_file.h"

static int publish_snapshot(const struct analysis *analysis, const struct type_stats *type_stats,
			    const char *path)
{
	const struct stats_snapshot snapshot = { .time = analysis->end, .begin = analysis->begin };
	const struct stats_file_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 64, .types_max = { 1000, 1000 }
	};
	struct stats_file *stats_file;
	char byte;
	struct error error = { 0 };

	if (stats_file_create(&stats_file, &settings, &error)) {
		fprintf(stderr, "publish: %s\n", error.text);
		return 2;
	}
	stats_file_write(stats_file, type_stats, &snapshot);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	stats_file_remove(stats_file);
	return 0;
}

int main(int argc, char **argv)
{
	struct type_stats type_stats;
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observers = { { type_stats_on_transition, &type_stats } },
		.observer_count = 1,
		.observers_only = true,
	};
	struct analysis analysis;
	struct capture capture;
	int status;

	if (argc != 3) {
		fprintf(stderr, "usage: publish DIR FILE\n");
		return 2;
	}
	if (capture_open(&capture, argv[1])) {
		fprintf(stderr, "publish: %s\n", capture.error.text);
		return 2;
	}
	if (type_stats_init(&type_stats, &capture, NULL) ||
	    analysis_run(&analysis, &capture, &settings)) {
		fprintf(stderr, "publish: %s: the capture cannot be analysed\n", argv[1]);
		return 2;
	}
	status = publish_snapshot(&analysis, &type_stats, argv[2]);
	analysis_deinit(&analysis);
	type_stats_deinit(&type_stats);
	capture_close(&capture);
	return status;
}
