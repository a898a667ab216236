// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-pack: packs captures, and unpacks them. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pack/apply.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "capture/capture.h"
#include "capture/metadata.h"

struct options {
	bool quiet, unpack;
	const char *output;
	uint64_t max_memory;
	struct path_arguments arguments;
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the result to DIR and leave the capture unchanged; an existing capture is moved "
	  "to DIR.old",
	  0 },
	{ "unpack", 'u', NULL, 0, "Unpack, for other readers of CTF", 0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	MEMORY_LIMIT_OPTION(0),
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = parse_path(state, "-o", argument);
		break;
	case 'u':
		options->unpack = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case MEMORY_LIMIT_KEY:
		options->max_memory = memory_limit_parse(state, argument);
		break;
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		if (options->output && options->arguments.count > 1)
			argp_error(state, "-o takes one capture at a time");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_result(const struct options *options, const char *path,
			 const struct convert *convert)
{
	const char *name = options->output ? options->output : path;

	if (options->quiet)
		return;
	if (!convert->changed && !options->output)
		info_msg("%s: nothing to %s", name, options->unpack ? "unpack" : "pack");
	else
		info_msg("%s: %" PRIu64 " events, %s from %" PRIu64 " to %" PRIu64 " bytes", name,
			 convert->records, options->unpack ? "unpacked" : "packed",
			 convert->bytes_before, convert->bytes_after);
}

/* A packet of a newer format needs a newer version: the message names it. */
static int print_failure(const struct options *options, const struct capture *capture,
			 const struct convert *convert, int err)
{
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		return error_msg("%s; %s", convert->errmsg,
				 metadata_newer_text(capture->metadata.tracer_version, newer,
						     sizeof(newer)));
	if (!options->output && convert->changed)
		return error_msg(
			"%s: no data of %s is lost: run the same command again to continue",
			convert->errmsg, capture->path);
	return error_msg("%s", convert->errmsg);
}

static int apply(const struct options *options, const char *path, const struct capture *capture)
{
	struct progress_line line;
	struct convert convert;
	int status = EXIT_OK, err;

	if (capture->being_written)
		return error_msg("%s: kmemtraced is writing the capture: stop kmemtraced first",
				 path);
	err = convert_init(&convert, options->unpack);
	if (err)
		return error_msg("%s", convert.errmsg);
	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	convert.line = &line;
	convert.bytes = capture_stream_bytes(capture);
	err = options->output ? apply_to(&convert, capture, options->output)
			      : apply_in_place(&convert, capture);
	progress_line_clear();
	if (err) {
		status = print_failure(options, capture, &convert, err);
	} else {
		print_result(options, path, &convert);
		if (convert.damaged_bytes) {
			info_msg("%s: %" PRIu64 " bytes are not packets: they are unchanged: "
				 "kmemtrace-check --repair makes a readable capture",
				 path, convert.damaged_bytes);
			status = EXIT_FINDINGS;
		}
	}
	convert_deinit(&convert);
	return status;
}

static int run(const struct options *options, const char *path)
{
	struct capture capture;
	int status;

	if (capture_open(&capture, path))
		return error_msg("%s", capture.errmsg);
	status = apply(options, path, &capture);
	capture_close(&capture);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[DIR...]",
		.doc = "Make captures of the kernel's slab allocations (default: " CAPTURE_DEFAULT
		       ") small, in place: the streams of a capture of some seconds or more become "
		       "ten to forty times smaller. All kmemtrace programs read packed captures, "
		       "and "
		       "--unpack restores every byte.\v"
		       "Exit status: 0 if all captures were packed; 1 if a capture has damaged "
		       "bytes, "
		       "which are copied; 2 if a capture could not be packed: it is still "
		       "whole.\n\n"
		       "kmemtraced(8) packs while it captures with -z.",
	};
	static char *default_paths[] = { CAPTURE_DEFAULT };
	struct options options = { .max_memory = MEMORY_LIMIT_DEFAULT };
	int status = EXIT_OK;

	parse_command_line(&argp, argc, argv, 0, &options);
	if (!options.arguments.count)
		options.arguments = (struct path_arguments){ .paths = default_paths, .count = 1 };
	memory_limit_set(options.max_memory);
	stop_handle_signals(NULL);
	for (size_t i = 0; i < options.arguments.count && !stop_signal(); i++) {
		int one = run(&options, options.arguments.paths[i]);

		if (one > status)
			status = one;
	}
	return status;
}
