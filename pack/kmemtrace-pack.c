// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-pack: makes captures small, or as they were before. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pack/apply.h"
#include "cli/progress.h"
#include "capture/capture.h"
#include "capture/metadata.h"

enum {
	EXIT_DONE = 0,
	EXIT_DAMAGED = 1,
	EXIT_TROUBLE = 2,
};

struct options {
	bool quiet, unpack;
	const char *output;
	char **paths;
	size_t path_count;
};

static volatile sig_atomic_t interrupted;

static const struct argp_option option_table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the result to DIR and leave the capture as it is; a capture that is in DIR is "
	  "moved to DIR.old",
	  0 },
	{ "unpack", 'u', NULL, 0, "Unpack: what other readers of CTF need", 0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	static char *default_paths[] = { CAPTURE_DEFAULT };
	struct options *options = state->input;

	switch (key) {
	case 'o':
		if (!*argument)
			argp_error(state, "-o: a directory must be named");
		options->output = argument;
		break;
	case 'u':
		options->unpack = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case ARGP_KEY_ARGS:
		options->paths = state->argv + state->next;
		options->path_count = (size_t)(state->argc - state->next);
		break;
	case ARGP_KEY_NO_ARGS:
		options->paths = default_paths;
		options->path_count = 1;
		break;
	case ARGP_KEY_SUCCESS:
		for (size_t i = 0; i < options->path_count; i++)
			if (!*options->paths[i])
				argp_error(state, "a capture's directory must be named");
		if (options->output && options->path_count != 1)
			argp_error(state, "-o takes one capture at a time");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int complain(const char *errmsg)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, errmsg);
	return EXIT_TROUBLE;
}

static void say(const struct options *options, const char *path, const struct convert *convert)
{
	const char *name = options->output ? options->output : path;

	if (options->quiet)
		return;
	if (!convert->changed && !options->output)
		fprintf(stderr, "%s: %s: nothing to %s\n", program_invocation_short_name, name,
			options->unpack ? "unpack" : "pack");
	else
		fprintf(stderr, "%s: %s: %" PRIu64 " events, %" PRIu64 " bytes, were %" PRIu64 "\n",
			program_invocation_short_name, name, convert->records, convert->bytes_after,
			convert->bytes_before);
}

/* Later packets are kept by none but later versions. */
static int fail(const struct options *options, const struct capture *capture,
		const struct convert *convert, int err)
{
	char newer[METADATA_TEXT];

	fprintf(stderr, "%s: %s", program_invocation_short_name, convert->errmsg);
	if (err == -EPROTONOSUPPORT)
		fprintf(stderr, "; %s",
			metadata_newer_text(capture->metadata.tracer_version, newer,
					    sizeof(newer)));
	else if (!options->output && convert->changed)
		fprintf(stderr, ": nothing of %s is lost, and the same command goes on",
			capture->path);
	fprintf(stderr, "\n");
	return EXIT_TROUBLE;
}

static int apply(const struct options *options, const char *path, const struct capture *capture)
{
	struct progress_line line;
	struct convert convert;
	int status = EXIT_DONE, err;

	if (capture->being_written) {
		fprintf(stderr, "%s: %s: kmemtraced is writing it: stop that first\n",
			program_invocation_short_name, path);
		return EXIT_TROUBLE;
	}
	err = convert_init(&convert, options->unpack, &interrupted);
	if (err)
		return complain(convert.errmsg);
	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.what = path;
	convert.line = &line;
	convert.bytes = capture_stream_bytes(capture);
	err = options->output ? apply_to(&convert, capture, options->output)
			      : apply_in_place(&convert, capture);
	progress_line_clear(&line);
	if (err) {
		status = fail(options, capture, &convert, err);
	} else {
		say(options, path, &convert);
		if (convert.damaged_bytes) {
			fprintf(stderr,
				"%s: %s: %" PRIu64 " bytes are no packet: they stay as they are: "
				"kmemtrace-check --repair keeps what is whole\n",
				program_invocation_short_name, path, convert.damaged_bytes);
			status = EXIT_DAMAGED;
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
		return complain(capture.errmsg);
	status = apply(options, path, &capture);
	capture_close(&capture);
	return status;
}

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

const char *argp_program_version = "kmemtrace-pack " PACKAGE_VERSION;

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[DIR...]",
		.doc = "Make captures of the kernel's slab allocations (default: " CAPTURE_DEFAULT
		       ") small, where they lie: the streams of one of some seconds or more become "
		       "ten to forty times smaller. All kmemtrace programs read them as before, "
		       "and --unpack makes every byte again.\v"
		       "Exit status: 0 if all is done; 1 if it is, but a capture has damage, which "
		       "is kept; 2 if something could not be done: then the capture is whole all "
		       "the same.\n\n"
		       "kmemtraced(8) packs while it captures with -z.",
	};
	const struct sigaction action = { .sa_handler = interrupt };
	struct options options = { 0 };
	int status = EXIT_DONE, err;

	argp_err_exit_status = EXIT_TROUBLE;
	argv[0] = program_invocation_short_name;
	err = argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (err)
		error(EXIT_TROUBLE, err, "cannot read the command line");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	for (size_t i = 0; i < options.path_count && !interrupted; i++) {
		int one = run(&options, options.paths[i]);

		if (one > status)
			status = one;
	}
	return status;
}
