// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-top: what a running kmemtraced counts, live. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "live/top/batch.h"
#include "live/top/child.h"
#include "live/top/model.h"
#include "live/top/options.h"
#include "live/top/ui.h"

#define PAUSE_NS 50000000

/* 1 as soon as there are figures; 0: a signal asked to stop, or the child has ended; or -errno. */
static int wait_for_figures(struct model *model, struct child *child)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int updated = model_update(model);

	while (!updated && !stop_signal() && child_is_alive(child)) {
		nanosleep(&pause, NULL);
		updated = model_update(model);
	}
	return updated;
}

/* Finds what to read. EXIT_OK, or EXIT_TROUBLE after a message. */
static int open_source(struct model *model, struct child *child, const struct top_options *options,
		       const struct saved_signals *signals)
{
	const char *path = options->input ? options->input : STATS_FILE_PATH;
	int err = 0;

	if (model_init(model, path))
		return error_msg("%s: %s", path, strerror(ENOMEM));
	if (options->start != START_ALWAYS)
		err = model_update(model);
	if (err < 0)
		return error_msg("%s", model->errmsg);
	if (options->start == START_ALWAYS ||
	    (options->start == START_IF_NEEDED && !options->input &&
	     model->state == MODEL_WAITING && !geteuid())) {
		if (child_start(child, options->has_key && model_is_sampled(options->key), signals))
			return EXIT_TROUBLE;
		model->path = child->path;
	} else if (model->state == MODEL_WAITING && options->start != START_NEVER) {
		return error_msg("%s; -w waits for it", model->errmsg);
	} else if (model->state == MODEL_WAITING) {
		info_msg("%s: waiting until kmemtraced publishes there", path);
	}
	return EXIT_OK;
}

static int show_figures(struct model *model, struct child *child, const struct top_options *options)
{
	if (model->time || wait_for_figures(model, child) > 0) {
		if (!options->batch)
			return ui_run(model, child, options);
		return batch_run(model, child, options);
	}
	if (stop_signal())
		return EXIT_OK;
	return child_is_alive(child) ? error_msg("%s", model->errmsg) : child_exit_status(child);
}

int main(int argc, char **argv)
{
	struct top_options options;
	struct saved_signals signals;
	struct model model;
	struct child child = { .log = -1 };
	int status;

	top_options_parse(&options, argc, argv);
	stop_handle_signals(&signals);
	status = open_source(&model, &child, &options, &signals);
	if (!status)
		status = show_figures(&model, &child, &options);
	child_end(&child);
	model_deinit(&model);
	top_options_deinit(&options);
	return close_stdout(status);
}
