// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-pack: packs captures, unpacks them, and makes copies that can be shared. */
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
	bool quiet, unpack, anonymize, anonymize_tasks;
	const char *output;
	uint64_t max_memory;
	struct path_arguments arguments;
};

enum {
	OPTION_ANONYMIZE = 256,
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the result to DIR and leave the capture unchanged; an existing capture is moved "
	  "to DIR.old",
	  0 },
	{ "unpack", 'u', NULL, 0, "Unpack, for other readers of CTF", 0 },
	{ "anonymize", OPTION_ANONYMIZE, "tasks", OPTION_ARG_OPTIONAL,
	  "Replace kernel addresses, the host name and the date, so that the copy in -o DIR can be "
	  "shared; with =tasks, replace the names of tasks too",
	  0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	MEMORY_LIMIT_OPTION(0),
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	static const char *const names[] = { "tasks" };
	struct options *options = state->input;

	switch (key) {
	case OPTION_ANONYMIZE:
		options->anonymize = true;
		if (argument) {
			parse_choice(state, "--anonymize", argument, names, 1);
			options->anonymize_tasks = true;
		}
		break;
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
		if (options->anonymize && !options->output)
			argp_error(state, "--anonymize needs -o DIR: the originals of the "
					  "addresses cannot be restored");
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

/* Names the parts of the capture that the copy lacks. */
static void print_left_out(const char *path, const struct convert *convert,
			   struct anonymize *anonymize)
{
	const struct anonymized_records *records = &anonymize->records;

	if (convert->damaged_bytes)
		info_msg("%s: %" PRIu64 " bytes are not packets: they are left out", path,
			 convert->damaged_bytes);
	if (records->unknown)
		info_msg("%s: %" PRIu64 " record%s of a kind that this version does not know: the "
			 "fields of that kind are left out",
			 path, records->unknown, records->unknown == 1 ? "" : "s");
	if (records->cut)
		info_msg("%s: %" PRIu64 " record%s with words that this version does not know: "
			 "these words are left out",
			 path, records->cut, records->cut == 1 ? "" : "s");
	anonymize->left_out |= convert->damaged_bytes || records->unknown || records->cut;
}

static int apply_anonymized(const struct options *options, const char *path,
			    struct convert *convert, const struct capture *capture)
{
	struct anonymize anonymize;
	int err = anonymize_init(&anonymize, capture, options->anonymize_tasks);

	if (err)
		return convert_fail(convert, err, "%s: %s", path, anonymize_error_text(err));
	err = apply_to(convert, capture, options->output, &anonymize);
	progress_line_clear();
	if (!err)
		print_left_out(path, convert, &anonymize);
	anonymize_deinit(&anonymize);
	return err ? err : anonymize.left_out || anonymize.shows_host;
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
	if (options->anonymize)
		err = apply_anonymized(options, path, &convert, capture);
	else if (options->output)
		err = apply_to(&convert, capture, options->output, NULL);
	else
		err = apply_in_place(&convert, capture);
	progress_line_clear();
	if (err < 0) {
		status = print_failure(options, capture, &convert, err);
	} else {
		print_result(options, path, &convert);
		if (err) {
			status = EXIT_FINDINGS;
		} else if (convert.damaged_bytes) {
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
		       "which are copied, or if an anonymized copy lacks a part of the capture "
		       "or has the host name in other names; 2 if a capture could not be "
		       "packed: it is still whole.\n\n"
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
