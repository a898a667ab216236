// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-pack: packs captures, unpacks them, and makes copies that can be shared. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "capture/archive.h"
#include "capture/capture.h"
#include "capture/capture_file.h"
#include "capture/metadata.h"
#include "capture/pack/apply.h"
#include "capture/pack/split.h"
#include "capture/pack/staging.h"
#include "capture/pack/trim.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/progress.h"
#include "cli/stop.h"

struct pack_options {
	bool quiet, unpack, anonymize, anonymize_tasks, trim;
	struct split_settings split; /* all 0: not wanted */
	const char *output;
	const char *shown; /* the name of the capture in messages */
	uint64_t max_memory;
	struct path_arguments arguments;
};

static bool has_split(const struct pack_options *options)
{
	return options->split.bytes || options->split.ns;
}

/* A small m is minutes, a large M is a size, as in perf. */
static void parse_split(struct argp_state *state, const char *text)
{
	struct pack_options *options = state->input;
	struct split_settings *split = &options->split;

	*split = (struct split_settings){ 0 };
	if (age_parse(text, &split->ns) ? split->ns
					: size_parse(text, 1, &split->bytes) && split->bytes)
		return;
	argp_error(
		state,
		"--split: \"%s\" is not a size (bytes, or a number with k, M or G) or an age (a number with ms, s, m, h or d)",
		text);
}

static void parse_anonymize(struct argp_state *state, const char *text)
{
	struct pack_options *options = state->input;

	options->anonymize_tasks |= text != NULL;
}

static const char *const anonymized[] = { "tasks", NULL };

#define AT(member) OPTION_AT(struct pack_options, member)

static const struct option_row option_rows[] = {
	{ "output", 'o', "DIR|FILE" ARCHIVE_SUFFIX,
	  "Write the result to DIR, or to one file to send, whose name ends with " ARCHIVE_SUFFIX
	  ", and leave the capture unchanged; an existing capture is moved to DIR.old or FILE" ARCHIVE_SUFFIX
	  ".old",
	  AT(output), .kind = ARGUMENT_PATH },
	{ "unpack", 'u', NULL, "Unpack, for other readers of CTF", AT(unpack) },
	{ "anonymize", 0, "tasks",
	  "Replace kernel addresses, the host name and the date, so that the copy in -o DIR can be shared; with =tasks, replace the names of tasks too",
	  OPTION_GIVEN(struct pack_options, anonymize), .kind = ARGUMENT_CHOICE,
	  .choices = anonymized, .optional = "", .parse = parse_anonymize },
	{ "split", 0, "SIZE|AGE",
	  "Split the capture into a set of pieces in -o DIR, each with the heap at its begin, so that a report of a part of the time reads only some pieces: each has about SIZE bytes (k, M, G), or is AGE long (s, m, h)",
	  .parse = parse_split, .words = "64M|256M|1s|10s|1m" },
	{ "trim", 0, NULL,
	  "Cut the symbols in the copy in -o to those that its events and stacks use", AT(trim) },
	{ "quiet", 'q', NULL, "Print errors only", AT(quiet) },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .argument = "DIR|FILE" },
	{ 0 },
};

static error_t parse_pack_arguments(int key, char *argument, struct argp_state *state)
{
	struct pack_options *options = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		if (options->output && options->arguments.count > 1)
			argp_error(state, "-o takes one capture at a time");
		if (options->anonymize && !options->output)
			argp_error(
				state,
				"--anonymize needs -o DIR: the originals of the addresses cannot be restored");
		if (has_split(options) && !options->output)
			argp_error(state, "--split needs -o DIR: the directory of the pieces");
		if (has_split(options) && (options->unpack || options->anonymize || options->trim))
			argp_error(
				state,
				"--split cannot be combined with --unpack, --anonymize or --trim: split the result");
		if (options->trim && !options->output)
			argp_error(state, "--trim needs -o: the other symbols cannot be restored");
		if (options->output && archive_is_name(options->output) &&
		    (options->unpack || has_split(options)))
			argp_error(state, "-o %s: --unpack and --split write a directory",
				   options->output);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_pack(const struct pack_options *options, const char *path,
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
static int print_failure(const struct pack_options *options, const struct capture *capture,
			 const struct convert *convert, int err)
{
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		return error_msg("%s; %s", convert->error.text,
				 metadata_newer_text(capture->metadata.tracer_version, newer,
						     sizeof(newer)));
	if (!options->output && convert->changed)
		return error_msg(
			"%s: no data of %s is lost: run the same command again to continue",
			convert->error.text, capture->path);
	return error_msg("%s", convert->error.text);
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
		info_msg(
			"%s: %" PRIu64
			" record%s of a kind that this version does not know: the fields of that kind are left out",
			path, records->unknown, records->unknown == 1 ? "" : "s");
	if (records->cut)
		info_msg(
			"%s: %" PRIu64
			" record%s with words that this version does not know: these words are left out",
			path, records->cut, records->cut == 1 ? "" : "s");
	anonymize->left_out |= convert->damaged_bytes || records->unknown || records->cut;
}

static int apply_anonymized(const struct pack_options *options, const char *path,
			    const char *target, struct convert *convert,
			    const struct capture *capture)
{
	struct anonymize anonymize;
	int err = anonymize_init(&anonymize, capture, options->anonymize_tasks);

	if (err)
		return error_format(&convert->error, err, "%s: %s", path,
				    anonymize_error_text(err));
	err = apply_to(convert, capture, target, &anonymize);
	progress_line_clear();
	if (!err)
		print_left_out(path, convert, &anonymize);
	anonymize_deinit(&anonymize);
	return err ? err : anonymize.left_out || anonymize.shows_host;
}

/* Writes to the target, or in place if it is NULL. The status, after messages. */
static int apply_options(const struct pack_options *options, const char *path, const char *target,
			 struct convert *convert, const struct capture *capture)
{
	struct progress_line line;
	int err;

	if (capture->being_written)
		return error_msg("%s: kmemtraced is writing the capture: stop kmemtraced first",
				 path);
	if (options->anonymize && capture->metadata.piece)
		return error_msg(
			"%s is a piece of a set, whose checkpoint cannot be anonymized: anonymize a capture without --switch-output",
			path);
	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = options->shown;
	convert->line = &line;
	convert->bytes =
		convert->bytes_before +
		stream_files_all_bytes(capture->streams, capture->stream_count, &capture->parts);
	if (options->anonymize)
		err = apply_anonymized(options, path, target, convert, capture);
	else if (target)
		err = apply_to(convert, capture, target, NULL);
	else
		err = apply_in_place(convert, capture);
	progress_line_clear();
	convert->line = NULL;
	if (err < 0)
		return print_failure(options, capture, convert, err);
	return err ? EXIT_FINDINGS : EXIT_OK;
}

/* Damage that was copied. */
static int print_damage(const char *path, const struct convert *convert, int status)
{
	if (status != EXIT_OK || !convert->damaged_bytes)
		return status;
	info_msg(
		"%s: %" PRIu64
		" bytes are not packets: they are unchanged: kmemtrace-check --repair makes a readable capture",
		path, convert->damaged_bytes);
	return EXIT_FINDINGS;
}

static int pack_capture(const struct pack_options *options, const char *path, const char *target,
			struct convert *convert)
{
	struct capture capture;
	int status;

	if (capture_open_alone(&capture, path))
		return error_msg("%s", capture.error.text);
	status = apply_options(options, path, target, convert, &capture);
	capture_close(&capture);
	return status;
}

/* Copies each piece of a set to a new directory. */
static int pack_pieces(const struct pack_options *options, const char *set, const char *target,
		       const unsigned int *pieces, size_t count, struct convert *convert)
{
	int status = EXIT_OK;

	if (mkdir(target, 0700))
		return error_msg("%s: %s", target, strerror(errno));
	for (size_t i = 0; i < count && status < EXIT_TROUBLE; i++) {
		__attribute__((cleanup(free_text))) char *from = parts_piece_path(set, pieces[i]);
		__attribute__((cleanup(free_text))) char *to = parts_piece_path(target, pieces[i]);
		int one = from && to ? pack_capture(options, from, to, convert)
				     : error_msg("%s", strerror(ENOMEM));

		if (one > status)
			status = one;
	}
	return status;
}

/* Makes the copy in a directory beside the output, of a capture or, if count is not 0, of a set. */
static int pack_staged(const struct pack_options *options, const char *path,
		       const unsigned int *pieces, size_t count, struct convert *convert)
{
	bool to_file = archive_is_name(options->output);
	struct staging staging;
	struct error error = { 0 };
	int status;

	if (staging_begin(&staging, options->output)) {
		status = error_msg("%s", staging.error.text);
		staging_end(&staging);
		return status;
	}
	status = count ? pack_pieces(options, path, staging.directory, pieces, count, convert)
		       : pack_capture(options, path, staging.directory, convert);
	if (status < EXIT_TROUBLE && options->trim && trim_capture(staging.directory, &error))
		status = error_msg("%s", error.text);
	if (status < EXIT_TROUBLE &&
	    (to_file ? staging_finish_file(&staging) : staging_finish_directory(&staging)))
		status = error_msg("%s", staging.error.text);
	if (status < EXIT_TROUBLE) {
		print_pack(options, path, convert);
		if (to_file && !options->quiet)
			info_msg("%s: one file of %" PRIu64 " bytes", options->output,
				 staging.bytes);
	}
	staging_end(&staging);
	return print_damage(options->shown, convert, status);
}

static int split_to_pieces(const struct pack_options *options, const struct capture *capture)
{
	struct split_settings settings = options->split;
	struct progress_line line;
	struct error error = { 0 };
	size_t count;
	int err;

	if (capture->being_written)
		return error_msg("%s: kmemtraced is writing the capture: stop kmemtraced first",
				 capture->path);
	if (capture->metadata.piece)
		return error_msg("%s is a piece of a set already", capture->path);
	if (capture->status.sampling.is_profile)
		return error_msg(
			"%s is a profile, which has no order of all events: it is small enough as it is",
			capture->path);
	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = capture->path;
	settings.line = &line;
	err = split_capture(capture, options->output, &settings, &count, &error);
	progress_line_clear();
	if (err)
		return error_msg("%s", error.text);
	if (!options->quiet)
		info_msg("%s: %zu piece%s", options->output, count, count == 1 ? "" : "s");
	return EXIT_OK;
}

static int split_path(const struct pack_options *options, const char *path)
{
	struct capture capture;
	int status;

	if (capture_open_alone(&capture, path))
		return error_msg("%s", capture.error.text);
	status = split_to_pieces(options, &capture);
	capture_close(&capture);
	return status;
}

static int pack_path(const struct pack_options *options, const char *path)
{
	unsigned int *pieces = NULL;
	struct convert convert;
	size_t count = 0;
	int status;

	if (has_split(options))
		return split_path(options, path);
	if (convert_init(&convert, options->unpack))
		return error_msg("%s", convert.error.text);
	/* an error is that of pack_capture() */
	if (options->output && !options->anonymize && parts_list_started(path, &pieces, &count))
		count = 0;
	if (count || (options->output && (options->trim || archive_is_name(options->output)))) {
		status = pack_staged(options, path, pieces, count, &convert);
	} else {
		status = pack_capture(options, path, options->output, &convert);
		if (status < EXIT_TROUBLE)
			print_pack(options, path, &convert);
		status = print_damage(path, &convert, status);
	}
	free(pieces);
	convert_deinit(&convert);
	return status;
}

/* A capture by the name that the user gave: a directory, or a file that is unpacked first. */
static int pack_file(const struct pack_options *given, const char *path)
{
	struct pack_options options = *given;
	struct capture_file file;
	int status, err = capture_file_open(&file, path, true);

	options.shown = path;
	if (file.is_archive)
		message_show_path_as(file.path, path);
	if (err && err != -EBADMSG) {
		status = error_msg("%s", file.error.text);
	} else if (file.is_archive && !options.output) {
		status = error_msg("%s is one file: name a directory for its files with -o DIR",
				   path);
	} else {
		if (err)
			info_msg("%s: the files before that are in the result", file.error.text);
		status = pack_path(&options, file.path);
		if (err && status == EXIT_OK)
			status = EXIT_FINDINGS;
	}
	message_show_path_as(NULL, NULL);
	capture_file_close(&file);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option_table option_tables[] = { { .rows = option_rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_pack_arguments,
		.args_doc = "[DIR|FILE...]",
		.doc = "Make captures of the kernel's slab allocations (default: " CAPTURE_DEFAULT
		       ") small, in place: the streams of a capture of some seconds or more become ten to forty times smaller. All kmemtrace programs read packed captures, and --unpack restores every byte.\v"
		       "Exit status: 0 if all captures were packed; 1 if a capture has damaged bytes, which are copied, or if an anonymized copy lacks a part of the capture or has the host name in other names; 2 if a capture could not be packed: it is still whole.\n\n"
		       "kmemtraced(8) packs while it captures with -z.",
	};
	static char *default_paths[] = { CAPTURE_DEFAULT };
	struct pack_options options = { .max_memory = MEMORY_LIMIT_DEFAULT };
	int status = EXIT_OK;

	option_tables_parse(&argp, option_tables, argc, argv, 0, &options);
	if (!options.arguments.count)
		options.arguments = (struct path_arguments){ .paths = default_paths, .count = 1 };
	memory_limit_set(options.max_memory);
	stop_handle_signals(NULL);
	for (size_t i = 0; i < options.arguments.count && !stop_signal(); i++) {
		int one = pack_file(&options, options.arguments.paths[i]);

		if (one > status)
			status = one;
	}
	return status;
}
