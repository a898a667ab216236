// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-check: checks captures and streams, or repairs a capture. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/checkpoint.h"
#include "base/cleanup.h"
#include "capture/capture.h"
#include "capture/capture_file.h"
#include "capture/parts.h"
#include "check/check.h"
#include "check/check_checkpoint.h"
#include "check/check_heap.h"
#include "check/check_pieces.h"
#include "check/repair/repair.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/progress.h"

struct check_options {
	bool quiet, verbose, heap, list, repair;
	bool repaired;	 /* the capture is the result of a repair */
	bool is_archive; /* it is one file, unpacked into a temporary directory */
	const char *output;
	const char *set; /* of the piece that is checked; NULL: none */
	uint64_t max_memory;
	struct path_arguments arguments;
};

#define AT(member) OPTION_AT(struct check_options, member)

static const struct option_row option_rows[] = {
	{ "quiet", 'q', NULL, "Print problems and heap findings only", AT(quiet) },
	{ "verbose", 'v', NULL,
	  "Print a line for each stream too; with --repair, for the streams of the result",
	  AT(verbose) },
	{ "heap", 0, NULL,
	  "Look for errors of the kernel in the heap too: double frees, wrong caches, ...; with -v, print possible and legal findings too",
	  AT(heap) },
	{ "list", 0, NULL, "List the checks and exit", AT(list) },
	{ "repair", 0, NULL,
	  "Make a readable capture of one that is cut off or damaged; rename the original to DIR.damaged",
	  AT(repair) },
	{ "output", 'o', "OUT", "With --repair: write the result to OUT and leave DIR unchanged",
	  AT(output), .kind = ARGUMENT_PATH },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .argument = "DIR|FILE" },
	{ 0 },
};

static error_t parse_check_arguments(int key, char *argument, struct argp_state *state)
{
	struct check_options *options = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		if (options->output && !options->repair)
			argp_error(state, "--output is for --repair");
		if (options->list && (options->quiet || options->verbose || options->repair ||
				      options->heap || options->arguments.count))
			argp_error(state, "--list cannot be combined with other options");
		if (options->repair && options->heap)
			argp_error(
				state,
				"--heap cannot be combined with --repair: check the result with --heap");
		if (options->repair && options->arguments.count > 1)
			argp_error(state, "--repair takes one capture at a time");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int cannot_check(const struct error *error, int err)
{
	return error_msg("%s%s", error->text,
			 err == -ENOENT ? ": capture first with kmemtraced, or name a capture"
					: "");
}

static void print_check(const struct check_info *check)
{
	printf("%-12s %s\n", check->name, check->summary);
}

static bool is_directory(const char *path)
{
	struct stat stat_buffer;

	return stat(path, &stat_buffer) || S_ISDIR(stat_buffer.st_mode);
}

/* A later version wrote parts that could not be checked. */
static bool is_partial(const struct check_result *result)
{
	return result->unknown || result->status_unknown;
}

static void report_unknown(const char *path, const struct check_result *result)
{
	char newer[METADATA_TEXT];

	metadata_newer_text(result->tracer_version, newer, sizeof(newer));
	if (result->unknown)
		error_msg("%s: unchecked records of kinds that this version does not know: %" PRIu64
			  "; %s",
			  path, result->unknown, newer);
	if (result->status_unknown)
		error_msg(
			"%s/kernel/status: unchecked: its format is newer than this version knows; %s",
			path, newer);
}

static void print_summary(const char *path, const struct check_problems *problems,
			  const struct check_result *result)
{
	print_text("%s: ", path);
	if (problems->count)
		printf("%" PRIu64 " problem%s", problems->count, problems->count == 1 ? "" : "s");
	else
		printf("ok");
	if (is_partial(result))
		printf(" in the parts that could be checked");
	printf(": %" PRIu64 " records of %zu CPU%s, lost %" PRIu64 ", skipped %" PRIu64,
	       result->records, result->cpus, result->cpus == 1 ? "" : "s", result->lost,
	       result->skipped);
	if (result->own_known)
		printf(", own %" PRIu64, result->own);
	putchar('\n');
}

/* Suggests what to do about the problems. */
static void print_advice(const char *path, const struct check_options *options,
			 const struct check_problems *problems, const struct check_result *result)
{
	/* a repair refuses a status of a newer format */
	if (!result->being_written && (!problems->repairable || result->status_unknown))
		return;
	if (!result->being_written && options->is_archive)
		info_msg("%s: kmemtrace-check --repair -o DIR makes a readable capture of it",
			 path);
	else if (!result->being_written)
		info_msg("%s: kmemtrace-check --repair %s makes a readable capture of it", path,
			 options->set ? options->set : path);
	else if (options->set)
		info_msg(
			"%s: kmemtraced is writing this piece: check it again when the next piece has begun",
			path);
	else
		info_msg("%s: stop kmemtraced, then check again", path);
}

/* The exit status of --heap: only certain findings count. */
static int check_heap(const char *path, const struct check_options *options)
{
	struct check_heap result;
	char explained[64] = "";
	struct progress_line line;
	struct error error = { 0 };
	int err;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = check_heap_run(path, options->verbose, &line, &result, &error);
	if (err)
		return cannot_check(&error, err);
	if (result.explained)
		snprintf(explained, sizeof(explained),
			 ", %" PRIu64 " explained by allocations without an event",
			 result.explained);
	if (!options->quiet)
		print_text("%s: heap: %" PRIu64 " certain finding%s, %" PRIu64
			   " possible%s, %" PRIu64 " legal on this kernel%s\n",
			   path, result.certain, result.certain == 1 ? "" : "s", result.possible,
			   explained, result.legal,
			   options->verbose ||
					   !(result.possible || result.explained || result.legal)
				   ? ""
				   : " (-v or kmemtrace-report findings lists them)");
	return result.certain ? EXIT_FINDINGS : EXIT_OK;
}

static int check_path(const char *path, const struct check_options *options)
{
	struct progress_line line;
	struct check_problems problems = { .verbose = options->verbose, .line = &line };
	struct check_result result = { 0 };
	bool is_capture = is_directory(path);
	struct error error = { 0 };
	int status, err;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = is_capture ? check_capture(path, &problems, &result, &error)
			 : check_stream(path, &problems, &result, &error);
	progress_line_clear();
	if (err)
		return cannot_check(&error, err);
	if (!options->quiet)
		print_summary(path, &problems, &result);
	if (!options->quiet && is_capture)
		print_advice(path, options, &problems, &result);
	status = problems.count ? EXIT_FINDINGS : EXIT_OK;
	if (is_partial(&result) && !options->repaired) {
		report_unknown(path, &result);
		status = EXIT_TROUBLE;
	}
	if (options->heap && is_capture) {
		int heap = check_heap(path, options);

		if (heap > status)
			status = heap;
	}
	return status;
}

/* The exit status of a set: the highest of its pieces. A piece that has no streams yet is left out.
 */
static int check_set(const char *path, const struct check_options *options,
		     const unsigned int *pieces, size_t count)
{
	struct check_problems problems = { .verbose = options->verbose };
	struct check_options of_piece = *options;
	int status = EXIT_OK;

	of_piece.heap = false;
	of_piece.set = path;
	for (size_t i = 0; i < count; i++) {
		char *piece = parts_piece_path(path, pieces[i]);
		int one = piece ? check_path(piece, &of_piece) : error_msg("%s", strerror(ENOMEM));

		free(piece);
		if (one > status)
			status = one;
	}
	if (check_pieces(path, pieces, count, &problems))
		return error_msg("%s: %s", path, strerror(ENOMEM));
	if (problems.count && status == EXIT_OK)
		status = EXIT_FINDINGS;
	if (options->heap) {
		int heap = check_heap(path, options);

		if (heap > status)
			status = heap;
	}
	return status;
}

/* A capture, a stream, or a set of pieces. */
static int check_any(const char *path, const struct check_options *options)
{
	unsigned int *pieces = NULL;
	size_t count = 0;
	int status;

	/* an error is that of check_path() */
	if (!is_directory(path) || parts_list_started(path, &pieces, &count) || !count)
		return check_path(path, options);
	status = check_set(path, options, pieces, count);
	free(pieces);
	return status;
}

/* Metadata that cannot be read (-EINVAL) is a reason for a repair. */
static int repair_path(const char *path, const struct check_options *options)
{
	struct progress_line line;
	struct check_problems problems = { .silent = true, .line = &line };
	struct check_result result = { 0 };
	struct check_options after = { .quiet = true,
				       .verbose = options->verbose && !options->quiet,
				       .repaired = true };
	struct error error = { 0 }, failure = { 0 };
	int err, status;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = check_capture(path, &problems, &result, &error);
	progress_line_clear();
	if (!err && !problems.count) {
		if (!options->quiet)
			print_text("%s: nothing to repair\n", path);
		return EXIT_OK;
	}
	if (err && err != -EINVAL)
		return cannot_check(&error, err);
	if (repair_run(path, options->output, options->quiet, &failure))
		return error_msg("%s", failure.text);
	status = check_path(options->output ? options->output : path, &after);
	if (status == EXIT_FINDINGS)
		info_msg("%s: these problems remain: a repair changes no record of a whole packet",
			 path);
	return status;
}

/* Makes the checkpoint of the piece after this one, if it is missing or damaged. */
static int make_checkpoint(const char *set, unsigned int before,
			   const struct check_options *options)
{
	__attribute__((cleanup(free_text))) char *from = parts_piece_path(set, before);
	__attribute__((cleanup(free_text))) char *to = parts_piece_path(set, before + 1);
	struct capture earlier, later;
	struct error error = { 0 };
	bool is_missing;

	if (!from || !to)
		return error_msg("%s", strerror(ENOMEM));
	/* pieces that cannot be read, or of two runs, have no checkpoint to make */
	if (capture_open_alone(&earlier, from))
		return EXIT_OK;
	if (capture_open_alone(&later, to)) {
		capture_close(&earlier);
		return EXIT_OK;
	}
	is_missing =
		earlier.status.until && !later.being_written &&
		!memcmp(earlier.metadata.uuid, later.metadata.uuid, sizeof(later.metadata.uuid));
	capture_close(&earlier);
	capture_close(&later);
	if (!is_missing)
		return EXIT_OK;
	/* damaged: the piece cannot be opened with it */
	if (!capture_open(&later, to)) {
		is_missing = !later.checkpoint.begin ||
			     check_checkpoint_objects(&later, NULL) == -EBADMSG;
		capture_close(&later);
	}
	if (!is_missing)
		return EXIT_OK;
	if (checkpoint_make(from, to, NULL, &error))
		return error_msg("%s", error.text);
	if (!options->quiet)
		print_text("%s: the checkpoint is made\n", to);
	return EXIT_OK;
}

static int repair_any(const char *path, const struct check_options *options)
{
	unsigned int *pieces = NULL;
	size_t count = 0;
	int status = EXIT_OK;

	if (!is_directory(path) || parts_list_started(path, &pieces, &count) || !count)
		return repair_path(path, options);
	if (options->output) {
		free(pieces);
		return error_msg(
			"--output: %s is a set of pieces: repair one piece, or all where they are",
			path);
	}
	for (size_t i = 0; i < count; i++) {
		char *piece = parts_piece_path(path, pieces[i]);
		int one = EXIT_OK;

		if (i && pieces[i - 1] + 1 == pieces[i])
			one = make_checkpoint(path, pieces[i - 1], options);
		if (one == EXIT_OK)
			one = piece ? repair_path(piece, options)
				    : error_msg("%s", strerror(ENOMEM));
		free(piece);
		if (one > status)
			status = one;
	}
	free(pieces);
	return status;
}

/* A file that is cut off has a problem. The files before its end are checked or repaired. */
static int check_unpacked(const struct capture_file *file, const char *name,
			  const struct check_options *options, int damage)
{
	struct check_options of_file = *options;
	int status;

	of_file.is_archive = file->is_archive;
	if (options->repair && file->is_archive && !options->output)
		return error_msg(
			"%s: is one file: name the directory of the repaired capture with -o DIR",
			name);
	if (damage)
		print_text("%s\n", file->error.text);
	status = options->repair ? repair_any(file->path, &of_file)
				 : check_any(file->path, &of_file);
	return damage && status == EXIT_OK && !options->repair ? EXIT_FINDINGS : status;
}

static int check_file(const char *path, const struct check_options *options)
{
	struct capture_file file;
	int status, err = capture_file_open(&file, path, true);

	if (file.is_archive)
		message_show_path_as(file.path, path);
	status = err && err != -EBADMSG ? error_msg("%s", file.error.text)
					: check_unpacked(&file, path, options, err);
	message_show_path_as(NULL, NULL);
	capture_file_close(&file);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option_table option_tables[] = { { .rows = option_rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_check_arguments,
		.args_doc = "[DIR|FILE|STREAM...]",
		.doc = "Check that captures of the kernel's slab allocations (default: " CAPTURE_DEFAULT
		       "), or single streams of them, are complete and consistent; or repair a capture.\v"
		       "Exit status: 0 without problems and certain findings; 1 if there are some, or problems remain after a repair; 2 if a capture could not be checked or repaired.\n\n"
		       "Make a capture with kmemtraced(8), explain it with kmemtrace-report(1).",
	};
	struct check_options options = { .max_memory = MEMORY_LIMIT_DEFAULT };
	static char *default_paths[] = { CAPTURE_DEFAULT };
	int status = EXIT_OK;

	option_tables_parse(&argp, option_tables, argc, argv, 0, &options);
	if (!options.arguments.count)
		options.arguments = (struct path_arguments){ .paths = default_paths, .count = 1 };
	memory_limit_set(options.max_memory);
	if (options.list) {
		check_list(print_check);
		print_check(&check_pieces_info);
	} else if (options.repair) {
		status = check_file(options.arguments.paths[0], &options);
	} else {
		for (size_t i = 0; i < options.arguments.count; i++) {
			int one = check_file(options.arguments.paths[i], &options);

			if (one > status)
				status = one;
		}
	}
	return close_stdout(status);
}
